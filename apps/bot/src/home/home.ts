import type { SlackBlock } from "@media-ops/formatters/slack";
import { mayConnectHere } from "../projects/may-connect.js";
import { type Standing, standingOf } from "../projects/open-project.js";
import { projectRows } from "../projects/projects.js";
import type { Request } from "../request.js";
import { plain, plainSection, smallPrint } from "../slack/sections.js";
import { publishHome } from "../slack/views.js";
import { startBlocks } from "../start/start.js";
import { tokenLines } from "./token-lines.js";

/** Shows somebody their own page of the app: how it is with the projects, and what they can do. */
export async function showHome(request: Request): Promise<void> {
  await publishHome(request.slack, request.userId, await homeBlocks(request), request.log);
}

// As many tokens as somebody may still have in use.
const MOST_TOKENS = 5;

async function homeBlocks(request: Request): Promise<SlackBlock[]> {
  const { mintings, teamId, userId } = request;
  const [standing, isAllowed, minted] = await Promise.all([
    standingOf(request),
    mayConnectHere(request),
    mintings.latest(teamId, { userId, limit: MOST_TOKENS }),
  ]);
  return [
    heading("Media Ops"),
    ...(await startBlocks(standing, request)),
    ...projectsPart(standing, isAllowed, request),
    { type: "divider" },
    heading("Your latest tokens"),
    ...(minted.length > 0 ? tokenLines(minted, request.now()) : [plainSection("You have made none here yet.")]),
    smallPrint(
      "What you press here is answered in a window, and in the Messages tab of this app; what you type in a channel, right there.",
    ),
  ];
}

function projectsPart(standing: Standing, isAllowed: boolean, request: Request): SlackBlock[] {
  if (standing.connections.length === 0) return [];
  return [{ type: "divider" }, heading("Projects"), ...projectRows({ standing, isAllowed, request })];
}

const heading = (text: string): SlackBlock => ({ type: "header", text: plain(text) });
