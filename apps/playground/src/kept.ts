import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import * as z from "zod";

/** Writes a file atomically, readable for this user only. */
export async function writeWhole(file: string, text: string): Promise<void> {
  await writeFile(`${file}.new`, text, { mode: 0o600, flush: true });
  await rename(`${file}.new`, file);
}

/** Renames an unusable file and returns a sentence about it, or undefined if the file does not exist. */
export async function putAside(file: string, why: unknown): Promise<string | undefined> {
  if (why instanceof Error && "code" in why && why.code === "ENOENT") return undefined;
  await rename(file, `${file}.broken`);
  return `${basename(file)} could not be read, and was renamed to ${basename(file)}.broken.`;
}

const demo = z.object({
  apiKey: z.string(),
  intakeKey: z.string(),
  hooks: z.object({ session: z.string(), event: z.string() }),
});

/** The stored demo project, with its secret keys. */
export type KeptDemo = Readonly<z.infer<typeof demo>>;

/** The file with the conversations of the fake Slack. */
export const SLACK_FILE = "slack.json";
const DEMO_FILE = "playground.json";
/** The file with only the API key, for calling the service. */
export const KEY_FILE = "demo.key";

/** Returns the stored demo project, or undefined if there is none. An unreadable file is renamed and reported. */
export async function readDemo(folder: string, report: (problem: string) => void): Promise<KeptDemo | undefined> {
  const file = join(folder, DEMO_FILE);
  try {
    return demo.parse(JSON.parse(await readFile(file, "utf8")));
  } catch (error) {
    const problem = await putAside(file, error);
    if (problem !== undefined) report(`${problem} The demo project gets new keys.`);
    return undefined;
  }
}

/** Stores the demo project, readable for this user only. */
export async function keepDemo(folder: string, kept: KeptDemo): Promise<void> {
  await writeWhole(join(folder, DEMO_FILE), `${JSON.stringify(kept, undefined, 2)}\n`);
  await writeWhole(join(folder, KEY_FILE), `${kept.apiKey}\n`);
}

const databaseFiles = ["media.db", "bot.db"].flatMap((name) =>
  ["", "-wal", "-shm", "-journal", ".key"].map((end) => name + end),
);
const ownFiles = [DEMO_FILE, KEY_FILE, SLACK_FILE].flatMap((name) => ["", ".new", ".broken"].map((end) => name + end));

/** Deletes the playground's own files in its folder. */
export async function deleteData(folder: string): Promise<void> {
  await Promise.all([...databaseFiles, ...ownFiles].map((name) => rm(join(folder, name), { force: true })));
}

// Changes within this time are saved together.
const SOON_MS = 1000;

/** Calls `save` soon after a change. Calls never overlap. */
export function createKeeper(save: () => Promise<void>, onError: (error: unknown) => void, soonMs = SOON_MS) {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  let saving = Promise.resolve();
  const saveNow = (): void => {
    timer = undefined;
    saving = saving.then(save).catch(onError);
  };
  return {
    changed(): void {
      if (!isStopped) timer ??= setTimeout(saveNow, soonMs);
    },
    async stop(): Promise<void> {
      isStopped = true;
      clearTimeout(timer);
      if (timer !== undefined) saveNow();
      await saving;
    },
  };
}
