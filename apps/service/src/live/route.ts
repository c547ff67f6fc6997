import type { ListLiveChannelsRequest } from "@media-ops/contract";
import type { ApiCaller } from "../http/api-gate.js";
import { operationRoute } from "../http/operations.js";
import { type Action, type Gate, whileConnected } from "../http/route.js";
import type { Reads } from "../reads/reads.js";
import { badInput, checkOwnChannel, checkOwnProject } from "../refusal.js";

interface LiveRouteOptions {
  readonly reads: Reads;
  readonly gate: Gate<ApiCaller>;
  checkDatabase(): void;
}

// What people see at once.
const LIMIT = 100;

function channelIn({ channel_id, channel }: ListLiveChannelsRequest, projectId: string): string | undefined {
  if (channel === undefined) {
    if (channel_id !== undefined) checkOwnChannel(channel_id, projectId);
    return channel_id;
  }
  if (channel_id === undefined) return `${channel}@${projectId}`;
  throw badInput([{ pointer: "/channel", detail: "Is not allowed together with channel_id. Leave one of them out." }]);
}

/** The operation that lists who is connected now. */
export function liveRoute({ reads, gate, checkDatabase }: LiveRouteOptions): Action<ApiCaller> {
  return operationRoute("listLiveChannels", gate, async ({ body, key, request }) => {
    const { projectId } = key;
    const { project_id, limit = LIMIT } = body;
    checkOwnProject(project_id, projectId);
    const channelId = channelIn(body, projectId);
    checkDatabase();
    const asked = { channelId, limit, accepts: request.headers["accept-encoding"] };
    return whileConnected(request, (signal) => reads.live({ ...key, signal }, asked));
  });
}
