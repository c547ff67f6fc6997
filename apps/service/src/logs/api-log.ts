import { LRUCache } from "lru-cache";
import type { Counter } from "prom-client";
import type { ApiLogEntry } from "../generated/media.js";
import type { Answered } from "../http/create-app.js";
import { callerOf, operationPaths } from "../http/operations.js";
import { shownUrl } from "../http/shown-url.js";
import type { ApiKey } from "../keys/api-keys.js";
import { credentialOf } from "../keys/credential.js";
import type { KeyRing } from "../keys/key-ring.js";
import type { EntryWriter } from "./log-writer.js";

/** Options of {@link ApiLog}. */
export interface ApiLogOptions {
  keys: KeyRing;
  writer: EntryWriter;
  /** The service's own URL, without a slash at its end, whatever Host header a caller sends. */
  baseUrl(): string;
  /** Counts calls with a revoked key, by the key's id. */
  revokedKeyCalls: Counter<"key_id">;
  now(): number;
}

// An operation has few URLs; searching one for secrets takes longer than writing the entry.
const MAX_KNOWN_URLS = 200;

/** The projects' API logs. */
export class ApiLog {
  readonly #options: ApiLogOptions;
  readonly #shownUrls = new LRUCache<string, string>({ max: MAX_KNOWN_URLS, memoMethod: shownUrl });
  readonly #refused: RefusedCalls;

  constructor(options: ApiLogOptions) {
    this.#options = options;
    this.#refused = new RefusedCalls({ write: (projectId, entry) => this.#write(projectId, entry), now: options.now });
  }

  /**
   * Records a call of an operation once it has been answered. Calls that the rate limit allows get an entry each, refused
   * calls are grouped, and those with a revoked key are only counted in the metrics.
   */
  record(answered: Answered): void | Promise<void> {
    if (!operationPaths.has(answered.path)) return;
    const caller = answered.caller ?? callerOf(answered.request);
    if (caller) return this.#write(caller.key.projectId, this.#entryOf(answered, this.#urlOf(answered.url)));
    return keyOfRefused(answered, this.#options.keys).then((key) => key && this.#recordRefused(key, answered));
  }

  /** Writes the groups of refused calls. */
  close(): void {
    this.#refused.flush();
  }

  #recordRefused(key: ApiKey, answered: Answered): void {
    if (key.revokedAt === null) {
      const entry = this.#entryOf(answered, this.#urlOf(answered.path));
      this.#refused.add({ key, entry, url: () => this.#urlOf(answered.url) });
    } else {
      this.#options.revokedKeyCalls.labels(key.keyId).inc();
    }
  }

  #urlOf(url: string): string {
    return this.#shownUrls.memo(this.#options.baseUrl() + url);
  }

  #entryOf({ status, elapsedMs }: Answered, url: string): ApiLogEntry {
    const elapsed = Math.round(elapsedMs);
    const timestamp = new Date(this.#options.now() - elapsed).toISOString();
    return { timestamp, url, status, elapsed_time_ms: elapsed };
  }

  #write(projectId: string, entry: ApiLogEntry): void {
    this.#options.writer.record({ projectId, kind: "api", timestamp: entry.timestamp, text: JSON.stringify(entry) });
  }
}

/** The key of a call that was refused before its key was checked, or because of it; undefined if the key is wrong. */
async function keyOfRefused({ request, status }: Answered, keys: KeyRing): Promise<ApiKey | undefined> {
  const credential = credentialOf(request.headers.authorization, "mo");
  if (!credential) return undefined;
  // After a 401 the keys have just been read.
  if (status !== 401 && !keys.identify(credential)) await keys.refreshSoon();
  return keys.identify(credential);
}

/** A refused call with a known key. */
interface RefusedCall {
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
class RefusedCalls {
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
