import { readFileSync } from "node:fs";
import { z } from "zod";

const manifest = z.object({ name: z.string(), version: z.string() });

/** Name and version of this program, from its package.json. */
export function readVersion(): { name: string; version: string } {
  return manifest.parse(JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")));
}
