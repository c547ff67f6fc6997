import type { ApiLogEntry } from "../generated/media.js";
import type { ApiKey } from "../keys/api-keys.js";

/** A refused call with a known key. */
export interface RefusedCall {
  readonly key: ApiKey;
  /** Its entry, with the URL of the operation. */
  readonly entry: ApiLogEntry;
  /** The URL that was called, as the log may show it. */
  url(): string;
}

/** The refused calls of one key, operation and status in one minute, except the first. */
interface CallGroup {
  readonly projectId: string;
  readonly minute: number;
  count: number;
  last: ApiLogEntry | undefined;
}

const MINUTE_MS = 60_000;
// A key has a few dozen groups at most, of some 500 bytes each.
const MAX_GROUPS = 10_000;

/**
 * Limits what refused calls add to the API log, since no rate limit bounds them. For each key, operation and status, the
 * first call of a minute is written at once, and the others as one entry with their count when the minute is over.
 */
export class RefusedCalls {
  readonly #write: (projectId: string, entry: ApiLogEntry) => void;
  readonly #now: () => number;
  readonly #groups = new Map<string, CallGroup>();
  #timer: NodeJS.Timeout | undefined;

  /** @param options.write Receives each entry that is to be written. */
  constructor(options: { write(projectId: string, entry: ApiLogEntry): void; now(): number }) {
    this.#write = options.write;
    this.#now = options.now;
  }

  /** Records a call. */
  add({ key: { projectId, keyId }, entry, url }: RefusedCall): void {
    const now = this.#now();
    const minute = Math.floor(now / MINUTE_MS);
    const id = `${keyId} ${entry.status} ${entry.url}`;
    const group = this.#groups.get(id);
    if (group?.minute === minute) {
      group.count += 1;
      group.last = entry;
      return;
    }
    this.#end(id);
    this.#write(projectId, { ...entry, url: url() });
    const [oldest] = this.#groups.size < MAX_GROUPS ? [] : this.#groups.keys();
    if (oldest !== undefined) this.#end(oldest);
    this.#groups.set(id, { projectId, minute, count: 0, last: undefined });
    this.#timer ??= setTimeout(() => this.flush(), MINUTE_MS - (now % MINUTE_MS)).unref();
  }

  /** Writes all groups. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const id of this.#groups.keys()) this.#end(id);
  }

  #end(id: string): void {
    const group = this.#groups.get(id);
    this.#groups.delete(id);
    if (!group?.last) return;
    const { projectId, count, last } = group;
    this.#write(projectId, count > 1 ? { ...last, count } : last);
  }
}
