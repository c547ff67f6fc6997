import type { SigningKeys } from "@media-ops/contract";
import { redactKeys } from "@media-ops/secrets/redact";
import { jwksToTokenKeys, type TokenKey } from "@media-ops/tokens";
import { MediaError } from "../errors.js";
import { createHttp, type Shape } from "../http.js";
import type { Fetch } from "../options.js";

// A key that the service no longer publishes stops verifying after this time.
const KEYS_FOR_MS = 60_000;
// Forged tokens can name any key, and an outage lasts: neither may cost the service a call per token.
const FETCH_AGAIN_MS = 30_000;
const TIMEOUT_MS = 5_000;
// The contract allows 100 keys, of some 200 bytes each.
const MAX_RESPONSE_BYTES = 2 ** 20;
const noKeys: Shape<SigningKeys> = { keys: [] };

/** Where a project's keys are read. */
export interface KeySource {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly projectId: string;
  readonly fetch: Fetch | undefined;
  readonly now: () => number;
}

/** The public keys of a project, for a token that names a key. */
export type ReadKeys = (kid: string | undefined) => Promise<readonly TokenKey[]>;

/** Reads the keys of a project, and keeps them for a while. */
export function createKeyReader({ baseUrl, projectId, fetch, now }: KeySource): ReadKeys {
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
