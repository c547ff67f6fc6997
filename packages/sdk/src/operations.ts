import { MediaUsageError } from "./errors.js";
import type {
  paths as ExtensionPaths,
  CountLogsRequest as GeneratedCountLogsRequest,
  ListEventLogsRequest,
} from "./generated/extensions.js";
import type {
  ListApiLogsRequest,
  ListConnectionLogsRequest,
  ListMediaApiLogsRequest,
  ListSessionLogsRequest,
  ListWebhookLogsRequest,
  paths,
} from "./generated/media.js";

/** The public keys of a project, the only operation without a key: see `@media-ops/sdk/tokens`. */
export const keysPath = "/.well-known/jwks.json" satisfies keyof ExtensionPaths;

/** The path of an operation of the client. */
export type OperationPath = Exclude<keyof paths | keyof ExtensionPaths, typeof keysPath> | typeof mediaApiPath;

/** A request whose fields may also be undefined. */
export type Optional<Request> = { [Field in keyof Request]: Request[Field] | undefined };

/** The fields of requests that are times. */
export const timeFields = ["since", "until", "issued_before"] as const;

/** A request whose fields may also be undefined, and whose times may be a `Date`. */
export type Timed<Request> = {
  [Field in keyof Request]: Request[Field] | (Field extends (typeof timeFields)[number] ? Date : never) | undefined;
};

/** The path of each kind of log. The names of the kinds are the same in Slack and in the terminal. */
export const logPaths = {
  sessions: "/orgs/list-session-logs",
  connections: "/orgs/list-connection-logs",
  api: "/orgs/list-api-logs",
  "media-api": "/orgs/list-media-api-logs",
  webhooks: "/orgs/list-webhook-logs",
  events: "/orgs/list-event-logs",
} as const satisfies Record<string, OperationPath>;

export const countPath = "/orgs/count-logs" satisfies OperationPath;
export const livePath = "/orgs/list-live-channels" satisfies OperationPath;
export const tokenPath = "/projects/create-access-token" satisfies OperationPath;

/** The path at which the service passes on calls to the media server's API. */
export const mediaApiPath = "/media-api";

/** The paths of the operations that manage what a project has. */
export const managePaths = {
  listTokens: "/projects/list-access-tokens",
  revokeToken: "/projects/revoke-access-token",
  checkToken: "/projects/check-access-token",
  listRevocations: "/projects/list-access-token-revocations",
  listDeliveries: "/projects/list-deliveries",
  resendDeliveries: "/projects/resend-deliveries",
  listEndpoints: "/projects/list-webhook-endpoints",
  enableEndpoint: "/projects/enable-webhook-endpoint",
  listAudit: "/projects/list-audit-log",
} as const satisfies Record<string, OperationPath>;

/** The operations that not every such service has. */
export const extensionPaths: ReadonlySet<string> = new Set<OperationPath>([
  logPaths.events,
  countPath,
  livePath,
  ...Object.values(managePaths),
]);

/** The name of a kind of log. */
export type LogKind = keyof typeof logPaths;

/** The path of a kind of log; JavaScript programs may pass an unknown one. */
export function logPath(kind: LogKind): OperationPath {
  if (Object.hasOwn(logPaths, kind)) return logPaths[kind];
  throw new MediaUsageError(`Unknown kind of log "${kind}". Use one of: ${Object.keys(logPaths).join(", ")}.`);
}

/** An entry of a kind of log. */
export type LogEntryOf<K extends LogKind> = (paths &
  ExtensionPaths)[(typeof logPaths)[K]]["post"]["responses"][200]["content"]["application/json"][number];

/** What the contract allows in the request of each listing. */
interface Listings {
  sessions: ListSessionLogsRequest;
  connections: ListConnectionLogsRequest;
  api: ListApiLogsRequest;
  "media-api": ListMediaApiLogsRequest;
  webhooks: ListWebhookLogsRequest;
  events: ListEventLogsRequest;
}

/** A range of time. Each end is an RFC 3339 text, with any number of digits, or a `Date`. */
interface Range {
  /** Entries with this `timestamp` or a later one; default: the last 30 days. */
  since?: string | Date | undefined;
  /** Entries with an earlier `timestamp` than this; default: all until now. */
  until?: string | Date | undefined;
}

/** Conditions on the entries of a kind of log, which must all hold: `{ failed: true, url: { contains: "hooks" } }`. */
export type LogWhere<K extends LogKind = LogKind> = NonNullable<Listings[K]["where"]>;

/** What to list of a kind of log. All members are optional; without any, the newest 1000 entries. */
export interface ListLogsRequest<K extends LogKind = LogKind>
  extends Range,
    Optional<Omit<ListSessionLogsRequest, keyof Range | "where" | "wait_s">> {
  /** Conditions on the entries, which must all hold. */
  where?: LogWhere<K> | undefined;
}

/** The fields of a kind of log by which its entries can be counted. */
type CountField<K extends LogKind> = K extends LogKind
  ? Extract<NonNullable<GeneratedCountLogsRequest["by"]>[number], keyof LogWhere<K>>
  : never;

/** Which entries of a kind of log to count, and how to group them. All members are optional. */
export interface CountLogsRequest<K extends LogKind = LogKind>
  extends Range,
    Optional<Omit<GeneratedCountLogsRequest, keyof Range | "kind" | "where" | "by">> {
  /** Conditions on the entries, as in the log's listing. */
  where?: LogWhere<K> | undefined;
  /** Counts each combination of the values of these fields, one or two. */
  by?: CountField<K>[] | undefined;
}

/** The maximum number of entries in one response, by contract. */
export const MAX_ENTRIES = 1000;

/** Whether a response is full, so that older entries of the last 30 days may be missing. */
export function isCapped(entries: readonly unknown[]): boolean {
  return entries.length >= MAX_ENTRIES;
}
