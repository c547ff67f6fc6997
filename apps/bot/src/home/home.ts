import { failedFilter, oneOfThese } from "@media-ops/commands";
import { splitChannel } from "@media-ops/formatters";
import { escapeMrkdwn, type SlackBlock } from "@media-ops/formatters/slack";
import { problemDraft } from "../problem.js";
import { nothingConnected, type ProjectOverview, projectOverview } from "../projects/open-project.js";
import { projectRows } from "../projects/projects.js";
import { hostOf, placeText, strong, typed } from "../projects/words.js";
import type { Request } from "../request.js";
import {
  type Draft,
  mrkdwnSection,
  plain,
  plainSection,
  row,
  runButton,
  slackDate,
  smallPrint,
  withoutButtons,
} from "../slack/blocks.js";
import { publishHome, showIn } from "../slack/views.js";
import { failing } from "../status/status.js";
import type { Minting } from "../tokens/mintings.js";

/** Publishes a person's app home: their projects and the available actions. */
export async function showHome(request: Request): Promise<void> {
  await publishHome(request.slack, request.userId, await homeBlocks(request), request.log);
}

// As many tokens as a person is likely to use still.
const MOST_TOKENS = 5;

async function homeBlocks(request: Request): Promise<SlackBlock[]> {
  const { mintings, teamId, userId } = request;
  const [overview, minted] = await Promise.all([
    projectOverview(request),
    mintings.latest(teamId, { userId, limit: MOST_TOKENS }),
  ]);
  const projects = overview.connections.length > 0 ? await projectRows(overview, request) : [];
  return [
    heading("Media Ops"),
    ...(await startBlocks(overview, request)),
    ...(projects.length > 0 ? [DIVIDER, heading("Projects"), ...projects] : []),
    DIVIDER,
    heading("Your latest tokens"),
    ...(minted.length > 0 ? tokenLines(minted, request.now()) : [plainSection("You have made none yet.")]),
    smallPrint(
      "Buttons here answer in a window and in the Messages tab of this app; commands answer in the channel that you type them in.",
    ),
  ];
}

const DIVIDER: SlackBlock = { type: "divider" };
const heading = (text: string): SlackBlock => ({ type: "header", text: plain(text) });

/** The tokens that a person created, and when they expire. The bot doesn't store the tokens themselves. */
export function tokenLines(minted: readonly Minting[], now: number): SlackBlock[] {
  return [mrkdwnSection(minted.map((minting) => line(minting, now)).join("\n"))];
}

function line({ project_id, channel_id, role, starts_at, ends_at }: Minting, now: number): string {
  const name = channel_id === null ? "every channel" : strong(splitChannel(channel_id).name);
  const allowed = role === null ? "any role" : escapeMrkdwn(role);
  return `${timeText(starts_at, ends_at, now)} · ${name} of ${escapeMrkdwn(project_id)} · ${allowed}`;
}

function timeText(startsAt: number | null, endsAt: number | null, now: number): string {
  const start = startsAt !== null && startsAt > now ? `From ${slackDate(startsAt)} ` : "";
  if (endsAt === null) return start === "" ? "Without end" : `${start}on`;
  if (endsAt <= now) return `Ended ${slackDate(endsAt)}`;
  return start === "" ? `Until ${slackDate(endsAt)}` : `${start}until ${slackDate(endsAt)}`;
}

const ABOUT =
  "Logs, figures and access tokens of a real-time media service, and why its connections fail, without leaving the conversation.";

/** The answer to a bare `/media`: how to start. */
export async function startMessage(request: Request): Promise<Draft> {
  return { blocks: await startBlocks(await projectOverview(request), request), text: escapeMrkdwn(ABOUT) };
}

/** The start message's blocks, shared by the message and the app home. */
async function startBlocks(overview: ProjectOverview, request: Request): Promise<SlackBlock[]> {
  if (overview.connections.length === 0) return [plainSection(ABOUT), ...(await nothingConnected(request)).blocks];
  const { prefix } = request;
  const commands = [
    `logs webhooks ${failedFilter} since:2h`,
    "why lobby since:20m",
    "trace lobby",
    "token lobby for:10m",
  ];
  const examples = commands.map((text) => typed(prefix, text));
  return [
    plainSection(ABOUT),
    mrkdwnSection(inUse(overview, request)),
    // The most common requests.
    ...row(
      runButton("Why connections fail", "why", { id: "why" }),
      runButton("Live now", "live", { id: "live" }),
      runButton("Failing webhooks", failing("webhooks", "2h"), { id: "failing" }),
      runButton("Summary", "summary webhooks since:24h", { id: "summary" }),
      runButton("Status", "status", { id: "status" }),
      runButton("Make a token", "token", { id: "token" }),
      runButton("Projects", "projects", { id: "projects" }),
      runButton("Help", "help", { id: "help" }),
    ),
    smallPrint(`Or type it: ${oneOfThese(examples)}`),
  ];
}

function inUse({ here, connections }: ProjectOverview, { channelId, prefix }: Request): string {
  if (here) return `★ ${strong(here.projectId)} is used ${placeText(channelId)} · ${escapeMrkdwn(hostOf(here))}`;
  const how = typed(prefix, "use <project>");
  return `${connections.length} projects are connected, and none is the default here: ${how}.`;
}

const TITLE = "Media Ops";
const IN_MESSAGES = "The same answer, with buttons for more, is in the *Messages* tab of this app.";

/**
 * Answers a command from the app home in a window over it. The answer is also sent to the Messages tab, because its
 * buttons replace a message, which isn't possible in a window.
 */
export async function answerOverHome(request: Request, run: () => Promise<Draft | undefined>): Promise<void> {
  const { answer } = request;
  const viewId = await request.openWindow(TITLE);
  const draft = await run().catch((error: unknown) => problemDraft(error, request));
  if (!draft) return;
  await answer.say(draft);
  // Windows accept neither tables nor charts.
  const { blocks } = draft.compact?.() ?? draft;
  await showIn(request, viewId, { title: TITLE, blocks: [...withoutButtons(blocks), smallPrint(IN_MESSAGES)] });
}
