import type { SigningKeys } from "@media-ops/contract";
import { redactKeys } from "@media-ops/secrets/redact";
import { jwksToTokenKeys, type TokenKey } from "@media-ops/tokens";
import { fieldsOf, type MediaResponse, readApiError, readData, rootCause } from "../answer.js";
import { MediaConnectionError, MediaError, MediaTimeoutError } from "../errors.js";
import { keysPath } from "../operations.js";
import type { Fetch } from "../options.js";
import { startDeadline } from "../retry.js";

// A key that the service no longer publishes stops verifying after this time.
const KEYS_FOR_MS = 60_000;
// Forged tokens can name any key, and an outage lasts: neither may cost the service a call per token.
const FETCH_AGAIN_MS = 30_000;
const TIMEOUT_MS = 5_000;
// The contract allows 100 keys, of some 200 bytes each.
const MAX_RESPONSE_BYTES = 2 ** 20;

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
export function createKeyReader(source: KeySource): ReadKeys {
  const { now } = source;
  let keys: readonly TokenKey[] | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  let triedAt = Number.NEGATIVE_INFINITY;
  let failure: unknown;
  let fetching: Promise<void> | undefined;

  async function fetchAgain(): Promise<void> {
    triedAt = now();
    try {
      keys = await jwksToTokenKeys((await fetchKeys(source)).data);
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

/** Fetches the published keys once. They are public, so that no API key is sent. */
async function fetchKeys({ baseUrl, projectId, fetch: send = fetch }: KeySource): Promise<MediaResponse<SigningKeys>> {
  const url = `${baseUrl}${keysPath}?project_id=${encodeURIComponent(projectId)}`;
  const what = redactKeys(`GET ${url}`);
  const deadline = startDeadline(TIMEOUT_MS, undefined);
  try {
    const response = await send(url, { headers: { accept: "application/json" }, signal: deadline.signal });
    const requestId = redactKeys(response.headers.get("x-request-id") ?? "") || undefined;
    const answered = `${what} answered ${response.status}${requestId ? ` (request id ${requestId})` : ""}`;
    const context = { what: answered, requestId, maxResponseBytes: MAX_RESPONSE_BYTES, redact: redactKeys };
    if (!response.ok) throw await readApiError(response, context);
    return await readData(response, isSigningKeys, context);
  } catch (error) {
    if (error instanceof MediaError) throw error;
    if (deadline.signal.aborted) throw new MediaTimeoutError(`${what} took longer than ${TIMEOUT_MS} ms.`);
    const cause = rootCause(error, redactKeys);
    throw new MediaConnectionError(`${what} failed. Is the service running there? ${cause.message}`, { cause });
  } finally {
    deadline.clear();
  }
}

function isSigningKeys(body: unknown): body is SigningKeys {
  return Array.isArray(fieldsOf(body).keys);
}
