import type { TokenRevocation as ListedRevocation } from "@media-ops/contract";
import {
  type RevocationList,
  readUnverifiedToken,
  splitChannelId,
  TokenInvalidError,
  type TokenRevocation,
  toRevocationList,
  type VerifiedToken,
  verifyToken,
} from "@media-ops/tokens";
import { MediaResponseError } from "../errors.js";
import type { TokensApi } from "../manage.js";
import { check, checkBaseUrl, type Fetch } from "../options.js";
import { createKeyReader } from "./keys.js";

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
export function createTokenVerifier({
  baseUrl,
  projectId,
  fetch,
  now = Date.now,
  clockToleranceSeconds,
  client,
  revocationsEveryMs = 10_000,
}: TokenVerifierOptions): TokenVerifier {
  check(typeof projectId === "string" && projectId !== "", 'projectId must be the id of a project, such as "demo".');
  check(revocationsEveryMs >= 0, `revocationsEveryMs must be 0 or more, not ${revocationsEveryMs}.`);
  const readKeys = createKeyReader({ baseUrl: checkBaseUrl(baseUrl), projectId, fetch, now });
  const readRevocations = client && createRevocationReader({ client, projectId, now, everyMs: revocationsEveryMs });

  return {
    async verify(token) {
      const { kid } = readUnverifiedToken(token);
      const [keys, revocations] = await Promise.all([readKeys(kid), readRevocations?.()]);
      const verified = await verifyToken(token, keys, { now: now(), clockToleranceSeconds, revocations });
      checkProject(verified, projectId);
      return { ...verified, revocations };
    },
  };
}

// A project signs with its own key whatever it likes: that must not open a channel of another project.
function checkProject({ claims: { channel_id } }: VerifiedToken, projectId: string): void {
  if (channel_id === undefined || splitChannelId(channel_id)?.projectId === projectId) return;
  throw new TokenInvalidError("malformed", `The token is for a channel of another project than ${projectId}.`);
}

interface RevocationSource {
  readonly client: RevocationsClient;
  readonly projectId: string;
  readonly now: () => number;
  readonly everyMs: number;
}

/** Reads the revocations, and keeps them for a while. A failure is thrown, and the next call tries again. */
function createRevocationReader({ client, projectId, now, everyMs }: RevocationSource): () => Promise<RevocationList> {
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
    if (known && Math.abs(now() - known.askedAt) < everyMs) return known.list;
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
