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


/** What the API log needs. */
export interface ApiLogOptions {
  keys: KeyRing;
  writer: EntryWriter;
  /** The address of the service, without a slash at its end. Never what a caller calls it. */
  baseUrl(): string;
  /** Counts calls with a revoked key, by the key's id. */
  revokedKeyCalls: Counter<"key_id">;
  now(): number;
}

// An operation is called by few names; looking for secrets in them each time would take longer than writing the entry.
const MAX_KNOWN_URLS = 200;

/** The projects' API logs. */
export class ApiLog {
  readonly #options: ApiLogOptions;
  readonly #shownAs = new LRUCache<string, string>({ max: MAX_KNOWN_URLS, memoMethod: shownUrl });
  readonly #refused: RefusedCalls;

  constructor(options: ApiLogOptions) {
    this.#options = options;
    this.#refused = new RefusedCalls({ write: (projectId, entry) => this.#write(projectId, entry), now: options.now });
  }

  /**
   * Records a call of an operation once it has been answered: every call that the rate limit let in by itself, refused
   * ones in groups, and those of revoked keys in the metrics alone.
   */
  record(answered: Answered): void | Promise<void> {
    if (!operationPaths.has(answered.path)) return;
    const caller = answered.caller ?? callerOf(answered.request);
    if (caller) return this.#write(caller.key.projectId, this.#entryOf(answered, this.#urlOf(answered.url)));
    return keyOfRefused(answered, this.#options.keys).then((key) => key && this.#recordRefused(key, answered));
  }

  /** Writes what is still gathered. */
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
    return this.#shownAs.memo(this.#options.baseUrl() + url);
  }

  #entryOf({ status, elapsedMs }: Answered, url: string): ApiLogEntry {
    const elapsed = Math.round(elapsedMs);
    return {
      timestamp: new Date(this.#options.now() - elapsed).toISOString(),
      url,
      status,
      elapsed_time_ms: elapsed,
    };
  }

  #write(projectId: string, entry: ApiLogEntry): void {
    this.#options.writer.record({ projectId, kind: "api", timestamp: entry.timestamp, text: JSON.stringify(entry) });
  }
}

/** The key of a call that was refused before its key was looked at, or for it; undefined if the key is wrong. */
async function keyOfRefused({ request, status }: Answered, keys: KeyRing): Promise<ApiKey | undefined> {
  const credential = credentialOf(request.headers.authorization, "mo");
  if (!credential) return undefined;
  // After a 401 the keys have just been read.
  if (status !== 401 && !keys.identify(credential)) await keys.refreshSoon();
  return keys.identify(credential);
}
