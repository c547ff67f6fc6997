import type { TokenRevocation as ListedRevocation, SigningKeys } from "@media-ops/contract";
import { redactKeys } from "@media-ops/secrets/redact";
import {
  jwksToTokenKeys,
  type RevocationList,
  readUnverifiedToken,
  splitChannelId,
  TokenInvalidError,
  type TokenKey,
  type TokenRevocation,
  toRevocationList,
  type VerifiedToken,
  verifyToken,
} from "@media-ops/tokens";
import { MediaError, MediaResponseError } from "../errors.js";
import { createHttp, type Shape } from "../http.js";
import type { TokensApi } from "../manage.js";
import { check, checkBaseUrl, type Fetch } from "../options.js";

// Re-exported so that callers can handle a refusal without a dependency of their own.
export { type TokenClaims, type TokenInvalidCode, TokenInvalidError } from "@media-ops/tokens";

// A key that the service no longer publishes stops verifying after this time.
const KEYS_FOR_MS = 60_000;
// Once keys are known, neither forged tokens, which can name any key, nor an outage cost the service a call per token.
const FETCH_AGAIN_MS = 30_000;
const TIMEOUT_MS = 5_000;
// The contract allows 100 keys, of some 200 bytes each.
const MAX_RESPONSE_BYTES = 2 ** 20;
const noKeys: Shape<SigningKeys> = { keys: [] };

/** The part of a client that reads revocations. */
export interface RevocationsClient {
  readonly tokens: Pick<TokensApi, "revocations">;
}

/** Options of {@link createTokenVerifier}. */
export interface TokenVerifierOptions {
  /** The service's URL, for example `https://media.example`. */
  baseUrl: string | URL;
  /** The project whose tokens are verified. */
  projectId: string;
  /**
   * Fetches the public keys. It must honour `init.signal`.
   * @default globalThis.fetch
   */
  fetch?: Fetch | undefined;
  /**
   * The clock, in milliseconds since 1970.
   * @default Date.now
   */
  now?: (() => number) | undefined;
  /**
   * The tolerated difference between this clock and the service's, in seconds.
   * @default 0
   */
  clockToleranceSeconds?: number | undefined;
  /**
   * A client of the same project, to refuse revoked tokens.
   * @default none: revoked tokens are good until they expire
   */
  client?: RevocationsClient | undefined;
  /**
   * How old the known revocations may be when a token is verified, in milliseconds.
   * @default 10_000
   */
  revocationsEveryMs?: number | undefined;
}

/** A token that was verified, with the revocations that it was checked against. */
export interface VerifiedAccessToken extends VerifiedToken {
  /**
   * For `decideAdmission` of `@media-ops/tokens`: a token for every channel may be revoked in one of them. Undefined
   * without a `client`.
   */
  revocations: RevocationList | undefined;
}

/** Verifies the access tokens of one project. */
export interface TokenVerifier {
  /**
   * Returns the claims of a good token. Throws a `TokenInvalidError` of `@media-ops/tokens` if the token is refused, and
   * a `MediaError` if its key or the revocations can't be read: then nothing is known about the token.
   */
  verify(token: string): Promise<VerifiedAccessToken>;
}

/**
 * Creates a verifier of tokens that are signed with EdDSA, by the public keys that the service publishes. They are read
 * again after a minute, and at most every 30 seconds for a key that is not known yet; if the service is down, known keys
 * stay good.
 *
 * @example
 * const verifier = createTokenVerifier({ baseUrl: "https://media.example", projectId: "demo", client });
 * const { claims } = await verifier.verify(token);
 */
export function createTokenVerifier(options: TokenVerifierOptions): TokenVerifier {
  const { baseUrl, projectId, now = Date.now, clockToleranceSeconds, client, revocationsEveryMs = 0 } = options;
  check(typeof projectId === "string" && projectId !== "", 'projectId must be the id of a project, such as "demo".');
  check(revocationsEveryMs >= 0, `revocationsEveryMs must be 0 or more, not ${revocationsEveryMs}.`);
  const readKeys = createKeyReader(checkBaseUrl(baseUrl), options);
  const readRevocations = client && createRevocationReader(client, options);

  return {
    async verify(token) {
      const { kid } = readUnverifiedToken(token);
      const [keys, revocations] = await Promise.all([readKeys(kid), readRevocations?.()]);
      const verified = await verifyToken(token, keys, { now: now(), clockToleranceSeconds, revocations });
      const { channel_id } = verified.claims;
      // A project signs with its own key whatever it likes: that must not open a channel of another project.
      if (channel_id !== undefined && splitChannelId(channel_id)?.projectId !== projectId) {
        throw new TokenInvalidError("malformed", `The token is for a channel of another project than ${projectId}.`);
      }
      return { ...verified, revocations };
    },
  };
}

/** Reads the keys of a project, and keeps them for a while. */
function createKeyReader(
  baseUrl: string,
  { projectId, fetch, now = Date.now }: TokenVerifierOptions,
): (kid: string | undefined) => Promise<readonly TokenKey[]> {
  // They are public, so that no API key is sent.
  const headers = { accept: "application/json" };
  const limits = { timeoutMs: TIMEOUT_MS, maxResponseBytes: MAX_RESPONSE_BYTES, maxRetries: 0 };
  const { raw, send } = createHttp({ baseUrl, fetch, headers, redact: redactKeys, ...limits });
  const params = { query: { project_id: projectId } };
  let keys: readonly TokenKey[] | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  let triedAt = Number.NEGATIVE_INFINITY;
  let failure: unknown;
  let fetching: Promise<void> | undefined;

  async function fetchAgain(): Promise<void> {
    triedAt = now();
    try {
      const { data } = await send((init) => raw.GET("/.well-known/jwks.json", { ...init, params }), noKeys);
      keys = await jwksToTokenKeys(data);
      readAt = triedAt;
      failure = undefined;
    } catch (error) {
      failure = error;
      // Known keys outlast an outage, but not a set that can't be trusted, such as one with a private key.
      if (!(error instanceof MediaError)) keys = undefined;
    }
  }

  return async (kid) => {
    const isKnown = () => kid === undefined || (keys?.some((key) => key.kid === kid) ?? false);
    // A clock that was set back must not keep keys for longer.
    const since = (at: number): number => Math.abs(now() - at);
    const isOutdated = !isKnown() || since(readAt) >= KEYS_FOR_MS;
    if (!keys || (isOutdated && (fetching || since(triedAt) >= FETCH_AGAIN_MS))) {
      fetching ??= fetchAgain().finally(() => {
        fetching = undefined;
      });
      await fetching;
    }
    // Without a look at the current keys, a token of an unknown one is neither good nor forged.
    if (!keys || (failure !== undefined && !isKnown())) throw failure;
    return keys;
  };
}

/** Reads the revocations, and keeps them for a while. A failure is thrown, and the next call tries again. */
function createRevocationReader(
  client: RevocationsClient,
  { projectId, now = Date.now, revocationsEveryMs = 10_000 }: TokenVerifierOptions,
): () => Promise<RevocationList> {
  let known: { readonly list: RevocationList; readonly askedAt: number } | undefined;
  let reading: Promise<RevocationList> | undefined;

  async function read(): Promise<RevocationList> {
    const askedAt = now();
    const revocations: TokenRevocation[] = [];
    for await (const revocation of client.tokens.revocations.all({ project_id: projectId })) {
      revocations.push(toRevocation(revocation));
    }
    const list = toRevocationList(revocations);
    known = { list, askedAt };
    return list;
  }

  return async () => {
    if (known && Math.abs(now() - known.askedAt) < revocationsEveryMs) return known.list;
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return reading;
  };
}

function toRevocation({ jwt_id, channel_id, issued_before }: ListedRevocation): TokenRevocation {
  if (jwt_id !== undefined) return { jwt_id };
  if (channel_id !== undefined && issued_before !== undefined) return { channel_id, issued_before };
  // One that is left out would let revoked tokens pass.
  throw new MediaResponseError("The service lists a revocation of neither a token nor a channel. Update this package.");
}
