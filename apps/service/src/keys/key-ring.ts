import { timingSafeEqual } from "node:crypto";
import type { Kysely } from "kysely";
import { Follower } from "../storage/follower.js";
import type { Tables } from "../storage/tables.js";
import { type ApiKey, apiKeysSince } from "./api-keys.js";
import { type Credential, hashOf } from "./credential.js";

// A revoked key must be refused within 30 s; this leaves room for a slow database.
const REFRESH_MS = 5000;
// However many calls with unknown keys there are, the keys are read at most 20 times a second for them.
const REFRESH_AGAIN_MS = 50;

/**
 * All API keys, in memory: a call is authorized without asking the database. What others make and revoke is read every
 * few seconds, and whenever a credential does not fit.
 */
export class KeyRing {
  readonly #keys = new Map<string, ApiKey>();
  readonly #byProject = new Map<string, Map<string, ApiKey>>();
  readonly #nobody: ApiKey = {
    projectId: "",
    keyId: "",
    hash: Buffer.alloc(32),
    sealed: "",
    createdAt: "",
    revokedAt: "",
  };
  #follower: Follower<ApiKey> | undefined;

  private constructor() {}

  /** @param onChange Told when the keys can no more be read again, and when they can (without an error). */
  static async open(query: Kysely<Tables>, onChange: (error: unknown) => void): Promise<KeyRing> {
    const ring = new KeyRing();
    ring.#follower = await Follower.start<ApiKey>({
      read: (version, limit) => apiKeysSince(query, version, limit),
      keep: (key) => ring.#keep(key),
      everyMs: REFRESH_MS,
      onChange,
    });
    return ring;
  }

  /** The key that a credential belongs to, if it is good. */
  async authenticate(credential: Credential): Promise<ApiKey | undefined> {
    const known = this.identify(credential);
    if (known?.revokedAt === null) return known;
    // It may have been made a moment ago. An unknown key and a wrong one both come this way, and take the same time.
    await this.refreshSoon();
    const found = this.identify(credential);
    return found?.revokedAt === null ? found : undefined;
  }

  /** The key that a credential belongs to, though it may have been revoked. */
  identify(credential: Credential): ApiKey | undefined {
    const known = this.#keys.get(credential.keyId);
    const isSame = timingSafeEqual(hashOf(credential), (known ?? this.#nobody).hash);
    return isSame ? known : undefined;
  }

  /** Whether a key that was found before is still good, as far as is known. */
  isGood(key: ApiKey): boolean {
    return key.revokedAt === null && this.#keys.get(key.keyId) === key;
  }

  /** The keys of a project that are good now: those with which its tokens may be signed. */
  activeOf(projectId: string): ApiKey[] {
    return [...(this.#byProject.get(projectId)?.values() ?? [])].filter(({ revokedAt }) => revokedAt === null);
  }

  /** Reads what has changed up to now. */
  async refresh(): Promise<void> {
    await this.#follower?.refresh();
  }

  /** The same, but shared by all who ask within some milliseconds. */
  async refreshSoon(): Promise<void> {
    await this.#follower?.refreshSoon(REFRESH_AGAIN_MS);
  }

  close(): void {
    this.#follower?.close();
  }

  #keep(key: ApiKey): void {
    this.#keys.set(key.keyId, key);
    const ofProject = this.#byProject.get(key.projectId) ?? new Map<string, ApiKey>();
    this.#byProject.set(key.projectId, ofProject.set(key.keyId, key));
  }
}
