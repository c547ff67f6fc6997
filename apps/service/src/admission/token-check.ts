import type { Vault } from "@media-ops/secrets";
import {
  apiKeyToTokenKey,
  readUnverifiedToken,
  type TokenClaims,
  TokenInvalidError,
  type TokenKey,
  verifyToken,
} from "@media-ops/tokens";
import { LRUCache } from "lru-cache";
import { type ApiKey, purposeOf } from "../keys/api-keys.js";
import type { KeyRing } from "../keys/key-ring.js";

/** The claims of a valid token, or why it is not valid. The reason contains nothing secret. */
export type CheckedToken = { readonly claims: TokenClaims } | { readonly reason: string };

// Enough for the keys in use; decrypting one again takes a fraction of a millisecond.
const MAX_KEYS = 10_000;

/** Verifies access tokens with the API keys of their project. */
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

  /** Verifies a token for a project. */
  async check(projectId: string, token: string): Promise<CheckedToken> {
    try {
      const { kid } = readUnverifiedToken(token);
      const keys = await Promise.all((await this.#keysFor(projectId, kid)).map((key) => this.#open(key)));
      const { claims } = await verifyToken(token, keys, { now: this.#now() });
      return { claims };
    } catch (error) {
      if (error instanceof TokenInvalidError) return { reason: error.message };
      throw error;
    }
  }

  /** The keys that may have signed the token: the one that it names, or any of the project. */
  async #keysFor(projectId: string, kid: string | undefined): Promise<ApiKey[]> {
    const candidates = () => this.#ring.activeOf(projectId).filter(({ keyId }) => kid === undefined || keyId === kid);
    const found = candidates();
    if (found.length > 0) return found;
    // The key may have been created a moment ago.
    await this.#ring.refresh();
    return candidates();
  }

  async #open({ keyId, sealed }: ApiKey): Promise<TokenKey> {
    const known = this.#tokenKeys.get(keyId);
    if (known) return known;
    const tokenKey = apiKeyToTokenKey(await this.#vault.open(sealed, purposeOf(keyId)));
    this.#tokenKeys.set(keyId, tokenKey);
    return tokenKey;
  }
}
