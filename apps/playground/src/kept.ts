import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import * as z from "zod";
import { SLACK_FILE } from "./pretended-slack.js";

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

const databases = ["media.db", "bot.db"];
const databaseFiles = databases.flatMap((name) => ["", "-wal", "-shm", "-journal", ".key"].map((end) => name + end));
const ownFiles = [DEMO_FILE, KEY_FILE, SLACK_FILE].flatMap((name) => ["", ".new", ".broken"].map((end) => name + end));

/** Deletes what the playground has made in its folder, and nothing else. */
export async function beginAnew(folder: string): Promise<void> {
  await Promise.all([...databaseFiles, ...ownFiles].map((name) => rm(join(folder, name), { force: true })));
}

// A burst of changes is one write.
const SOON_MS = 1000;

/** Keeps something soon after it has changed. */
export interface Keeper {
  changed(): void;
  /** Keeps what has not been kept yet, and is done. */
  stop(): Promise<void>;
}

/** @param keep is never under way twice at a time. */
export function createKeeper(keep: () => Promise<void>, onError: (error: unknown) => void, soonMs = SOON_MS): Keeper {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  let writing: Promise<void> = Promise.resolve();

  function write(): void {
    timer = undefined;
    writing = writing.then(keep).catch(onError);
  }

  return {
    changed() {
      if (!isStopped) timer ??= setTimeout(write, soonMs);
    },
    async stop() {
      isStopped = true;
      if (timer !== undefined) {
        clearTimeout(timer);
        write();
      }
      await writing;
    },
  };
}
