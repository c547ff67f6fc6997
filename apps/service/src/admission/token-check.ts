import type { Vault } from "@media-ops/secrets";
import { apiKeyToTokenKey, type TokenClaims, TokenInvalidError, type TokenKey, verifyToken } from "@media-ops/tokens";
import { LRUCache } from "lru-cache";
import { type ApiKey, purposeOf } from "../keys/api-keys.js";
import type { KeyRing } from "../keys/key-ring.js";

/** What a token says, or why it is not taken. The reason holds nothing secret. */
export type Checked = { readonly claims: TokenClaims } | { readonly reason: string };

// Those that are being used now; opening one again costs a fraction of a millisecond.
const MAX_KEYS = 10_000;

/** Checks access tokens by their project's keys. */
export class TokenCheck {
  readonly #ring: KeyRing;
  readonly #vault: Vault;
  readonly #now: () => number;
  readonly #tokenKeys = new LRUCache<string, TokenKey>({ max: MAX_KEYS });

  constructor({ keys, vault, now }: { keys: KeyRing; vault: Vault; now: () => number }) {
    this.#ring = keys;
    this.#vault = vault;
    this.#now = now;
  }

  async check(projectId: string, token: string): Promise<Checked> {
    try {
      return { claims: await this.#claimsOf(projectId, token) };
    } catch (error) {
      if (error instanceof TokenInvalidError) return { reason: error.message };
      throw error;
    }
  }

  async #claimsOf(projectId: string, token: string): Promise<TokenClaims> {
    try {
      return await this.#verify(projectId, token);
    } catch (error) {
      if (!(error instanceof TokenInvalidError) || error.code !== "unknown-key") throw error;
      // Its key may have been made a moment ago.
      await this.#ring.refresh();
      return this.#verify(projectId, token);
    }
  }

  /** Which of the project's keys it must be, the token itself says, or it may be any. */
  async #verify(projectId: string, token: string): Promise<TokenClaims> {
    const keys = await Promise.all(this.#ring.activeOf(projectId).map((key) => this.#open(key)));
    const { claims } = await verifyToken(token, keys, { now: this.#now() });
    return claims;
  }

  async #open({ keyId, sealed }: ApiKey): Promise<TokenKey> {
    const known = this.#tokenKeys.get(keyId);
    if (known) return known;
    const tokenKey = apiKeyToTokenKey(await this.#vault.open(sealed, purposeOf(keyId)));
    this.#tokenKeys.set(keyId, tokenKey);
    return tokenKey;
  }
}
