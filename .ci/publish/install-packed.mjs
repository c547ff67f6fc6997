import { existsSync, realpathSync } from "node:fs";
import { cp, mkdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { DOWNLOAD_MS, downloadEnv, run } from "../processes.mjs";

const root = join(import.meta.dirname, "../..");

/**
 * Packs packages as they would be published, and installs them into a folder's node_modules with all their
 * dependencies. Needs a build, but no network.
 *
 * @param {readonly string[]} folders The packages, relative to the root of the repository.
 * @param {string} into
 * @returns {Promise<string[]>} The tarballs, in the order of the folders.
 */
export async function installPacked(folders, into) {
  const modules = join(into, "node_modules");
  const [pnpm, ...first] = await pnpmCommand();
  const tarballs = [];
  for (const folder of folders) {
    const source = join(root, folder);
    const options = { cwd: source, env: downloadEnv(), timeoutMs: DOWNLOAD_MS };
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

/**
 * Returns the pnpm that runs this process, or else the one that the repository specifies.
 *
 * @returns {Promise<[command: string, ...args: string[]]>}
 */
export async function pnpmCommand() {
  const { npm_execpath } = process.env;
  if (npm_execpath && basename(npm_execpath).startsWith("pnpm")) return [npm_execpath];
  const { packageManager } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  return ["npx", "-y", packageManager];
}

/**
 * Copies the transitive dependencies of a package from the workspace. Our own are installed from their tarballs.
 *
 * @param {string} installed
 * @param {string} source The package's folder in the workspace.
 * @param {string} modules
 */
export async function copyDependencies(installed, source, modules) {
  const { dependencies = {} } = JSON.parse(await readFile(join(installed, "package.json"), "utf8"));
  for (const name of Object.keys(dependencies).filter((one) => !one.startsWith("@media-ops/"))) {
    const places = createRequire(join(source, "package.json")).resolve.paths(name) ?? [];
    const found = places.map((place) => join(place, name)).find((folder) => existsSync(folder));
    if (!found) throw new Error(`${name} is not installed. Run pnpm install first.`);
    // Its own dependencies are next to the real folder, not next to the link.
    const real = realpathSync(found);
    await cp(real, join(modules, name), { recursive: true, dereference: true });
    await copyDependencies(real, real, modules);
  }
}
