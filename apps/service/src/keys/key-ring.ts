import { timingSafeEqual } from "node:crypto";
import type { Kysely } from "kysely";
import type { Tables } from "../storage/tables.js";
import { type ApiKey, apiKeysSince } from "./api-keys.js";
import { type Credential, hashOf } from "./credential.js";

const READ_AT_ONCE = 500;
// A revoked key must be refused within 30 s; this leaves room for a slow database.
const REFRESH_MS = 5000;

/**
 * All API keys, in memory: a call is authorized without asking the database. What others make and revoke is read every
 * few seconds, and whenever a credential does not fit.
 */
export class KeyRing {
  readonly #query: Kysely<Tables>;
  readonly #keys = new Map<string, ApiKey>();
  readonly #byProject = new Map<string, Map<string, ApiKey>>();
  readonly #nobody: ApiKey;
  readonly #timer: NodeJS.Timeout;
  #version = 0;
  #reading: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  private constructor(query: Kysely<Tables>, onError: (error: unknown) => void) {
    this.#query = query;
    this.#nobody = { projectId: "", keyId: "", hash: Buffer.alloc(32), sealed: "", createdAt: "", revokedAt: "" };
    this.#timer = setInterval(() => this.refresh().catch(onError), REFRESH_MS).unref();
  }

  /** @param onError Told when the keys could not be read again; those that are known stay good. */
  static async open(query: Kysely<Tables>, onError: (error: unknown) => void): Promise<KeyRing> {
    const ring = new KeyRing(query, onError);
    try {
      await ring.refresh();
    } catch (error) {
      ring.close();
      throw error;
    }
    return ring;
  }

  /** The key that a credential belongs to, if it is good. */
  async authenticate(credential: Credential): Promise<ApiKey | undefined> {
    const known = this.identify(credential);
    if (known?.revokedAt === null) return known;
    // It may have been made a moment ago. An unknown key and a wrong one both come this way, and take the same time.
    await this.refresh();
    const found = this.identify(credential);
    return found?.revokedAt === null ? found : undefined;
  }

  /** The key that a credential belongs to, though it may have been revoked. */
  identify(credential: Credential): ApiKey | undefined {
    const known = this.#keys.get(credential.keyId);
    const isSame = timingSafeEqual(hashOf(credential), (known ?? this.#nobody).hash);
    return isSame ? known : undefined;
  }

  /** The keys of a project that are good now: those with which its tokens may be signed. */
  activeOf(projectId: string): ApiKey[] {
    return [...(this.#byProject.get(projectId)?.values() ?? [])].filter(({ revokedAt }) => revokedAt === null);
  }

  /** Reads what has changed up to now. Many who ask at once share one reading, which begins after they asked. */
  refresh(): Promise<void> {
    if (!this.#reading) {
      this.#reading = this.#read().finally(() => {
        this.#reading = undefined;
      });
      return this.#reading;
    }
    this.#next ??= this.#reading
      .catch(() => {})
      .then(() => {
        this.#next = undefined;
        return this.refresh();
      });
    return this.#next;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #read(): Promise<void> {
    for (;;) {
      const { keys, version } = await apiKeysSince(this.#query, this.#version, READ_AT_ONCE);
      for (const key of keys) this.#keep(key);
      this.#version = version;
      if (keys.length < READ_AT_ONCE) return;
    }
  }

  #keep(key: ApiKey): void {
    this.#keys.set(key.keyId, key);
    const ofProject = this.#byProject.get(key.projectId) ?? new Map<string, ApiKey>();
    this.#byProject.set(key.projectId, ofProject.set(key.keyId, key));
  }
}
