import { escapeMrkdwn, type SlackBlock } from "@media-ops/formatters/slack";
import type { Connection } from "../connections/connections.js";
import type { CommandNamed } from "../language.js";
import type { Request } from "../request.js";
import { button, markedSection, row, slackDate, smallPrint } from "../slack/blocks.js";
import type { Draft } from "../slack/draft.js";
import { type Standing, standingOf } from "./open-project.js";
import { connectButton, mayConnectHere, nothingConnected } from "./rights.js";
import { hostOf, label, placeWords, strong, typed, usedWords, whoConnects } from "./words.js";

export const USE_HERE = "use-here";
export const USE_EVERYWHERE = "use-everywhere";

/** `/media projects`: what is connected, by whom, and where each is used. */
export async function projects(_command: CommandNamed<"projects">, request: Request): Promise<Draft> {
  return projectsDraft(request);
}

/** The list as it is now, for whoever asks. */
export async function projectsDraft(request: Request, said?: string): Promise<Draft> {
  const [standing, isAllowed] = await Promise.all([standingOf(request), mayConnectHere(request)]);
  const { length: count } = standing.connections;
  if (count === 0) return nothingConnected(request);
  const title = `*${count === 1 ? "One project is" : `${count} projects are`} connected*`;
  return {
    blocks: [
      markedSection(said === undefined ? title : `✓ ${said}\n${title}`),
      ...projectRows({ standing, isAllowed, request }),
    ],
    text: said ?? title,
  };
}

interface Around {
  standing: Standing;
  /** Whether whoever asks may choose for everybody. */
  isAllowed: boolean;
  request: Request;
}

// Each takes two blocks, and a message has room for 50.
const MOST = 20;

/** Each project with where it is used and, for whoever may, the controls that change that; then the way to one more. */
export function projectRows(around: Around): SlackBlock[] {
  const { standing, isAllowed, request } = around;
  const notes = notesOn(standing, request);
  return [
    ...shownOf(standing).flatMap((connection, at) => projectBlocks(connection, at, around)),
    ...(notes === "" ? [] : [smallPrint(notes)]),
    ...connectAnother(isAllowed, request),
  ];
}

/** As many as there is room for, by name; those that are used are always among them. */
function shownOf({ connections, here, defaults }: Standing): readonly Connection[] {
  const isUsed = ({ projectId }: Connection): boolean =>
    projectId === here?.projectId || projectId === defaults.workspace;
  const [used, others] = [connections.filter(isUsed), connections.filter((connection) => !isUsed(connection))];
  const shown = new Set([...used, ...others].slice(0, MOST));
  return connections.filter((connection) => shown.has(connection));
}

/** What the list itself does not say. */
function notesOn({ connections, here }: Standing, { channelId, prefix }: Request): string {
  const usage = typed(prefix, "use <project>");
  const isChoice = connections.length > 1;
  const notes = [
    connections.length > MOST ? `${connections.length - MOST} more are not shown; ${usage} chooses any of them.` : "",
    isChoice && here ? `★ is used ${placeWords(channelId)}.` : "",
    isChoice && !here ? `None is chosen for here: ${usage}.` : "",
  ];
  return notes.filter((note) => note !== "").join(" ");
}

/** The way to one more, or to those who can help. */
function connectAnother(isAllowed: boolean, { config, prefix }: Request): SlackBlock[] {
  if (isAllowed) return row(connectButton("Connect another"));
  return [smallPrint(`To connect another, ask ${whoConnects(config.policy)} to type ${typed(prefix, "connect")}.`)];
}

function projectBlocks(connection: Connection, at: number, { standing, isAllowed, request }: Around): SlackBlock[] {
  const { connections, defaults, here } = standing;
  const { projectId } = connection;
  const isHere = here?.projectId === projectId;
  // The only one is used everywhere anyway.
  const isChoice = connections.length > 1;
  const canUseHere = isChoice && request.channelId !== undefined && !isHere;
  const canUseEverywhere = isChoice && isAllowed && defaults.workspace !== projectId;
  const name = `${isHere ? "★ " : ""}${strong(projectId)} · ${escapeMrkdwn(hostOf(connection))}`;
  const used = usedWords(projectId, defaults, request.channelId);
  return [
    markedSection([name, originOf(connection), used].filter((line) => line !== "").join("\n")),
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
      text: `Whoever names no project then asks ${label(projectId)}, save where another one is chosen.`,
      yes: "Use everywhere",
    },
  });
}

/** Where a connection comes from. */
function originOf({ connectedBy, connectedAt }: Connection): string {
  if (connectedBy === undefined) return "From the environment of the bot";
  return `Connected by <@${connectedBy}>${connectedAt === undefined ? "" : `, ${slackDate(connectedAt)}`}`;
}
