import { escapeMrkdwn, type SlackBlock } from "@media-ops/formatters/slack";
import type { Connection } from "../connections/connections.js";
import type { Request } from "../request.js";
import { button, type Draft, mrkdwnSection, row, slackDate, smallPrint } from "../slack/blocks.js";
import {
  connectButton,
  mayConnectHere,
  nothingConnected,
  type ProjectOverview,
  projectOverview,
} from "./open-project.js";
import { hostOf, placeText, projectLabel, strong, typed, usedText, whoConnects } from "./words.js";

export const USE_HERE = "use-here";
export const USE_EVERYWHERE = "use-everywhere";

/** `/media projects`: the connected projects, who connected them, and where each is used, with buttons to change that. */
export async function projects(request: Request, said?: string): Promise<Draft> {
  const overview = await projectOverview(request);
  const { length: count } = overview.connections;
  if (count === 0) return nothingConnected(request);
  const title = `*${count === 1 ? "One project is" : `${count} projects are`} connected*`;
  const isAllowed = await mayConnectHere(request);
  const notes = notesOn(overview, request);
  const helpers = whoConnects(request.config.policy);
  return {
    blocks: [
      mrkdwnSection(said === undefined ? title : `✓ ${said}\n${title}`),
      ...shownOf(overview).flatMap((connection, at) => projectBlocks(connection, at, overview, request, isAllowed)),
      ...(notes === "" ? [] : [smallPrint(notes)]),
      ...(isAllowed
        ? row(connectButton("Connect another"))
        : [smallPrint(`To connect another, ask ${helpers} to type ${typed(request.prefix, "connect")}.`)]),
    ],
    text: said ?? title,
  };
}

// Each project uses two blocks, and a message has at most 50.
const MOST = 20;

/** As many projects as fit, by name; the default ones are always included. */
function shownOf({ connections, here, defaults }: ProjectOverview): readonly Connection[] {
  const isUsed = ({ projectId }: Connection): boolean =>
    projectId === here?.projectId || projectId === defaults.workspace;
  const usedFirst = [...connections].sort((a, b) => Number(isUsed(b)) - Number(isUsed(a)));
  const shown = new Set(usedFirst.slice(0, MOST));
  return connections.filter((connection) => shown.has(connection));
}

/** The notes below the list. */
function notesOn({ connections, here }: ProjectOverview, { channelId, prefix }: Request): string {
  const usage = typed(prefix, "use <project>");
  const isChoice = connections.length > 1;
  const notes = [
    connections.length > MOST ? `${connections.length - MOST} more are not shown; ${usage} chooses any of them.` : "",
    isChoice && here ? `★ is used ${placeText(channelId)}.` : "",
    isChoice && !here ? `None is the default here: ${usage}.` : "",
  ];
  return notes.filter((note) => note !== "").join(" ");
}

function projectBlocks(
  connection: Connection,
  at: number,
  { connections, defaults, here }: ProjectOverview,
  request: Request,
  isAllowed: boolean,
): SlackBlock[] {
  const { projectId, connectedBy, connectedAt } = connection;
  const isHere = here?.projectId === projectId;
  // A single project is used everywhere.
  const isChoice = connections.length > 1;
  const canUseHere = isChoice && request.channelId !== undefined && !isHere;
  const canUseEverywhere = isChoice && isAllowed && defaults.workspace !== projectId;
  const name = `${isHere ? "★ " : ""}${strong(projectId)} · ${escapeMrkdwn(hostOf(connection))}`;
  const origin =
    connectedBy === undefined || connectedAt === undefined
      ? "From the bot's environment"
      : `Connected by <@${connectedBy}>, ${slackDate(connectedAt)}`;
  const used = usedText(projectId, defaults, request.channelId);
  return [
    mrkdwnSection([name, origin, used].filter((line) => line !== "").join("\n")),
    ...row(
      canUseHere ? button({ label: "Use here", action: `${USE_HERE}:${at}`, value: projectId }) : undefined,
      canUseEverywhere ? useEverywhere(projectId, at) : undefined,
    ),
  ];
}

/** Makes a project the workspace's default. It asks first, because the project of everyone's commands changes. */
export function useEverywhere(projectId: string, at: number) {
  return button({
    label: "Use everywhere",
    action: `${USE_EVERYWHERE}:${at}`,
    value: projectId,
    confirm: {
      title: "Use it in the whole workspace?",
      text: `Commands that name no project then use ${projectLabel(projectId)}, except in channels with a default of their own.`,
      yes: "Use everywhere",
    },
  });
}
