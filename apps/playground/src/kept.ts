import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { putAside, writeWhole } from "./whole-file.js";

const demo = z.object({
  apiKey: z.string(),
  intakeKey: z.string(),
  /** Where the project's webhooks go to. */
  hooks: z.object({ session: z.string(), event: z.string() }),
});

/** What is known of the demo project; the keys in it are secret. */
export type KeptDemo = Readonly<z.infer<typeof demo>>;

export const DEMO_FILE = "playground.json";
/** The API key alone, for whoever wants to call the service. */
export const KEY_FILE = "demo.key";

/** What was kept; nothing where there is none. What cannot be read is put aside, and told. */
export async function readDemo(folder: string, onBroken: (told: string) => void): Promise<KeptDemo | undefined> {
  const file = join(folder, DEMO_FILE);
  try {
    return demo.parse(JSON.parse(await readFile(file, "utf8")));
  } catch (error) {
    const told = await putAside(file, error);
    if (told !== undefined) onBroken(`${told} The demo project gets new keys.`);
    return undefined;
  }
}

/** Keeps it, for this user alone. */
export async function keepDemo(folder: string, kept: KeptDemo): Promise<void> {
  await writeWhole(join(folder, DEMO_FILE), `${JSON.stringify(kept, undefined, 2)}\n`);
  await writeWhole(join(folder, KEY_FILE), `${kept.apiKey}\n`);
}
