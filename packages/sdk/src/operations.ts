import { MediaUsageError } from "./errors.js";
import type { ListSessionLogsRequest, paths } from "./generated/media.js";

/** The members that every listing has in common. */
export type ListLogsRequest = Pick<ListSessionLogsRequest, "project_id">;

/** The path of an operation. */
export type OperationPath = keyof paths;

/** A request whose fields may also be undefined. */
export type Optional<Request> = { [Field in keyof Request]: Request[Field] | undefined };

/** The path of each kind of log. The names of the kinds are the same in Slack and in the terminal. */
export const logPaths = {
  sessions: "/orgs/list-session-logs",
  connections: "/orgs/list-connection-logs",
  api: "/orgs/list-api-logs",
  "media-api": "/orgs/list-media-api-logs",
  webhooks: "/orgs/list-webhook-logs",
} as const satisfies Record<string, OperationPath>;

export const tokenPath = "/projects/create-access-token" satisfies OperationPath;

/** The name of a kind of log. */
export type LogKind = keyof typeof logPaths;

/** The path of a kind of log; JavaScript programs may pass an unknown one. */
export function logPath(kind: LogKind): OperationPath {
  if (Object.hasOwn(logPaths, kind)) return logPaths[kind];
  throw new MediaUsageError(`Unknown kind of log "${kind}". Use one of: ${Object.keys(logPaths).join(", ")}.`);
}

/** An entry of a kind of log. */
export type LogEntryOf<K extends LogKind> =
  paths[(typeof logPaths)[K]]["post"]["responses"][200]["content"]["application/json"][number];

/** The maximum number of entries in one response, by contract. */
export const MAX_ENTRIES = 1000;

/** Whether a response is full, so that older entries of the last 30 days may be missing. */
export function isCapped(entries: readonly unknown[]): boolean {
  return entries.length >= MAX_ENTRIES;
}
