// node stand-ins.mjs <command> …: stand-ins for commands of the documents that are not installed everywhere or need the
// network. They accept only the arguments that the documents use.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { parse } from "yaml";
import { copyDependencies, pnpmCommand } from "../publish/install-packed.mjs";

/** Supports the options -X, -H, -d and -i, for local URLs only. */
async function curl(args) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      request: { type: "string", short: "X", default: "GET" },
      header: { type: "string", short: "H", multiple: true, default: [] },
      data: { type: "string", short: "d" },
      include: { type: "boolean", short: "i" },
    },
  });
  const [url = "", ...more] = positionals;
  if (more.length > 0 || new URL(url).hostname !== "127.0.0.1") throw new Error(`curl ${positionals.join(" ")}`);
  const headers = values.header.map((header) => header.split(": "));
  // curl's default content type.
  if (values.data !== undefined && !/^content-type:/im.test(values.header.join("\n"))) {
    headers.push(["Content-Type", "application/x-www-form-urlencoded"]);
  }
  const response = await fetch(url, { method: values.request, headers, body: values.data });
  if (values.include) console.log(Array.from(response.headers, ([name, value]) => `${name}: ${value}`).join("\n"));
  console.log(await response.text());
}

/**
 * docker compose up, run --rm and stop, checked against compose.yaml. Commands of the service run without a container.
 */
function docker(args) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      profile: { type: "string" },
      detach: { type: "boolean" },
      rm: { type: "boolean" },
      scale: { type: "string", multiple: true, default: [] },
    },
  });
  const [compose, command, ...rest] = positionals;
  const text = readFileSync("compose.yaml", "utf8");
  const { services } = parse(text, { merge: true });
  for (const [, name] of text.matchAll(/\$\{(\w+):?\?/g)) if (!process.env[name]) refuse(`${name} is not set.`);
  const profiles = Object.values(services).flatMap(({ profiles = [] }) => profiles);
  if (values.profile && !profiles.includes(values.profile)) refuse(`compose.yaml has no profile "${values.profile}".`);
  const named = [...(command === "run" ? rest.slice(0, 1) : rest), ...values.scale.map((scale) => scale.split("=")[0])];
  for (const name of named) if (!services[name]) refuse(`compose.yaml has no service "${name}".`);
  if (compose !== "compose" || !["up", "run", "stop"].includes(command) || (command === "run" && !values.rm)) {
    refuse(`docker ${args.join(" ")}: the stand-in knows only compose up, run --rm and stop.`);
  }
  if (command !== "run") return;

  const [name, ...given] = rest;
  // Replaces the volume of the app's database.
  const data = join(process.env.HOME, "volumes", `${name}-data`);
  mkdirSync(data, { recursive: true });
  const env = { ...process.env, MEDIA_DATABASE_URL: `sqlite:${data}/media.db`, MEDIA_MASTER_KEY: "7".repeat(64) };
  const here = given.map((arg) => arg.replace(/^\/data(?=\/)/, data));
  const { status } = spawnSync(process.execPath, [`apps/${name}/dist/main.js`, ...here], { env, stdio: "inherit" });
  process.exitCode = status ?? 1;
}

/** docs/operating.md writes `media-ops` for `npx -y pnpm@12 media-ops` in a clone. */
const mediaOps = (args) => npx(["-y", "pnpm@12", "media-ops", ...args]);

/** npm install --prefix <folder> <tarball>…: copies dependencies from the workspace. Ours must be among the tarballs. */
async function npm(args) {
  const packages = join(import.meta.dirname, "../../packages");
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: { prefix: { type: "string" } } });
  const [command, ...tarballs] = positionals;
  if (command !== "install" || tarballs.length === 0) throw new Error(`npm ${args.join(" ")}`);

  const modules = join(values.prefix ?? ".", "node_modules");
  mkdirSync(modules, { recursive: true });
  const ours = [];
  for (const tarball of tarballs) {
    // npm reads folder/file without a leading dot as a GitHub repository.
    if (!/^[./~]/.test(tarball)) throw new Error(`npm: ${tarball} is no file; ./${tarball} is`);
    const packed = execFileSync("tar", ["-xzOf", tarball, "package/package.json"], { encoding: "utf8" });
    const { name, dependencies = {} } = JSON.parse(packed);
    ours.push(...Object.keys(dependencies).filter((one) => one.startsWith("@media-ops/")));
    const folder = join(modules, name);
    mkdirSync(folder, { recursive: true });
    execFileSync("tar", ["-xzf", tarball, "-C", folder, "--strip-components=1"]);
    await copyDependencies(folder, join(packages, name.replace("@media-ops/", "")), modules);
  }
  const missing = ours.find((name) => !existsSync(join(modules, name)));
  if (missing) refuse(`npm: 404 Not Found: ${missing}`);
  // npm creates a package.json, too.
  const manifest = join(values.prefix ?? ".", "package.json");
  if (!existsSync(manifest)) writeFileSync(manifest, "{}\n");
}

/** npx -y pnpm@12 [--silent] <script> …: runs the root script of that name without a build. */
async function npx(given) {
  const [yes, pnpm, ...rest] = given;
  if (yes !== "-y" || pnpm !== "pnpm@12") refuse(`npx ${given.join(" ")}: only npx -y pnpm@12 is known.`);
  const [script = "", ...args] = rest[0] === "--silent" ? rest.slice(1) : rest;
  const { name, scripts } = JSON.parse(readFileSync("package.json", "utf8"));
  if (name !== "media-ops") refuse("This is run in the clone's own folder.");
  const text = scripts[script] ?? refuse(`The root's package.json has no script "${script}".`);

  // Running the tests would recurse.
  if (script === "test") process.exit();

  // run.mjs builds and then runs dist/main.js.
  const built = text.replace(/^turbo run build .*? && /, "").replace(/^node run\.mjs (\S+)/, "node $1/dist/main.js");
  const command = built.startsWith("pnpm ") ? built.replace("pnpm", await realPnpm()) : built;
  const settings = JSON.parse(readFileSync(process.env.DOCS_SETTINGS, "utf8"))[script];
  const child = spawn("bash", ["-c", `${command} "$@"`, script, ...args], {
    env: { ...settings, ...process.env },
    stdio: "inherit",
  });
  // Ctrl-C also reaches the script, whose exit code counts.
  process.on("SIGINT", () => {});
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? (signal === "SIGINT" ? 130 : 1);
  });
}

/** Returns the pnpm that runs the tests, or else the repository's pnpm through the real npx. */
async function realPnpm() {
  const [first, ...more] = await pnpmCommand();
  const realNpx = [process.execPath, join(dirname(process.execPath), "npx")];
  return [...(first === "npx" ? realNpx : [first]), ...more].join(" ");
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
    refuse(`openssl ${args.join(" ")}: the stand-in knows only "rand -hex <bytes>" and "rand -base64 <bytes>".`);
  }
  console.log(randomBytes(Number(bytes)).toString(formats[format]));
}

/**
 * printed <regular expression>: prints the last match in the output so far, or its first group, as a reader would copy
 * it.
 */
function printed([expression = ""]) {
  const pattern = new RegExp(expression, "gm");
  const found = [...readFileSync(process.env.DOCS_PRINTED ?? "", "utf8").matchAll(pattern)].at(-1);
  if (!found) refuse(`Nothing was printed that matches ${pattern}.`);
  console.log(found[1] ?? found[0]);
}

const commands = { curl, docker, "media-ops": mediaOps, npm, npx, openssl, printed };
const [name = "", ...given] = process.argv.slice(2);
await commands[name](given);
