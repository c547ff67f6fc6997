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

/** `/media projects`: the connected projects, who connected them, and where each is used. */
export async function projects(request: Request, said?: string): Promise<Draft> {
  const [overview, isAllowed] = await Promise.all([projectOverview(request), mayConnectHere(request)]);
  const { length: count } = overview.connections;
  if (count === 0) return nothingConnected(request);
  const title = `*${count === 1 ? "One project is" : `${count} projects are`} connected*`;
  return {
    blocks: [
      mrkdwnSection(said === undefined ? title : `✓ ${said}\n${title}`),
      ...projectRows({ overview, isAllowed, request }),
    ],
    text: said ?? title,
  };
}

interface ListContext {
  overview: ProjectOverview;
  /** Whether the person may change the workspace's default. */
  isAllowed: boolean;
  request: Request;
}

// Each takes two blocks, and a message has room for 50.
const MOST = 20;

/** Each project with where it is used and, if the person may, buttons to change that; then how to connect another. */
export function projectRows(context: ListContext): SlackBlock[] {
  const { overview, isAllowed, request } = context;
  const notes = notesOn(overview, request);
  return [
    ...shownOf(overview).flatMap((connection, at) => projectBlocks(connection, at, context)),
    ...(notes === "" ? [] : [smallPrint(notes)]),
    ...connectAnother(isAllowed, request),
  ];
}

/** As many as there is room for, by name; those that are used are always among them. */
function shownOf({ connections, here, defaults }: ProjectOverview): readonly Connection[] {
  const isUsed = ({ projectId }: Connection): boolean =>
    projectId === here?.projectId || projectId === defaults.workspace;
  const [used, others] = [connections.filter(isUsed), connections.filter((connection) => !isUsed(connection))];
  const shown = new Set([...used, ...others].slice(0, MOST));
  return connections.filter((connection) => shown.has(connection));
}

/** Notes below the list. */
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

/** The way to one more, or to those who can help. */
function connectAnother(isAllowed: boolean, { config, prefix }: Request): SlackBlock[] {
  if (isAllowed) return row(connectButton("Connect another"));
  return [smallPrint(`To connect another, ask ${whoConnects(config.policy)} to type ${typed(prefix, "connect")}.`)];
}

function projectBlocks(
  connection: Connection,
  at: number,
  { overview, isAllowed, request }: ListContext,
): SlackBlock[] {
  const { connections, defaults, here } = overview;
  const { projectId } = connection;
  const isHere = here?.projectId === projectId;
  // The only one is used everywhere anyway.
  const isChoice = connections.length > 1;
  const canUseHere = isChoice && request.channelId !== undefined && !isHere;
  const canUseEverywhere = isChoice && isAllowed && defaults.workspace !== projectId;
  const name = `${isHere ? "★ " : ""}${strong(projectId)} · ${escapeMrkdwn(hostOf(connection))}`;
  const used = usedText(projectId, defaults, request.channelId);
  return [
    mrkdwnSection([name, originOf(connection), used].filter((line) => line !== "").join("\n")),
    ...row(
      canUseHere ? button({ label: "Use here", action: `${USE_HERE}:${at}`, value: projectId }) : undefined,
      canUseEverywhere ? useEverywhere(projectId, at) : undefined,
    ),
  ];
}

/** Asks first: it changes what everybody's commands mean. */
function useEverywhere(projectId: string, at: number) {
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

/** Who connected a project, and when. */
function originOf({ connectedBy, connectedAt }: Connection): string {
  if (connectedBy === undefined) return "From the bot's environment";
  return `Connected by <@${connectedBy}>${connectedAt === undefined ? "" : `, ${slackDate(connectedAt)}`}`;
}
