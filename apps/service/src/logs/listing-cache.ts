import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";
import { LRUCache } from "lru-cache";
import type { ReadyAnswer } from "../http/send-answer.js";
import type { LogKind } from "./kinds.js";

// A few hundred full logs: those that are being looked at.
const MAX_BYTES = 32 * 1024 * 1024;

/** A log as it was read. */
interface ReadLog {
  /** Where the log stood before it was read: it may have grown since, and is then read once more for nothing. */
  readonly seq: number;
  /** The sort key of the oldest entry; null where there is none. */
  readonly oldest: string | null;
  readonly body: Buffer;
}

/** The logs last read. One is good as long as nothing was appended to it and nothing fell out of its window. */
export class ListingCache {
  readonly #logs = new LRUCache<string, CachedLog>({ maxSize: MAX_BYTES, sizeCalculation: (log) => log.size });

  get(projectId: string, kind: LogKind, seq: number, since: string): ReadyAnswer | undefined {
    const log = this.#logs.get(`${kind} ${projectId}`);
    if (log?.read.seq !== seq) return undefined;
    return log.read.oldest === null || log.read.oldest >= since ? log : undefined;
  }

  set(projectId: string, kind: LogKind, read: ReadLog): ReadyAnswer {
    const log = new CachedLog(read);
    this.#logs.set(`${kind} ${projectId}`, log);
    return log;
  }
}

class CachedLog implements ReadyAnswer {
  readonly read: ReadLog;
  #gzipped: Promise<Buffer> | undefined;

  constructor(read: ReadLog) {
    this.read = read;
  }

  get body(): Buffer {
    return this.read.body;
  }

  /** What it takes with its gzipped form, which is the smaller part. */
  get size(): number {
    return Math.ceil(this.body.length * 1.25);
  }

  gzipped(): Promise<Buffer> {
    // Entries are much alike: the fastest level makes them small, and a slower one not much smaller.
    this.#gzipped ??= promisify(gzip)(this.body, { level: constants.Z_BEST_SPEED });
    return this.#gzipped;
  }
}
