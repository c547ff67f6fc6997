// docker compose …, as far as the documents use it: what is asked for is checked against compose.yaml, and a command of the
// service is run without a container.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { parse } from "yaml";

const [compose, ...all] = process.argv.slice(2);
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
  console.error(`docker ${process.argv.slice(2).join(" ")}: ${why}`);
  process.exit(2);
}
