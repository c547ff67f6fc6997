import { once } from "node:events";
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import * as z from "zod";
import { isListening } from "./ports.js";

const holderSchema = z.object({
  pid: z.int().positive(),
  /** The holder listens on this port, because its process id may have been reused. */
  port: z.int().min(1).max(65_535),
  url: z.string().optional(),
});

type Holder = z.infer<typeof holderSchema>;

class LockedError extends Error {
  override readonly name = "LockedError";
}

export const LOCK_FILE = "playground.lock";

const TRIES = 3;

/** Acquires exclusive use of a folder. Throws if another playground holds it, with its URL once known. */
export async function lock(folder: string) {
  const file = join(folder, LOCK_FILE);
  const server = createServer((socket) => socket.destroy()).unref();
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  // No other process uses this name.
  const draft = `${file}.${process.pid}.${port}`;
  const write = (holder: Holder): void => writeFileSync(draft, JSON.stringify(holder));
  write({ pid: process.pid, port });
  try {
    for (let nth = 1; !take(draft, file); nth++) {
      const holder = readHolder(file);
      if (nth > TRIES || (holder && (await isThere(holder)))) throw new LockedError(lockedBy(folder, holder));
      // Left behind by a process that was killed.
      rmSync(file, { force: true });
    }
  } catch (error) {
    server.close();
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return {
    runsAt(url: string): void {
      write({ pid: process.pid, port, url });
      renameSync(draft, file);
    },
    release(): void {
      server.close();
      if (readHolder(file)?.port === port) rmSync(file, { force: true });
    },
  };
}

/** Gives the draft another name, unless the file exists. A hard link is atomic, and never half-written. */
function take(draft: string, file: string): boolean {
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

function readHolder(file: string): Holder | undefined {
  try {
    return holderSchema.parse(JSON.parse(readFileSync(file, "utf8")));
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
