import type { ListLiveChannelsRequest, LiveChannels, LogCounts, LogEntryOf, LogKind } from "@media-ops/contract";
import {
  connectMedia,
  type MediaConnection,
  type MediaPromise,
  type Optional,
  postIfKnown,
  toMediaPromise,
} from "./api.js";
import { type Followed, type FollowOptions, follow } from "./follow.js";
import {
  type AuditApi,
  createManagement,
  type DeliveriesApi,
  type Disconnect,
  type EndpointsApi,
  type TokensApi,
} from "./manage.js";
import type { CallOptions, MediaClientOptions } from "./options.js";
import {
  type CountLogsRequest,
  countLogs,
  type ListLogsRequest,
  type LogPage,
  type LogWalk,
  listLogs,
  type SearchOptions,
  walkLogs,
} from "./search.js";

/** Lists one kind of log: what matches in the last 30 days, newest first, a page of at most 1000 entries. */
export interface ListLogs<K extends LogKind> {
  /**
   * Lists a page. `.withResponse()` also says how far the search got, and has the cursor of the next page.
   *
   * @example await client.logs.webhooks({ since: "2026-04-01T09:00:00Z", where: { failed: true }, limit: 50 })
   */
  (request?: ListLogsRequest<K>, options?: SearchOptions): MediaPromise<LogEntryOf<K>[], LogPage<K>>;
  /**
   * Walks all pages, each of at most `limit` entries: every match once, also while entries arrive. An abort is thrown,
   * so that it can't be taken for the end.
   *
   * @example for await (const entry of client.logs.webhooks.all({ where: { failed: true } })) console.log(entry.url);
   */
  all(request?: ListLogsRequest<K>, options?: SearchOptions): LogWalk<K>;
}

/** The logs. Each has the last 30 days. */
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
  /** What happened to sessions, connections and refused clients, each with its outcome and reason. */
  events: ListLogs<"events">;
  /**
   * Lists a log by its name, for programs that choose the log at run time.
   *
   * @example await client.logs.list("media-api")
   */
  list<K extends LogKind>(
    kind: K,
    request?: ListLogsRequest<K>,
    options?: SearchOptions,
  ): MediaPromise<LogEntryOf<K>[], LogPage<K>>;
  /**
   * Walks all pages of a log by its name.
   *
   * @example for await (const { data, searchedTo } of client.logs.all("api").pages()) console.log(data, searchedTo);
   */
  all<K extends LogKind>(kind: K, request?: ListLogsRequest<K>, options?: SearchOptions): LogWalk<K>;
  /**
   * Counts the entries of a log, by time and by field. A service without this operation is a `MediaNotFoundError`, for
   * an hour without being asked again.
   *
   * @example await client.logs.count("webhooks", { where: { failed: true }, by: ["url"] })
   */
  count<K extends LogKind>(kind: K, request?: CountLogsRequest<K>, options?: CallOptions): MediaPromise<LogCounts>;
  /**
   * Yields each new entry of a log once, in the order in which they are written; the service holds each call until there
   * is one. Aborting `signal` ends the loop without an error. A temporary failure is passed to `onError`; any other
   * failure, and that of the first call, is thrown. A service without cursors is polled: then `gap: true` means that
   * more than 1000 entries arrived between two calls, so that some before this one may be missing.
   *
   * @example
   * for await (const { entry, cursor } of client.logs.follow("webhooks", { where: { failed: true }, cursor: saved })) {
   * console.log(entry.timestamp, entry.type, entry.status);
   * saved = cursor;
   * }
   */
  follow<K extends LogKind>(kind: K, options?: FollowOptions<K>): AsyncGenerator<Followed<K>, void, undefined>;
}

/** A client of one project's logs, access tokens and webhooks. */
export interface MediaClient extends MediaConnection {
  readonly logs: LogsApi;
  /**
   * Lists the channels that have connections now, or the connections of one channel. A service without this operation
   * is a `MediaNotFoundError`.
   *
   * @example await client.live({ channel_id: "lobby@demo" })
   */
  live(request?: Optional<ListLiveChannelsRequest>, options?: CallOptions): MediaPromise<LiveChannels>;
  readonly tokens: TokensApi;
  readonly deliveries: DeliveriesApi;
  readonly endpoints: EndpointsApi;
  /**
   * Ends a connection, or all connections of a channel, through the media server's API. It is not retried by default: a
   * channel may have other clients by then. Clients may connect again while their tokens are good.
   *
   * @example await client.disconnect({ channel_id: "lobby@demo" })
   */
  readonly disconnect: Disconnect;
  readonly audit: AuditApi;
}

/**
 * Creates a client for one project. URL and key default to the environment variables MEDIA_BASE_URL and MEDIA_API_KEY.
 *
 * @example
 * const client = createMediaClient({ baseUrl: "http://127.0.0.1:8080", apiKey });
 * const entries = await client.logs.webhooks();
 */
export function createMediaClient(options: MediaClientOptions = {}): MediaClient {
  const connection = connectMedia(options);
  const list = <K extends LogKind>(kind: K): ListLogs<K> =>
    Object.assign(
      (request?: ListLogsRequest<K>, callOptions?: SearchOptions) => logs.list(kind, request, callOptions),
      { all: (request?: ListLogsRequest<K>, callOptions?: SearchOptions) => logs.all(kind, request, callOptions) },
    );

  const logs: LogsApi = {
    sessions: list("sessions"),
    connections: list("connections"),
    api: list("api"),
    mediaApi: list("media-api"),
    webhooks: list("webhooks"),
    events: list("events"),
    list: (kind, request, callOptions) => listLogs(connection, kind, request, callOptions),
    all: (kind, request, callOptions) => walkLogs(connection, kind, request, callOptions),
    count: (kind, request = {}, callOptions) => toMediaPromise(countLogs(connection, kind, request, callOptions)),
    follow: (kind, followOptions = {}) => follow(connection, kind, followOptions),
  };
  return {
    logs,
    live(request = {}, callOptions) {
      const shape = { channels: [{ channel_id: "", "clients?": [{ connection_id: "" }] }] };
      return toMediaPromise(postIfKnown(connection, "/orgs/list-live-channels", request, shape, callOptions));
    },
    ...createManagement(connection),
    ...connection,
  };
}
