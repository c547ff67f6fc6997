import type { ApiLogEntry } from "@media-ops/contract";
import { LRUCache } from "lru-cache";
import type { Counter } from "prom-client";
import type { ApiCaller } from "../http/api-gate.js";
import type { AnsweredCall } from "../http/listener.js";
import type { ApiKey, KeyRing } from "../keys/api-keys.js";
import { credentialOf } from "../keys/credential.js";
import { shownUrl } from "../log.js";
import type { EntryWriter } from "./log-writer.js";
import { RefusedCalls } from "./refused-calls.js";

type Answered = AnsweredCall<ApiCaller>;

interface ApiLogOptions {
  readonly keys: KeyRing;
  readonly writer: EntryWriter;
  /** The URL of the service, without a slash at its end. Not the Host header, which a caller can choose freely. */
  readonly baseUrl: string;
  readonly revokedKeyCalls: Counter<"key_id">;
  now(): number;
}

// Operations are called by few URLs; removing secrets from each of them every time would take longer than writing the
// entry.
const MAX_KNOWN_URLS = 200;

/** The projects' API logs. */
export class ApiLog {
  readonly #options: ApiLogOptions;
  readonly #shownAs = new LRUCache<string, string>({ max: MAX_KNOWN_URLS, memoMethod: shownUrl });
  readonly #refused: RefusedCalls<ApiLogEntry>;

  constructor(options: ApiLogOptions) {
    this.#options = options;
    this.#refused = new RefusedCalls((projectId, entry) => this.#write(projectId, entry), options.now);
  }

  /** Records a call: an admitted one by itself, refused ones in groups; one with a revoked key is only counted. */
  async record(answered: Answered): Promise<void> {
    const { action, caller, call } = answered;
    if (action === undefined) return;
    if (caller) {
      this.#write(caller.key.projectId, this.#entryOf(answered, call.url));
      return;
    }
    const key = await keyOfRefused(answered, this.#options.keys);
    if (key?.revokedAt === null) {
      const entry = this.#entryOf(answered, action);
      const first = () => this.#entryOf(answered, call.url);
      this.#refused.add(key, { kind: `${entry.status} ${entry.url}` }, entry, first);
    } else if (key) this.#options.revokedKeyCalls.labels(key.keyId).inc();
  }

  /** Writes the entries of incomplete groups. */
  close(): void {
    this.#refused.flush();
  }

  #entryOf({ status, elapsedMs }: Answered, url: string): ApiLogEntry {
    const elapsed = Math.round(elapsedMs);
    return {
      timestamp: new Date(this.#options.now() - elapsed).toISOString(),
      url: this.#shownAs.memo(this.#options.baseUrl + url),
      status,
      elapsed_time_ms: elapsed,
    };
  }

  #write(projectId: string, entry: ApiLogEntry): void {
    this.#options.writer.record({ projectId, kind: "api", timestamp: entry.timestamp, text: JSON.stringify(entry) });
  }
}

async function keyOfRefused({ call, status }: Answered, keys: KeyRing): Promise<ApiKey | undefined> {
  const credential = credentialOf(call.request.headers.authorization, "mo");
  if (!credential) return undefined;
  // After a 401, the keys have just been read.
  if (status !== 401 && !keys.identify(credential)) await keys.refreshSoon();
  return keys.identify(credential);
}
