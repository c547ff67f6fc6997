import { escapeMrkdwn } from "@media-ops/formatters/slack";
import { redact } from "@media-ops/secrets";
import type { Ask, Project } from "../connections/clients.js";
import {
  type Chosen,
  type Connection,
  chooseConnection,
  type Defaults,
  type NotChosen,
  NotConnectedError,
} from "../connections/connections.js";
import type { Request } from "../request.js";
import { plainSection, row, runButton, wordsOnly } from "../slack/blocks.js";
import { type Draft, Refused } from "../slack/draft.js";
import { nothingConnected } from "./rights.js";
import { label } from "./words.js";

/** Writes the command once more, for another project. */
type Again = (projectId: string) => string;

/** How it is with the projects where something is asked. */
export interface Standing {
  readonly connections: readonly Connection[];
  readonly defaults: Defaults;
  /** The one that is meant here where none is named. */
  readonly here: Connection | undefined;
}

/**
 * The project that is meant: the one that was named, the channel's, the workspace's, or the only one.
 *
 * @param again It stands behind the buttons of those that can be chosen.
 * @throws {Refused} where there is none, with what to do.
 */
export async function openProject(asked: string | undefined, request: Request, again: Again): Promise<Project> {
  const connection = await findConnection(asked, request, again);
  return { id: connection.projectId, connection, ask: await askOf(connection, request) };
}

/**
 * The same, as long as nothing is asked of the service.
 *
 * @throws {Refused} where there is none, with what to do.
 */
export async function findConnection(asked: string | undefined, request: Request, again: Again): Promise<Connection> {
  const { chosen } = await choose(asked, request);
  if (chosen.ok) return chosen.connection;
  throw new Refused(chosen.why === "none" ? await nothingConnected(request) : whichProject(chosen, request, again));
}

export async function standingOf(request: Request): Promise<Standing> {
  const { chosen, connections, defaults } = await choose(undefined, request);
  return { connections, defaults, here: chosen.ok ? chosen.connection : undefined };
}

async function choose(asked: string | undefined, { connections, teamId, channelId }: Request) {
  const [all, defaults] = await Promise.all([connections.all(teamId), connections.defaults(teamId)]);
  const chosen: Chosen = chooseConnection({ connections: all, defaults, channelId, asked });
  return { chosen, connections: all, defaults };
}

async function askOf(connection: Connection, request: Request): Promise<Ask> {
  try {
    return await request.clients.of(connection, request);
  } catch (error) {
    if (!(error instanceof NotConnectedError)) throw error;
    throw new Refused(
      wordsOnly(`${connection.projectId} has just been disconnected, or connected anew. Ask once more.`),
    );
  }
}

/** As many as stand in a row without filling the window. */
const MOST_BUTTONS = 5;

function whichProject({ why, connections, asked = "", nearest }: NotChosen, { prefix }: Request, again: Again): Draft {
  const names = connections.map(({ projectId }) => projectId);
  const sorted = nearest === undefined ? names : [nearest, ...names.filter((name) => name !== nearest)];
  const buttons = sorted
    .slice(0, MOST_BUTTONS)
    .map((name, at) => runButton(label(name), again(name), { id: `project-${at}` }));
  const all = names.length > MOST_BUTTONS ? runButton("All projects", "projects", { id: "projects" }) : undefined;
  const words =
    why === "unknown"
      ? `No project "${label(redact(asked))}" is connected. ${names.length === 1 ? "This one is:" : "These are:"}`
      : `Several projects are connected. Which one is meant? ${prefix} use <project> settles it for here.`;
  return { blocks: [plainSection(words), ...row(...buttons, all)], text: escapeMrkdwn(words) };
}
