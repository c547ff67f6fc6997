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
      const { kid } = readUnverifiedToken(token);
      const keys = await Promise.all((await this.#keysFor(projectId, kid)).map((key) => this.#open(key)));
      const { claims } = await verifyToken(token, keys, { now: this.#now() });
      return { claims };
    } catch (error) {
      if (error instanceof TokenInvalidError) return { reason: error.message };
      throw error;
    }
  }

  /** The keys that may have signed it: the one that it names, or any of the project. */
  async #keysFor(projectId: string, kid: string | undefined): Promise<ApiKey[]> {
    const fitting = () => this.#ring.activeOf(projectId).filter(({ keyId }) => kid === undefined || keyId === kid);
    const found = fitting();
    if (found.length > 0) return found;
    // It may have been made a moment ago.
    await this.#ring.refresh();
    return fitting();
  }

  async #open({ keyId, sealed }: ApiKey): Promise<TokenKey> {
    const known = this.#tokenKeys.get(keyId);
    if (known) return known;
    const tokenKey = apiKeyToTokenKey(await this.#vault.open(sealed, purposeOf(keyId)));
    this.#tokenKeys.set(keyId, tokenKey);
    return tokenKey;
  }
}
