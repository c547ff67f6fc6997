// npm install --prefix <folder> <tarball>…: without a registry; what the packages depend on comes from the workspace.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { copyDependencies } from "../../publish/install-packed.mjs";

const packages = join(dirname(fileURLToPath(import.meta.url)), "../../../packages");
const { values, positionals } = parseArgs({ allowPositionals: true, options: { prefix: { type: "string" } } });
const [command, ...tarballs] = positionals;
if (command !== "install" || tarballs.length === 0) throw new Error(`npm ${process.argv.slice(2).join(" ")}`);

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
