import type { IncomingMessage } from "node:http";
import { setTimeout } from "node:timers/promises";
import type { ApiCaller } from "../http/api-gate.js";
import { operationRoute } from "../http/operations.js";
import { type Action, type Gate, gzipBody, readyAnswer } from "../http/route.js";
import { Refusal } from "../refusal.js";
import type { Searches } from "../search/log-search.js";
import { isSearch } from "../search/question.js";
import { isLogKind, type Listings, logKinds } from "./log-store.js";
import type { EntryWriter } from "./log-writer.js";

// A caller that lists a log of calls or webhooks right after one expects to see it, but not to wait for a slow
// database.
const MAX_WAIT_MS = 100;

interface LogRoutesOptions {
  readonly listings: Listings;
  readonly searches: Searches;
  readonly writer: EntryWriter;
  readonly gate: Gate<ApiCaller>;
  /** Throws if the database must not be read. */
  checkDatabase(): void;
}

/** The operations that list the logs. */
export function logRoutes({ listings, searches, writer, gate, checkDatabase }: LogRoutesOptions): Action<ApiCaller>[] {
  return Object.keys(logKinds)
    .filter(isLogKind)
    .map((kind) => {
      const { operation, isWrittenLater } = logKinds[kind];
      return operationRoute(operation, gate, async ({ body, key, request }) => {
        if (body.project_id !== undefined && body.project_id !== key.projectId) {
          const detail = "This API key belongs to another project. Leave project_id out, or use that project's key.";
          throw new Refusal("forbidden", detail);
        }
        checkDatabase();
        if (isWrittenLater) {
          await Promise.race([writer.settled(kind), setTimeout(MAX_WAIT_MS, undefined, { ref: false })]);
        }
        const accepted = request.headers["accept-encoding"];
        if (!isSearch(body)) return readyAnswer(await listings.list(key.projectId, kind), accepted);
        const { entries, headers } = await whileConnected(request, (signal) =>
          searches.search({ ...key, signal }, kind, body),
        );
        const text = Buffer.from(`[${entries.join(",")}]`);
        const answer = await readyAnswer({ body: text, gzipped: () => gzipBody(text) }, accepted);
        return { ...answer, headers: { ...answer.headers, ...headers } };
      });
    });
}

/** Runs work with a signal that is aborted if the caller leaves. */
async function whileConnected<Result>(
  { socket }: IncomingMessage,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const caller = new AbortController();
  const onClose = (): void => caller.abort();
  socket.once("close", onClose);
  try {
    return await work(caller.signal);
  } finally {
    socket.off("close", onClose);
  }
}
