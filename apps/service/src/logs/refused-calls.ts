import type { ApiLogEntry } from "../generated/media.js";
import type { ApiKey } from "../keys/api-keys.js";

/** A refused call of a known key. */
export interface RefusedCall {
  readonly key: ApiKey;
  /** Its entry, with the address of the operation. */
  readonly entry: ApiLogEntry;
  /** The address as it was called, as the log may show it. */
  url(): string;
}

/** Options of {@link RefusedCalls}. */
export interface RefusedCallsOptions {
  /** Receives each entry that is to be written. */
  write(projectId: string, entry: ApiLogEntry): void;
  now(): number;
}

/** The refused calls of one key, operation and status in one minute, without the first. */
interface Group {
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
  readonly #options: RefusedCallsOptions;
  readonly #groups = new Map<string, Group>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: RefusedCallsOptions) {
    this.#options = options;
  }

  /** Records a call. */
  add({ key: { projectId, keyId }, entry, url }: RefusedCall): void {
    const now = this.#options.now();
    const minute = Math.floor(now / MINUTE_MS);
    const id = `${keyId} ${entry.status} ${entry.url}`;
    const group = this.#groups.get(id);
    if (group?.minute === minute) {
      group.count += 1;
      group.last = entry;
      return;
    }
    this.#end(id);
    this.#options.write(projectId, { ...entry, url: url() });
    const [oldest] = this.#groups.size < MAX_GROUPS ? [] : this.#groups.keys();
    if (oldest !== undefined) this.#end(oldest);
    this.#groups.set(id, { projectId, minute, count: 0, last: undefined });
    this.#timer ??= setTimeout(() => this.flush(), MINUTE_MS - (now % MINUTE_MS)).unref();
  }

  /** Writes all that is gathered. */
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
    this.#options.write(projectId, count > 1 ? { ...last, count } : last);
  }
}
