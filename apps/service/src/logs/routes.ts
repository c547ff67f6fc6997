import type { IncomingMessage } from "node:http";
import { setTimeout } from "node:timers/promises";
import type { ApiCaller } from "../http/api-gate.js";
import { operationRoute } from "../http/operations.js";
import { type Action, type Gate, gzipBody, readyAnswer } from "../http/route.js";
import { checkOwnProject } from "../refusal.js";
import { validateCount } from "../search/count-request.js";
import type { Searches } from "../search/log-search.js";
import { isLogKind, type Listings, type LogKind, logKinds } from "./log-store.js";
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

/** The operations that list the logs, and the one that counts their entries. */
export function logRoutes(options: LogRoutesOptions): Action<ApiCaller>[] {
  const { listings, searches, gate } = options;
  const lists = Object.keys(logKinds)
    .filter(isLogKind)
    .map((kind) =>
      operationRoute(logKinds[kind].operation, gate, async ({ body, key, request }) => {
        await prepare(options, { kind, ...body }, key);
        const accepted = request.headers["accept-encoding"];
        const isSearch = Object.keys(body).some((name) => name !== "project_id");
        if (!isSearch) return readyAnswer(await listings.list(key.projectId, kind), accepted);
        const { entries, headers, isHeld } = await whileConnected(request, (signal) =>
          searches.search({ ...key, signal }, kind, body),
        );
        const text = Buffer.from(`[${entries.join(",")}]`);
        const answer = await readyAnswer({ body: text, gzipped: () => gzipBody(text) }, accepted);
        return { ...answer, headers: { ...answer.headers, ...headers }, isHeld };
      }),
    );
  const count = operationRoute(
    "countLogs",
    gate,
    async ({ body, key, request }) => {
      await prepare(options, body, key);
      const counts = await whileConnected(request, (signal) => searches.count({ ...key, signal }, body));
      const text = Buffer.from(JSON.stringify(counts));
      return readyAnswer({ body: text, gzipped: () => gzipBody(text) }, request.headers["accept-encoding"]);
    },
    validateCount,
  );
  return [...lists, count];
}

/** Refuses another project's log, and waits for the entries that were recorded before. */
async function prepare(
  { writer, checkDatabase }: LogRoutesOptions,
  { kind, project_id }: { kind: LogKind; project_id?: string },
  { projectId }: ApiCaller["key"],
): Promise<void> {
  checkOwnProject(project_id, projectId);
  checkDatabase();
  if (logKinds[kind].isWrittenLater) {
    await Promise.race([writer.settled(kind), setTimeout(MAX_WAIT_MS, undefined, { ref: false })]);
  }
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
