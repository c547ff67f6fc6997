import { setTimeout } from "node:timers/promises";
import type { Handlers, LogOperationId } from "../http/operations.js";
import { Refusal } from "../refusal.js";
import type { Listings, LogKind } from "./log-store.js";
import type { EntryWriter } from "./log-writer.js";

type List = Handlers["listSessionLogs"];

// A caller that lists a log of calls or webhooks right after one expects to see it, but not to wait for a slow database.
const MAX_WAIT_MS = 100;

/** The operations that list the logs. */
export function logHandlers(listings: Listings, writer: EntryWriter): Pick<Handlers, LogOperationId> {
  const list =
    (kind: LogKind): List =>
    async ({ body, key }) => {
      if (body.project_id === undefined || body.project_id === key.projectId) return listings.list(key.projectId, kind);
      const detail = "This API key belongs to another project. Leave project_id out, or use that project's key.";
      throw new Refusal("forbidden", detail);
    };
  const listLatest =
    (kind: LogKind): List =>
    async (call) => {
      await Promise.race([writer.settled(kind), setTimeout(MAX_WAIT_MS, undefined, { ref: false })]);
      return list(kind)(call);
    };
  return {
    listSessionLogs: list("sessions"),
    listConnectionLogs: list("connections"),
    listApiLogs: listLatest("api"),
    listMediaApiLogs: listLatest("media-api"),
    listWebhookLogs: listLatest("webhooks"),
  };
}
