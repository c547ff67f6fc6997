import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The root of the repository. */
export const root = join(import.meta.dirname, "../..");

/** The members of a package.json that the checks read. */
export interface Manifest {
  name: string;
  version: string;
  private?: boolean;
  bin?: Record<string, string>;
  exports?: Record<string, unknown>;
  dependencies?: Record<string, string>;
  publishConfig?: object;
}

/** Reads the package.json in a folder. */
export const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));

/** The folders of the published packages, relative to the root of the repository. */
export const publishedFolders: readonly string[] = ["packages", "apps"]
  .flatMap((group) => readdirSync(join(root, group)).map((name) => `${group}/${name}`))
  .filter((folder) => existsSync(join(root, folder, "package.json")) && !readManifest(join(root, folder)).private);
