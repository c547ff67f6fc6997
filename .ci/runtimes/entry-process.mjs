// For the runtimes that are started with a file: Node, Bun and Deno.
import { smoke } from "./smoke.mjs";

const { Bun, Deno, process } = globalThis;
const checks = await smoke(JSON.parse(process.env.SMOKE_INPUT));
const version = Bun?.version ?? Deno?.version.deno ?? process.versions.node;
// Ended only when all is written; what a check left behind does not hold it up.
process.stdout.write(`${JSON.stringify({ version, checks })}\n`, () => process.exit());
