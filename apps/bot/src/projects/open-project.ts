import { escapeMrkdwn } from "@media-ops/formatters/slack";
import { redact } from "@media-ops/secrets";
import type { Ask, Project } from "../connections/clients.js";
import {
  type Connection,
  chooseConnection,
  type Defaults,
  type NotChosen,
  NotConnectedError,
} from "../connections/connections.js";
import type { Request } from "../request.js";
import { type Draft, plainSection, Refused, row, runButton } from "../slack/blocks.js";
import { nothingConnected } from "./rights.js";
import { projectLabel } from "./words.js";

/** Writes the same command for another project. */
type WriteCommand = (projectId: string) => string;

/** A workspace's projects, as seen from one conversation. */
export interface ProjectOverview {
  readonly connections: readonly Connection[];
  readonly defaults: Defaults;
  /** The project that commands use here if they name none. */
  readonly here: Connection | undefined;
}

/**
 * The project that is meant: the one that was named, the channel's, the workspace's, or the only one.
 *
 * @param commandFor It stands behind the buttons of those that can be chosen.
 * @throws {Refused} if there is none, with what to do.
 */
export async function openProject(
  asked: string | undefined,
  request: Request,
  commandFor: WriteCommand,
): Promise<Project> {
  const connection = await findConnection(asked, request, commandFor);
  return { id: connection.projectId, connection, ask: await askOf(connection, request) };
}

/**
 * The same, as long as nothing is asked of the service.
 *
 * @throws {Refused} if there is none, with what to do.
 */
export async function findConnection(
  asked: string | undefined,
  request: Request,
  commandFor: WriteCommand,
): Promise<Connection> {
  const { chosen } = await choose(asked, request);
  if (chosen.ok) return chosen.connection;
  throw new Refused(
    chosen.why === "none" ? await nothingConnected(request) : whichProject(chosen, request, commandFor),
  );
}

export async function projectOverview(request: Request): Promise<ProjectOverview> {
  const { chosen, connections, defaults } = await choose(undefined, request);
  return { connections, defaults, here: chosen.ok ? chosen.connection : undefined };
}

async function choose(asked: string | undefined, { connections, teamId, channelId }: Request) {
  const [all, defaults] = await Promise.all([connections.all(teamId), connections.defaults(teamId)]);
  const chosen = chooseConnection(all, defaults, channelId, asked);
  return { chosen, connections: all, defaults };
}

async function askOf(connection: Connection, request: Request): Promise<Ask> {
  try {
    return await request.clients.of(connection, request);
  } catch (error) {
    if (!(error instanceof NotConnectedError)) throw error;
    throw new Refused(`${connection.projectId} was just disconnected or connected again. Try again.`);
  }
}

/** As many as stand in a row without filling the window. */
const MOST_BUTTONS = 5;

function whichProject(
  { why, connections, asked = "", nearest }: NotChosen,
  { prefix }: Request,
  commandFor: WriteCommand,
): Draft {
  const names = connections.map(({ projectId }) => projectId);
  const sorted = nearest === undefined ? names : [nearest, ...names.filter((name) => name !== nearest)];
  const buttons = sorted
    .slice(0, MOST_BUTTONS)
    .map((name, at) => runButton(projectLabel(name), commandFor(name), { id: `project-${at}` }));
  const all = names.length > MOST_BUTTONS ? runButton("All projects", "projects", { id: "projects" }) : undefined;
  const words =
    why === "unknown"
      ? `No project "${projectLabel(redact(asked))}" is connected. ${names.length === 1 ? "The connected project is:" : "The connected projects are:"}`
      : `Several projects are connected. Which one do you mean? ${prefix} use <project> sets it for this conversation.`;
  return { blocks: [plainSection(words), ...row(...buttons, all)], text: escapeMrkdwn(words) };
}
