import { timingSafeEqual } from "node:crypto";
import type { Kysely } from "kysely";
import { Follower } from "../storage/follower.js";
import type { Tables } from "../storage/tables.js";
import { type ApiKey, apiKeysSince } from "./api-keys.js";
import { type Credential, hashOf } from "./credential.js";

// A revoked key must be refused within 30 s; this leaves time for a slow database.
const REFRESH_MS = 5000;
// However many calls have unknown keys, these cause at most 20 reads a second.
const REFRESH_AGAIN_MS = 50;

/** Compared with unknown keys, so that these take as long as known ones. */
const NO_HASH = Buffer.alloc(32);

/**
 * All API keys, in memory: a call is authorized without reading the database. Changes by other processes are read every
 * few seconds, and whenever a key is unknown.
 */
export class KeyRing {
  readonly #keys: ReadonlyMap<string, ApiKey>;
  readonly #byProject: ReadonlyMap<string, ReadonlyMap<string, ApiKey>>;
  readonly #follower: Follower<ApiKey>;

  private constructor(
    keys: ReadonlyMap<string, ApiKey>,
    byProject: ReadonlyMap<string, ReadonlyMap<string, ApiKey>>,
    follower: Follower<ApiKey>,
  ) {
    this.#keys = keys;
    this.#byProject = byProject;
    this.#follower = follower;
  }

  /** @param onChange Called with an error when the keys cannot be read again, and without when they can. */
  static async open(query: Kysely<Tables>, onChange: (error: unknown) => void): Promise<KeyRing> {
    const keys = new Map<string, ApiKey>();
    const byProject = new Map<string, Map<string, ApiKey>>();
    const follower = await Follower.start<ApiKey>({
      read: (version, limit) => apiKeysSince(query, version, limit),
      keep(key) {
        keys.set(key.keyId, key);
        const ofProject = byProject.get(key.projectId) ?? new Map<string, ApiKey>();
        byProject.set(key.projectId, ofProject.set(key.keyId, key));
      },
      everyMs: REFRESH_MS,
      onChange,
    });
    return new KeyRing(keys, byProject, follower);
  }

  /** The active key of a credential; undefined if there is none. */
  async authenticate(credential: Credential): Promise<ApiKey | undefined> {
    const known = this.identify(credential);
    if (known?.revokedAt === null) return known;
    // It may be new. Unknown and wrong keys both take this path, and the same time.
    await this.refreshSoon();
    const found = this.identify(credential);
    return found?.revokedAt === null ? found : undefined;
  }

  /** The known key of a credential, even if it has been revoked. */
  identify(credential: Credential): ApiKey | undefined {
    const known = this.#keys.get(credential.keyId);
    return timingSafeEqual(hashOf(credential), known?.hash ?? NO_HASH) ? known : undefined;
  }

  /** Whether a key that was found before is still active, as far as is known. */
  isGood(key: ApiKey): boolean {
    return key.revokedAt === null && this.#keys.get(key.keyId) === key;
  }

  /** The active keys of a project: its tokens may be signed with any of them. */
  activeOf(projectId: string): ApiKey[] {
    return [...(this.#byProject.get(projectId)?.values() ?? [])].filter(({ revokedAt }) => revokedAt === null);
  }

  /** Reads the changes up to now. */
  refresh(): Promise<void> {
    return this.#follower.refresh();
  }

  /** The same, but callers within some milliseconds share one read. */
  refreshSoon(): Promise<void> {
    return this.#follower.refreshSoon(REFRESH_AGAIN_MS);
  }

  close(): void {
    this.#follower.close();
  }
}
