import type { Action } from "../features.js";
import type { CommandNamed } from "../language.js";
import type { Request } from "../request.js";
import type { Draft } from "../slack/draft.js";
import { orProblem, showIn } from "../slack/show-in.js";
import { connectForm, TITLE } from "./connect-modal.js";
import { mayConnectHere, notAllowed } from "./may-connect.js";

/** `/media connect`: asks for everything in a window, so that no key is typed into a conversation. */
export async function connect(_command: CommandNamed<"connect">, request: Request): Promise<Draft | undefined> {
  await openConnect(request);
  return undefined;
}

/** The same by a button. */
export const connectAction: Action = {
  isUrgent: true,
  run: (request, { value }) => openConnect(request, value === "" ? undefined : value),
};

/** @param project The one that is to be connected anew. */
async function openConnect(request: Request, project?: string): Promise<void> {
  const { connections, teamId } = request;
  // Slack allows 3 s for a window to open, and to learn who somebody is may take longer.
  const viewId = await request.openWindow(TITLE);
  const modal = await orProblem(TITLE, request, async () => {
    if (!(await mayConnectHere(request))) return refusalModal(request);
    const all = await connections.all(teamId);
    const former = all.find(({ projectId }) => projectId === project);
    return connectForm(request, all, former && { address: former.baseUrl, project, reach: "named" });
  });
  await showIn(request, viewId, modal);
}

/** What somebody sees who may not connect. */
export function refusalModal(request: Request) {
  return { title: TITLE, blocks: notAllowed("You may not connect projects.", request).blocks };
}
