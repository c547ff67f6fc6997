// node stand-ins.mjs <command> …: what documents call and not every machine has, or what would need the network. Knows only
// the arguments that the documents use; none reaches another machine.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { parse } from "yaml";
import { copyDependencies, pnpmCommand } from "../publish/install-packed.mjs";

const commands = { curl, docker, "media-ops": mediaOps, npm, npx, openssl, printed };

const [name = "", ...given] = process.argv.slice(2);
await commands[name](given);

/** The options -X, -H and -d; only on this machine. */
async function curl(args) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      request: { type: "string", short: "X", default: "GET" },
      header: { type: "string", short: "H", multiple: true, default: [] },
      data: { type: "string", short: "d" },
    },
  });
  const [url = "", ...more] = positionals;
  if (more.length > 0 || new URL(url).hostname !== "127.0.0.1") throw new Error(`curl ${positionals.join(" ")}`);
  const headers = values.header.map((header) => header.split(": "));
  // curl's default if no header says otherwise.
  if (values.data !== undefined && !/^content-type:/im.test(values.header.join("\n"))) {
    headers.push(["Content-Type", "application/x-www-form-urlencoded"]);
  }
  const response = await fetch(url, { method: values.request, headers, body: values.data });
  console.log(await response.text());
}

/** docker compose up, run and stop: checked against compose.yaml; a command of the service runs without a container. */
function docker(given) {
  const [compose, ...all] = given;
  if (compose !== "compose") refuse();
  const profile = all[0] === "--profile" ? all[1] : undefined;
  const [command, ...rest] = profile === undefined ? all : all.slice(2);
  const text = readFileSync("compose.yaml", "utf8");
  const { services } = parse(text, { merge: true });
  for (const [, name] of text.matchAll(/\$\{(\w+):?\?/g)) if (!process.env[name]) refuse(`${name} is not set.`);
  for (const [name, { build, image }] of Object.entries(services)) {
    if (!build && !image) refuse(`${name} has neither an image nor a build.`);
    if (build && !existsSync(join(build.context, build.dockerfile ?? "Dockerfile"))) refuse(`${name} cannot be built.`);
  }

  if (profile !== undefined && !Object.values(services).some(({ profiles = [] }) => profiles.includes(profile))) {
    refuse(`No service of compose.yaml has the profile "${profile}".`);
  }

  if (command === "up") {
    const { positionals, values } = parseArgs({
      args: rest,
      allowPositionals: true,
      options: { detach: { type: "boolean", short: "d" }, scale: { type: "string", multiple: true } },
    });
    for (const name of positionals) need(name);
    for (const scale of values.scale ?? []) need(scale.split("=")[0]);
  } else if (command === "stop") {
    for (const name of rest) need(name);
  } else if (command === "run") {
    const [removes, name, ...args] = rest;
    if (removes !== "--rm") refuse("Without --rm the container stays.");
    need(name);
    const main = `apps/${name}/dist/main.js`;
    // Its database is in a volume of its own.
    const data = join(process.env.HOME, "volumes", `${name}-data`);
    mkdirSync(data, { recursive: true });
    const env = { ...process.env, MEDIA_DATABASE_URL: `sqlite:${data}/media.db`, MEDIA_MASTER_KEY: "7".repeat(64) };
    const given = args.map((arg) => arg.replace(/^\/data(?=\/)/, data));
    process.exitCode = spawnSync(process.execPath, [main, ...given], { env, stdio: "inherit" }).status ?? 1;
  } else refuse();

  function need(name) {
    if (!services[name]) refuse(`compose.yaml has no service "${name}".`);
  }

  function refuse(why = "The stand-in knows only compose up, run and stop.") {
    console.error(`docker ${given.join(" ")}: ${why}`);
    process.exit(2);
  }
}

/** docs/operating.md says: media-ops is `npx -y pnpm@12 media-ops` in a clone. */
function mediaOps(args) {
  return npx(["-y", "pnpm@12", "media-ops", ...args]);
}

/** npm install --prefix <folder> <tarball>…: without a registry; dependencies are copied from the workspace. */
async function npm(args) {
  const packages = join(import.meta.dirname, "../../packages");
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: { prefix: { type: "string" } } });
  const [command, ...tarballs] = positionals;
  if (command !== "install" || tarballs.length === 0) throw new Error(`npm ${args.join(" ")}`);

  const modules = join(values.prefix ?? ".", "node_modules");
  mkdirSync(modules, { recursive: true });
  for (const tarball of tarballs) {
    // Without a dot before it, npm takes folder/file for a repository at GitHub.
    if (!/^[./~]/.test(tarball)) throw new Error(`npm: ${tarball} is no file; ./${tarball} is`);
    if (!existsSync(tarball)) throw new Error(`npm: there is no ${tarball}`);
    const { name } = JSON.parse(execFileSync("tar", ["-xzOf", tarball, "package/package.json"], { encoding: "utf8" }));
    const folder = join(modules, name);
    mkdirSync(folder, { recursive: true });
    execFileSync("tar", ["-xzf", tarball, "-C", folder, "--strip-components=1"]);
    await copyDependencies(folder, join(packages, name.replace("@media-ops/", "")), modules);
  }
  // npm makes it, too, where there is none.
  const manifest = join(values.prefix ?? ".", "package.json");
  if (!existsSync(manifest)) writeFileSync(manifest, "{}\n");
}

/** npx -y pnpm@12 [--silent] <script> …: runs what the root's script of that name runs, without a build. */
async function npx(given) {
  const [yes, pnpm, ...rest] = given;
  if (yes !== "-y" || pnpm !== "pnpm@12") refuse(`npx ${given.join(" ")}: only npx -y pnpm@12 is known.`);
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
}

/** The pnpm that runs the tests, or the one that the repository names; by the real npx, then. */
async function realPnpm() {
  const [first, ...more] = await pnpmCommand();
  const npx = [process.execPath, join(dirname(process.execPath), "npx")];
  return [...(first === "npx" ? npx : [first]), ...more].join(" ");
}

function refuse(message) {
  console.error(message);
  process.exit(2);
}

/** openssl rand -hex <bytes>, or -base64. */
function openssl(args) {
  const [command, format, bytes] = args;
  const formats = { "-hex": "hex", "-base64": "base64" };
  if (command !== "rand" || !Object.hasOwn(formats, format ?? "") || !/^\d+$/.test(bytes ?? "")) {
    console.error(`openssl ${args.join(" ")}: the stand-in knows only "rand -hex <bytes>" and "rand -base64 <bytes>".`);
    process.exit(2);
  }
  console.log(randomBytes(Number(bytes)).toString(formats[format]));
}

/** printed <regular expression>: the last match in what was printed so far, or its first group: what a reader would copy. */
function printed([expression = ""]) {
  const pattern = new RegExp(expression, "gm");
  const found = [...readFileSync(process.env.DOCS_PRINTED ?? "", "utf8").matchAll(pattern)].at(-1);
  if (!found) {
    console.error(`Nothing was printed that is like ${pattern}.`);
    process.exit(1);
  }
  console.log(found[1] ?? found[0]);
}
