import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join, parse } from "node:path";
import { type AtEnd, root } from "./document.js";

/** What a clone has, and what its install and build add. What programs write there is not among it. */
const IN_A_CLONE = [
  ...[
    "README.md",
    "apps",
    "docs",
    "openapi",
    "packages",
    "package.json",
    "pnpm-workspace.yaml",
    "pnpm-lock.yaml",
    "run.mjs",
  ],
  ...["compose.yaml", "Dockerfile", "deploy", ".env.example", "node_modules"],
];

/** What is on every machine. All else that a document calls has a stand-in, or is not found. */
const COMMANDS = ["bash", "cat", "gzip", "node", "sh", "tar"];

const standIns = join(import.meta.dirname, "stand-ins");

/** A folder that looks like a fresh clone which is installed and built, and what can be called in it. */
export interface Clone {
  readonly folder: string;
  readonly path: string;
  /** For what the test itself writes down; nothing that a document knows. */
  readonly aside: string;
}

export async function makeClone(atEnd: AtEnd): Promise<Clone> {
  const around = await realpath(await mkdtemp(join(tmpdir(), "media-docs-")));
  atEnd(() => rm(around, { recursive: true, force: true }));
  const [folder, aside, bin] = [join(around, "media-ops"), join(around, "aside"), join(around, "bin")];
  for (const one of [folder, aside, bin]) await mkdir(one);
  for (const name of IN_A_CLONE.filter((one) => existsSync(join(root, one)))) {
    await symlink(join(root, name), join(folder, name));
  }
  for (const name of COMMANDS) await symlink(name === "node" ? process.execPath : whereIs(name), join(bin, name));
  for (const file of await readdir(standIns)) {
    const command = join(bin, parse(file).name);
    await writeFile(command, `#!/bin/sh\nexec "${process.execPath}" "${join(standIns, file)}" "$@"\n`);
    await chmod(command, 0o755);
  }
  return { folder, path: bin, aside };
}

function whereIs(command: string): string {
  const folders = (process.env.PATH ?? "").split(delimiter);
  const found = folders.map((folder) => join(folder, command)).find((file) => existsSync(file));
  if (!found) throw new Error(`This machine has no ${command}.`);
  return found;
}
