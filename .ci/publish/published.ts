import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const root = join(import.meta.dirname, "../..");

/** What is read of a package.json. */
export interface Manifest {
  name: string;
  version: string;
  private?: boolean;
  bin?: Record<string, string>;
  exports?: Record<string, unknown>;
  dependencies?: Record<string, string>;
  publishConfig?: object;
}

export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}

/** Where the packages are that are published, from the root of the repository. */
export const publishedFolders: readonly string[] = ["packages", "apps"]
  .flatMap((place) => readdirSync(join(root, place)).map((name) => `${place}/${name}`))
  .filter((folder) => existsSync(join(root, folder, "package.json")) && !readManifest(join(root, folder)).private);
