import type { Vault } from "@media-ops/secrets";
import {
  apiKeyToTokenKey,
  type RevocationList,
  readKeyId,
  readUnverifiedToken,
  type TokenClaims,
  TokenInvalidError,
  type TokenKey,
  verifyToken,
} from "@media-ops/tokens";
import { LRUCache } from "lru-cache";
import type { RefusedFacts } from "../admission/refused-clients.js";
import { type ApiKey, type KeyRing, purposeOf } from "../keys/api-keys.js";
import type { Revocations } from "./revocations.js";
import type { SigningKeys } from "./signing-keys.js";

interface TokenCheckerOptions {
  readonly keys: KeyRing;
  readonly signingKeys: SigningKeys;
  readonly revocations: Pick<Revocations, "among">;
  readonly vault: Pick<Vault, "open">;
  now(): number;
}

/** The ids of a token and of its key, as the token has them. They may be forged. */
export type TokenNames = Pick<RefusedFacts, "jwt_id" | "key_id">;

/** A token whose signature and times are good. It may be revoked: that depends on the channel, too. */
interface GoodToken {
  readonly isValid: true;
  readonly claims: TokenClaims;
  readonly names: TokenNames;
  /** The revocations of the project that can end it, as of a moment ago. */
  readonly revocations: RevocationList;
}

/** A token that is not valid: the sentence, and the facts for the event log. */
interface InvalidToken {
  readonly isValid: false;
  readonly message: string;
  readonly facts: RefusedFacts;
  /** Undefined unless the signature is right. */
  readonly claims: TokenClaims | undefined;
}

// Enough for the keys in use; decrypting one again takes a fraction of a millisecond.
const MAX_KEYS = 10_000;

/** Verifies the tokens of projects. */
export class TokenChecker {
  readonly #options: TokenCheckerOptions;
  readonly #apiTokenKeys: LRUCache<string, TokenKey, ApiKey>;

  constructor(options: TokenCheckerOptions) {
    this.#options = options;
    this.#apiTokenKeys = new LRUCache({
      // With `max`, it would reserve the memory for all of them at once.
      maxSize: MAX_KEYS,
      sizeCalculation: () => 1,
      fetchMethod: async (keyId, _, { context }) =>
        apiKeyToTokenKey(await options.vault.open(context.sealed, purposeOf(keyId))),
    });
  }

  /** Verifies a token of a project; `channelId` is the channel that a client wants to enter, if it is known. */
  async check(projectId: string, token: string, channelId?: string): Promise<GoodToken | InvalidToken> {
    const verified = await this.#verify(projectId, token);
    if (verified instanceof TokenInvalidError) {
      const names = namesIn(token);
      const facts = { ...this.#factsOf(verified, projectId, token, names), ...names };
      const claims = isSigned(verified) ? readUnverifiedToken(token).claims : undefined;
      return { isValid: false, message: verified.message, facts, claims };
    }
    const { claims, kid } = verified;
    const revocations = await this.#options.revocations.among(projectId, [claims, { channel_id: channelId }]);
    return { isValid: true, claims, names: toNames(claims, kid), revocations };
  }

  /** The revocation of a token that was verified before, as of a moment ago; undefined if there is none. */
  async findRevocation(projectId: string, token: string, channelId: string) {
    // Most projects have none, and the token is not read.
    function* asked() {
      yield readUnverifiedToken(token).claims;
      yield { channel_id: channelId };
    }
    const revocations = await this.#options.revocations.among(projectId, asked());
    if (revocations.isEmpty) return undefined;
    const { claims } = readUnverifiedToken(token);
    const revocation = revocations.find(claims, channelId);
    return revocation && { claims, names: namesIn(token), revocation };
  }

  /** The project of the key that has signed a token; undefined unless the token is good. */
  async signerOf(token: string): Promise<{ projectId: string; names: TokenNames } | undefined> {
    const { keys, signingKeys } = this.#options;
    const names = namesIn(token);
    const keyId = names.key_id;
    if (keyId === undefined) return undefined;
    const find = () => keys.find(keyId) ?? signingKeys.find(keyId);
    if (!find()) await Promise.all([keys.refreshSoon(), signingKeys.refreshSoon()]);
    const key = find();
    if (!key || (await this.#verify(key.projectId, token)) instanceof TokenInvalidError) return undefined;
    return { projectId: key.projectId, names };
  }

  /** The claims of a token with a valid signature and valid times, or the reason why it is invalid. */
  async #verify(projectId: string, token: string) {
    try {
      const kid = readKeyId(token);
      const keys = await this.#keysFor(projectId, kid);
      const { claims } = await verifyToken(token, keys, { now: this.#options.now() });
      return { claims, kid };
    } catch (error) {
      if (error instanceof TokenInvalidError) return error;
      throw error;
    }
  }

  /** The keys that may have signed the token: the one that it names, or any of the project. */
  async #keysFor(projectId: string, kid: string | undefined): Promise<TokenKey[]> {
    const { keys, signingKeys } = this.#options;
    const isNamed = ({ keyId }: { keyId: string }): boolean => kid === undefined || keyId === kid;
    const candidates = (): Promise<TokenKey>[] => [
      ...keys
        .validOf(projectId)
        .filter(isNamed)
        .map((key) => this.#apiTokenKeys.forceFetch(key.keyId, { context: key })),
      ...signingKeys
        .validOf(projectId)
        .filter(isNamed)
        .map((key) => signingKeys.verifying(key)),
    ];
    const found = candidates();
    if (found.length > 0) return Promise.all(found);
    // The key may be newer than the cached keys.
    await Promise.all([keys.refresh(), signingKeys.refresh()]);
    return Promise.all(candidates());
  }

  #factsOf(error: TokenInvalidError, projectId: string, token: string, { key_id }: TokenNames): RefusedFacts {
    const { code } = error;
    if (code === "unknown-key" && key_id !== undefined) {
      const { keys, signingKeys } = this.#options;
      const key = keys.find(key_id) ?? signingKeys.find(key_id);
      if (key?.projectId === projectId && key.revokedAt !== null) {
        return { reason: "revoked-key", detail: `at ${key.revokedAt}` };
      }
    }
    const { exp, nbf, iat } = isSigned(error) ? readUnverifiedToken(token).claims : {};
    if (code === "expired" && exp !== undefined) return { reason: code, detail: `at ${timeOf(exp)}` };
    if (code === "not-yet-valid") return { reason: code, detail: `from ${timeOf(Math.max(nbf ?? 0, iat ?? 0))}` };
    return { reason: code };
  }
}

/** Whether the signature was right, so that the claims can be believed. */
const isSigned = ({ code }: TokenInvalidError): boolean => code === "expired" || code === "not-yet-valid";

// The contract's limit.
const MAX_NAME = 255;

function namesIn(token: string): TokenNames {
  try {
    const { kid, claims } = readUnverifiedToken(token);
    return toNames(claims, kid);
  } catch {
    return {};
  }
}

const toNames = ({ jti }: TokenClaims, kid: string | undefined): TokenNames => ({
  ...(jti !== undefined && { jwt_id: jti.slice(0, MAX_NAME) }),
  ...(kid !== undefined && { key_id: kid.slice(0, MAX_NAME) }),
});

/** A time of a token as text; far beyond what a date can have, its seconds. */
function timeOf(seconds: number): string {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? String(seconds) : date.toISOString().replace(".000Z", "Z");
}
