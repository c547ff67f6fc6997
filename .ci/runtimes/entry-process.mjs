// Entry point for the runtimes that run a file: Node, Bun and Deno.
import { createRequire } from "node:module";
import * as sdk from "@media-ops/sdk";
import { smoke } from "./smoke.mjs";

const { Bun, Deno, process } = globalThis;
const checks = await smoke(JSON.parse(process.env.SMOKE_INPUT));
// Deno would need permission to read files.
if (!Deno) {
  const required = createRequire(import.meta.url)("@media-ops/sdk");
  const ok = required.MediaError === sdk.MediaError && typeof required.createMediaClient === "function";
  checks.push({ name: "can be required", ok, detail: "it is another module than the imported one" });
}
const version = Bun?.version ?? Deno?.version.deno ?? process.versions.node;
// Exits once the output is written, so that resources left open by a check don't keep the process alive.
process.stdout.write(`${JSON.stringify({ version, checks })}\n`, () => process.exit());
