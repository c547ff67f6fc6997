import { readFile } from "node:fs/promises";
import type { CommandNamed } from "../language.js";
import type { Session } from "../session.js";

/** `media completion`: what a shell needs to know. It asks `media __complete` at each press of the key. */
export async function completion({ shell }: CommandNamed<"completion">, { write }: Session): Promise<void> {
  write(await readFile(new URL(`../completion/media.${shell}`, import.meta.url), "utf8"));
}
