import { rename, writeFile } from "node:fs/promises";
import { basename } from "node:path";

/** Writes a file, for this user alone, so that it is there as it was or as it will be, whatever happens meanwhile. */
export async function writeWhole(file: string, text: string): Promise<void> {
  const draft = `${file}.new`;
  await writeFile(draft, text, { mode: 0o600, flush: true });
  await rename(draft, file);
}

/**
 * Puts a file aside that could not be used, and gives what is to be said of it; nothing where it only is not there.
 */
export async function putAside(file: string, why: unknown): Promise<string | undefined> {
  if (why instanceof Error && "code" in why && why.code === "ENOENT") return undefined;
  const aside = `${file}.broken`;
  await rename(file, aside);
  return `${basename(file)} could not be used, and is ${basename(aside)} now.`;
}
