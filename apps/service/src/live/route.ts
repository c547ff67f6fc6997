import type { ApiCaller } from "../http/api-gate.js";
import { operationRoute } from "../http/operations.js";
import { type Action, type Gate, gzipBody, readyAnswer } from "../http/route.js";
import { checkOwnChannel, checkOwnProject } from "../refusal.js";
import type { LiveListings } from "./live-seats.js";

interface LiveRouteOptions {
  readonly live: LiveListings;
  readonly gate: Gate<ApiCaller>;
  /** Throws if the database must not be read. */
  checkDatabase(): void;
}

// What people see at once.
const LIMIT = 100;

/** The operation that lists who is connected now. */
export function liveRoute({ live, gate, checkDatabase }: LiveRouteOptions): Action<ApiCaller> {
  return operationRoute("listLiveChannels", gate, async ({ body, key, request }) => {
    const { projectId } = key;
    const { project_id, channel_id: channelId, limit = LIMIT } = body;
    checkOwnProject(project_id, projectId);
    if (channelId !== undefined) checkOwnChannel(channelId, projectId);
    checkDatabase();
    const text = Buffer.from(JSON.stringify(await live.list({ projectId, channelId, limit })));
    return readyAnswer({ body: text, gzipped: () => gzipBody(text) }, request.headers["accept-encoding"]);
  });
}
