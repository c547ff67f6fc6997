// npx -y pnpm@12 [--silent] <script> …: what the root's script of that name runs, on the tree that is built already.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const [yes, pnpm, ...rest] = process.argv.slice(2);
if (yes !== "-y" || pnpm !== "pnpm@12") refuse(`npx ${process.argv.slice(2).join(" ")}: only npx -y pnpm@12 is known.`);
const [script = "", ...args] = rest[0] === "--silent" ? rest.slice(1) : rest;
const { name, scripts } = JSON.parse(readFileSync("package.json", "utf8"));
if (name !== "media-ops") refuse("This is run in the clone's own folder.");
const text = scripts[script] ?? refuse(`The root's package.json has no script "${script}".`);

// It is what runs this, and would run it again: that it is there is enough.
if (script === "test") process.exit();

// run.mjs builds with progress, and then imports what it has built.
if (!readFileSync("run.mjs", "utf8").includes('"dist/main.js"'))
  refuse("run.mjs runs something else than dist/main.js.");
const built = text.replace(/^turbo run build .*? && /, "").replace(/^node run\.mjs (\S+)/, "node $1/dist/main.js");
const command = built.startsWith("pnpm ") ? built.replace("pnpm", await realPnpm()) : built;
const settings = JSON.parse(readFileSync(process.env.DOCS_SETTINGS, "utf8"))[script];
const child = spawn("bash", ["-c", `${command} "$@"`, script, ...args], {
  env: { ...settings, ...process.env },
  stdio: "inherit",
});
// Ctrl-C goes to the script, too, which says how it ends.
process.on("SIGINT", () => {});
child.on("exit", (code, signal) => {
  process.exitCode = code ?? (signal === "SIGINT" ? 130 : 1);
});

/** The pnpm that runs the tests, or the one that the repository names; by the real npx, then. */
async function realPnpm() {
  const { pnpmCommand } = await import("../../publish/install-packed.mjs");
  const [first, ...more] = await pnpmCommand();
  const npx = [process.execPath, join(dirname(process.execPath), "npx")];
  return [...(first === "npx" ? npx : [first]), ...more].join(" ");
}

function refuse(message) {
  console.error(message);
  process.exit(2);
}
