import { existsSync, realpathSync } from "node:fs";
import { cp, mkdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { DOWNLOAD_MS, downloadEnv, run } from "../runtimes/processes.mjs";

const house = join(dirname(fileURLToPath(import.meta.url)), "../..");

export async function installPacked(folders, into, signal) {
  const modules = join(into, "node_modules");
  const [pnpm, ...first] = await pnpmCommand();
  const tarballs = [];
  for (const folder of folders) {
    const source = join(house, folder);
    const options = { cwd: source, env: downloadEnv(), signal, timeoutMs: DOWNLOAD_MS };
    const { name } = JSON.parse(await readFile(join(source, "package.json"), "utf8"));
    const installed = join(modules, name);
    await mkdir(installed, { recursive: true });
    const tarball = join(into, `${basename(folder)}.tgz`);
    await run(pnpm, [...first, "pack", "--out", tarball], options);
    await run("tar", ["-xzf", tarball, "-C", installed, "--strip-components=1"], options);
    await copyDependencies(installed, source, modules);
    tarballs.push(tarball);
  }
  return tarballs;
}

export async function pnpmCommand() {
  const { npm_execpath } = process.env;
  if (npm_execpath && basename(npm_execpath).startsWith("pnpm")) return [npm_execpath];
  const { packageManager } = JSON.parse(await readFile(join(house, "package.json"), "utf8"));
  return ["npx", "-y", packageManager];
}

/** Copies what a package depends on, and what that depends on, from where the workspace has it. */
export async function copyDependencies(packageJsonFolder, from, to) {
  const { dependencies = {} } = JSON.parse(await readFile(join(packageJsonFolder, "package.json"), "utf8"));
  // Our own are installed from what would be published, and not from here.
  for (const name of Object.keys(dependencies).filter((one) => !one.startsWith("@media-ops/"))) {
    const source = findPackage(name, from);
    await cp(source, join(to, name), { recursive: true, dereference: true });
    await copyDependencies(source, source, to);
  }
}

function findPackage(name, from) {
  const folders = createRequire(join(from, "package.json")).resolve.paths(name);
  const found = folders.map((folder) => join(folder, name)).find((folder) => existsSync(folder));
  if (!found) throw new Error(`${name} is not installed. Run the install first.`);
  // Its own dependencies lie beside the real folder, not beside the link.
  return realpathSync(found);
}
