import type { Client } from "openapi-fetch";
import { type Followed, type FollowOptions, follow } from "./follow.js";
import type { AccessToken, CreateAccessTokenRequest, paths } from "./generated/media.js";
import {
  type ListLogsRequest,
  type LogEntryOf,
  type LogKind,
  logPath,
  type Optional,
  tokenPath,
} from "./operations.js";
import type { CallOptions, MediaClientOptions } from "./options.js";
import { createTransport, type MediaPromise } from "./transport.js";

/** Lists one kind of log: the last 30 days, newest first, at most 1000 entries. */
export type ListLogs<K extends LogKind> = (
  request?: Optional<ListLogsRequest>,
  options?: CallOptions,
) => MediaPromise<LogEntryOf<K>[]>;

/** The logs. Each has the last 30 days, newest first, at most 1000 entries. */
export interface LogsApi {
  /** Sessions that have ended. */
  sessions: ListLogs<"sessions">;
  /** Connections that have ended, with their transfer volumes in bytes. */
  connections: ListLogs<"connections">;
  /** Calls of the service's own operations. */
  api: ListLogs<"api">;
  /** Calls that were forwarded to the media server's API. */
  mediaApi: ListLogs<"media-api">;
  /** Webhook deliveries to the project's URLs, one entry per attempt. */
  webhooks: ListLogs<"webhooks">;
  /**
   * Lists a log by its name, for programs that choose the log at run time.
   *
   * @example await client.logs.list("media-api")
   */
  list<K extends LogKind>(
    kind: K,
    request?: Optional<ListLogsRequest>,
    options?: CallOptions,
  ): MediaPromise<LogEntryOf<K>[]>;
  /**
   * Polls a log and yields each new entry once, oldest first. Aborting `signal` ends the loop without an error. `gap:
   * true` means that more than 1000 entries arrived between two polls, so that some before this one may be missing. A
   * temporary failure of a poll is passed to `onError`; any other failure, and that of the first poll, is thrown.
   *
   * @example
   * for await (const { entry, gap } of client.logs.follow("webhooks", { signal })) {
   * if (gap) console.log("some entries are missing here");
   * console.log(entry.timestamp, entry.type, entry.status);
   * }
   */
  follow<K extends LogKind>(kind: K, options?: FollowOptions): AsyncGenerator<Followed<K>, void, undefined>;
}

/** Access tokens for the project that owns the API key. */
export interface TokensApi {
  /**
   * Creates an access token. Every field is optional; without any, the token is valid for every channel and role and
   * never expires. The service does not store it, so that the call can be retried safely.
   *
   * @example
   * const { access_token } = await client.tokens.create({
   * channel_id: "lobby@demo",
   * role: "recvonly",
   * expiration_time: expiresIn("10m"),
   * });
   */
  create(request?: Optional<CreateAccessTokenRequest>, options?: CallOptions): MediaPromise<AccessToken>;
}

/** A client of one project's logs and access tokens. */
export interface MediaClient {
  readonly logs: LogsApi;
  readonly tokens: TokensApi;
  /**
   * The underlying openapi-fetch client, with the same URL, key, headers and fetch, for requests that this client does
   * not offer. It neither retries nor times out, reads responses of any size, returns failing responses as `error`
   * instead of throwing, and has its own middleware.
   */
  readonly raw: Client<paths>;
}

/**
 * Creates a client for one project. URL and key default to the environment variables MEDIA_BASE_URL and MEDIA_API_KEY.
 *
 * @example
 * const client = createMediaClient({ baseUrl: "http://127.0.0.1:8080", apiKey });
 * const entries = await client.logs.webhooks();
 */
export function createMediaClient(options: MediaClientOptions = {}): MediaClient {
  const { raw, send } = createTransport(options);

  const list =
    <K extends LogKind>(kind: K): ListLogs<K> =>
    (request = {}, callOptions = {}) =>
      send(() => logPath(kind), isList<LogEntryOf<K>>, request, callOptions);

  return {
    logs: {
      sessions: list("sessions"),
      connections: list("connections"),
      api: list("api"),
      mediaApi: list("media-api"),
      webhooks: list("webhooks"),
      list: (kind, request, callOptions) => list(kind)(request, callOptions),
      follow(kind, followOptions = {}) {
        // Checked at once; the first poll only starts when the caller iterates.
        logPath(kind);
        return follow(list(kind), followOptions);
      },
    },
    tokens: {
      create: (request = {}, callOptions = {}) => send(() => tokenPath, isAccessToken, request, callOptions),
    },
    raw,
  };
}

function isList<E>(body: unknown): body is E[] {
  return Array.isArray(body);
}

function isAccessToken(body: unknown): body is AccessToken {
  return typeof (body as AccessToken | null)?.access_token === "string";
}
