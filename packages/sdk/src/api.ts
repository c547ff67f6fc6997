import type { AccessToken, CreateAccessTokenRequest, paths } from "@media-ops/contract";
import { redactKeys } from "@media-ops/secrets/redact";
import { MediaNotFoundError } from "./errors.js";
import {
  createHttp,
  type MediaResponse,
  type RawAnswer,
  type RawClient,
  type SendOptions,
  type Shape,
} from "./http.js";
import {
  type CallOptions,
  check,
  checkClientOptions,
  checkCount,
  checkRequest,
  defaultHeaders,
  type MediaClientOptions,
} from "./options.js";
import { timeKey } from "./time.js";

/** The path of an operation that is called with a body and the project's API key. */
export type ApiPath = Exclude<keyof paths, `/intake/${string}` | "/.well-known/jwks.json">;

/** The request of an operation, as the contract has it. */
export type RequestOf<P extends ApiPath> = NonNullable<paths[P]["post"]["requestBody"]>["content"]["application/json"];

/** The answer of an operation. */
export type AnswerOf<P extends ApiPath> = paths[P]["post"]["responses"][200]["content"]["application/json"];

/** A request whose fields may also be undefined. */
export type Optional<Request> = { [Field in keyof Request]: Request[Field] | undefined };

const timeFields = ["since", "until", "issued_before"] as const;

/** A request whose fields may also be undefined, and whose times may be a `Date`. */
export type Timed<Request> = {
  [Field in keyof Request]: Request[Field] | (Field extends (typeof timeFields)[number] ? Date : never) | undefined;
};

/** The most items of one response, by contract. */
export const MAX_ENTRIES = 1000;

/** For how long a client remembers what its service does not know. */
export const MEMORY_MS = 3_600_000;

/** A service and a key, by which operations are called: what every part of a client shares. */
export interface MediaConnection {
  /**
   * Every operation as an openapi-fetch client. It is what everything is sent through: with retries, timeouts and limits.
   * A failing response is returned as `error`, and middleware sees every call.
   *
   * @example const { data, error } = await client.raw.POST("/orgs/list-api-logs", { body: { limit: 10 } });
   */
  readonly raw: RawClient;
  /** The clock of the options. */
  now(): number;
  /**
   * Calls an operation, and throws the error of a failing response.
   *
   * @param shape The parts of the answer that must be there, by example.
   */
  post<P extends ApiPath>(
    path: P,
    request: Timed<RequestOf<P>>,
    shape: Shape<AnswerOf<P>>,
    options?: SendOptions,
  ): Promise<MediaResponse<AnswerOf<P>>>;
}

/**
 * Connects to a service, for `createToken` and `listLogs`. URL and key default to the environment variables
 * MEDIA_BASE_URL and MEDIA_API_KEY.
 */
export function connectMedia(options: MediaClientOptions = {}): MediaConnection {
  const { baseUrl, apiKey } = checkClientOptions(options);
  const headers = defaultHeaders(options, apiKey);
  // Of the client's own key, and of keys and tokens of any project.
  const redact = (text: string): string => redactKeys(text.replaceAll(apiKey, "[redacted]"));
  const { raw, send } = createHttp({ ...options, baseUrl, headers, redact });
  // The types of `post` check path, request and answer by the generated paths.
  const call: (path: ApiPath, init: Record<string, unknown>) => Promise<RawAnswer> = raw.POST;
  return {
    raw,
    now: options.now ?? Date.now,
    async post(path, body, shape, callOptions) {
      checkRequest(body);
      return send((init) => call(path, { ...init, body }), shape, callOptions);
    },
  };
}

/** Creates an access token, like `client.tokens.create`, in programs that are to be small. */
export function createToken(
  { post }: MediaConnection,
  request: Optional<CreateAccessTokenRequest> = {},
  options?: CallOptions,
): MediaPromise<AccessToken> {
  return toMediaPromise(post("/projects/create-access-token", request, { access_token: "" }, options));
}

interface Missing {
  error: MediaNotFoundError;
  until: number;
}

const missingOf = new WeakMap<MediaConnection, Map<ApiPath, Missing>>();

/**
 * Calls an operation that not every service has, after its request was validated. A missing one is a
 * `MediaNotFoundError`, for an hour without being asked again.
 */
export async function postIfKnown<P extends ApiPath>(
  connection: MediaConnection,
  path: P,
  request: Timed<RequestOf<P>>,
  shape: Shape<AnswerOf<P>>,
  options?: SendOptions,
): Promise<MediaResponse<AnswerOf<P>>> {
  const { post, now } = connection;
  const missing = missingOf.get(connection) ?? new Map<ApiPath, Missing>();
  missingOf.set(connection, missing);
  const known = missing.get(path);
  if (known && now() < known.until) throw known.error;
  try {
    return await post<P>(path, withTimes(request), shape, options);
  } catch (error) {
    if (error instanceof MediaNotFoundError) missing.set(path, { error, until: now() + MEMORY_MS });
    throw error;
  }
}

/** A request with its times as text. JavaScript programs may pass anything. */
export function withTimes<Request extends object>(request: Request): Request {
  checkRequest(request);
  const members = new Map<string, unknown>(Object.entries(request));
  if (members.get("limit") !== undefined) checkCount("limit", members.get("limit"), [1, MAX_ENTRIES]);
  const times = timeFields.flatMap((field) => {
    const time = members.get(field);
    if (time === undefined) return [];
    const key = timeKey(time);
    check(key, `${field} must be an RFC 3339 time or a Date, not "${time}".`);
    return [[field, `${key}Z`]];
  });
  return { ...request, ...Object.fromEntries(times) };
}

/** A promise of the data that also gives access to status, headers and request id. */
export interface MediaPromise<T, R extends MediaResponse<T> = MediaResponse<T>> extends Promise<T> {
  /** @example const { data, requestId } = await client.logs.api().withResponse(); */
  withResponse(): Promise<R>;
}

/** Gives access to a whole response, or to its data alone. */
export function toMediaPromise<T, R extends MediaResponse<T>>(
  answer: Promise<R & MediaResponse<T>>,
): MediaPromise<T, R> {
  const data = answer.then((response) => response.data);
  return Object.assign(data, {
    withResponse() {
      // The caller handles a failure of the whole response; the promise of the data must not report it again.
      data.catch(() => {});
      return answer;
    },
  });
}
