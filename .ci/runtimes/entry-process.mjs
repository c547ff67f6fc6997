// For the runtimes that are started with a file: Node, Bun and Deno.
import { createRequire } from "node:module";
import * as sdk from "@media-ops/sdk";
import { smoke } from "./smoke.mjs";

const { Bun, Deno, process } = globalThis;
const checks = await smoke(JSON.parse(process.env.SMOKE_INPUT));
// Deno would need the right to read files for it.
if (!Deno) {
  const required = createRequire(import.meta.url)("@media-ops/sdk");
  const ok = required.MediaError === sdk.MediaError && typeof required.createMediaClient === "function";
  checks.push({ name: "can be required", ok, detail: "it is another module than the imported one" });
}
const version = Bun?.version ?? Deno?.version.deno ?? process.versions.node;
// Ended only when all is written; what a check left behind does not hold it up.
process.stdout.write(`${JSON.stringify({ version, checks })}\n`, () => process.exit());
