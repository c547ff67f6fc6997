import { failedFilter, oneOfThese } from "@media-ops/commands";
import { escapeMrkdwn, type SlackBlock } from "@media-ops/formatters/slack";
import { nothingConnected, type ProjectOverview, projectOverview } from "../projects/open-project.js";
import { hostOf, placeText, strong, typed } from "../projects/words.js";
import type { Request } from "../request.js";
import { type Draft, mrkdwnSection, plainSection, row, runButton, smallPrint } from "../slack/blocks.js";
import { failing } from "../status/status.js";

/** What the bot is for. */
export const ABOUT =
  "Logs, figures and access tokens of a real-time media service, and why its connections fail, without leaving the conversation.";

/** The answer to a bare `/media`: how to start. */
export async function startMessage(request: Request): Promise<Draft> {
  const overview = await projectOverview(request);
  const text = escapeMrkdwn(ABOUT);
  if (overview.connections.length === 0) {
    return { blocks: [plainSection(ABOUT), ...(await nothingConnected(request)).blocks], text };
  }
  return {
    blocks: [
      plainSection(ABOUT),
      mrkdwnSection(inUse(overview, request)),
      ...row(
        ...questionButtons(),
        runButton("Status", "status", { id: "status" }),
        tokenButton(),
        tokensButton(),
        runButton("Projects", "projects", { id: "projects" }),
        helpButton(),
      ),
      examples(request),
    ],
    text,
  };
}

function inUse({ here, connections }: ProjectOverview, { channelId, prefix }: Request): string {
  if (here) return `★ ${strong(here.projectId)} is used ${placeText(channelId)} · ${escapeMrkdwn(hostOf(here))}`;
  const how = typed(prefix, "use <project>");
  return `${connections.length} projects are connected, and none is the default here: ${how}.`;
}

/** Buttons for the most common questions. */
export const questionButtons = () => [
  runButton("Why connections fail", "why", { id: "why" }),
  runButton("Live now", "live", { id: "live" }),
  runButton("Failing webhooks", failing("webhooks", "2h"), { id: "failing" }),
  runButton("Summary", "summary webhooks since:24h", { id: "summary" }),
];

/** A button that opens the token window. */
export const tokenButton = () => runButton("Make a token", "token", { id: "token" });

/** A button that lists the tokens that are out. */
export const tokensButton = () => runButton("Tokens", "tokens", { id: "tokens" });

/** A button for help. */
export const helpButton = () => runButton("Help", "help", { id: "help" });

/** Examples of commands to type. */
export function examples({ prefix }: Pick<Request, "prefix">): SlackBlock {
  const commands = [
    `logs webhooks ${failedFilter} since:2h`,
    "why lobby since:20m",
    "trace lobby",
    "token lobby for:10m",
    "deliveries failed since:2h",
  ];
  return smallPrint(`Or type it: ${oneOfThese(commands.map((text) => typed(prefix, text)))}`);
}
