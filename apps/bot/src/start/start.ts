import { failedFilter } from "@media-ops/commands";
import { escapeMrkdwn, type SlackBlock } from "@media-ops/formatters/slack";
import { nothingConnected } from "../projects/nothing-connected.js";
import { type Standing, standingOf } from "../projects/open-project.js";
import { hostOf, placeWords, strong, typed } from "../projects/words.js";
import type { Request } from "../request.js";
import { row, runButton } from "../slack/controls.js";
import type { Draft } from "../slack/draft.js";
import { markedSection, plainSection, smallPrint } from "../slack/sections.js";
import { failing } from "../status/failing.js";

const ABOUT = "Logs, figures and access tokens of a real-time media service, without leaving the conversation.";

/** What a bare `/media` answers: where to begin. */
export async function startMessage(request: Request): Promise<Draft> {
  return { blocks: await startBlocks(await standingOf(request), request), text: escapeMrkdwn(ABOUT) };
}

/** The same, as part of something longer. */
export async function startBlocks(standing: Standing, request: Request): Promise<SlackBlock[]> {
  if (standing.connections.length === 0) return [plainSection(ABOUT), ...(await nothingConnected(request)).blocks];
  return [plainSection(ABOUT), markedSection(inUse(standing, request)), ...beginnings(), smallPrint(examples(request))];
}

function inUse({ here, connections }: Standing, { channelId, prefix }: Request): string {
  if (here) return `★ ${strong(here.projectId)} is used ${placeWords(channelId)} · ${escapeMrkdwn(hostOf(here))}`;
  const how = typed(prefix, "use <project>");
  return `${connections.length} projects are connected, and none is chosen for here: ${how}.`;
}

/** What people come for most, to be pressed. */
function beginnings(): SlackBlock[] {
  return row(
    runButton("Failing webhooks", failing("webhooks", "2h"), { id: "failing" }),
    runButton("Summary", "summary webhooks since:24h", { id: "summary" }),
    runButton("Status", "status", { id: "status" }),
    runButton("Make a token", "token", { id: "token" }),
    runButton("Projects", "projects", { id: "projects" }),
    runButton("Help", "help", { id: "help" }),
  );
}

function examples({ prefix }: Request): string {
  return `Or type it: ${typed(prefix, `logs webhooks ${failedFilter} since:2h`)} or ${typed(prefix, "token lobby for:10m")}`;
}
