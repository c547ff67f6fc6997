import { once } from "node:events";
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import * as z from "zod";
import { isListening } from "./ports.js";

const holderSchema = z.object({
  pid: z.int().positive(),
  /** The holder listens on it: the process id alone may have been given to another process. */
  port: z.int().min(1).max(65_535),
  /** The address of the playground, once it is known. */
  url: z.string().optional(),
});

type Holder = z.infer<typeof holderSchema>;

/** Exclusive use of a folder. */
export interface Lock {
  /** Stores the address of the playground in the lock. */
  runsAt(url: string): void;
  release(): void;
}

/** Another process uses the folder. */
class LockedError extends Error {
  override readonly name = "LockedError";
}

export const LOCK_FILE = "playground.lock";

const TRIES = 3;

/** @throws {LockedError} which names the address of the other playground. */
export async function lock(folder: string): Promise<Lock> {
  const file = join(folder, LOCK_FILE);
  const server = createServer((socket) => socket.destroy()).unref();
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const own: Holder = { pid: process.pid, port };
  try {
    for (let nth = 1; !take(file, own); nth++) {
      const holder = readHolder(file);
      if (nth > TRIES || (holder && (await isThere(holder)))) throw new LockedError(lockedBy(folder, holder));
      // Left behind by a process that was killed.
      rmSync(file, { force: true });
    }
  } catch (error) {
    server.close();
    throw error;
  }
  return {
    runsAt: (url) => renameSync(draftOf(file, { ...own, url }), file),
    release() {
      server.close();
      if (readHolder(file)?.port === port) rmSync(file, { force: true });
    },
  };
}

/** Creates the file with its content, unless it exists: hard links are atomic. */
function take(file: string, own: Holder): boolean {
  const draft = draftOf(file, own);
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Writes the content beside the file, where no other process writes. */
function draftOf(file: string, holder: Holder): string {
  const draft = `${file}.${holder.pid}.${holder.port}`;
  writeFileSync(draft, JSON.stringify(holder));
  return draft;
}

function readHolder(file: string): Holder | undefined {
  try {
    return holderSchema.safeParse(JSON.parse(readFileSync(file, "utf8"))).data;
  } catch {
    return undefined;
  }
}

async function isThere({ pid, port }: Holder): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // The process of another user can't be signalled.
    if (!(error instanceof Error && "code" in error && error.code === "EPERM")) return false;
  }
  return isListening("127.0.0.1", port);
}

function lockedBy(folder: string, holder: Holder | undefined): string {
  const address = holder?.url === undefined ? "It is still starting." : `It is at ${holder.url}`;
  const process = holder ? ` (process ${holder.pid})` : "";
  return `The playground is already running with the data in ${folder}${process}. ${address}`;
}
