import { escapeMrkdwn } from "@media-ops/formatters/slack";
import type { Connection } from "../connections/connections.js";
import type { Action, Actions, Forms } from "../features.js";
import { showHome } from "../home/home.js";
import { type CommandNamed, language } from "../language.js";
import type { Request } from "../request.js";
import { button, markedSection, row, runButton, smallPrint, wordsOnly } from "../slack/blocks.js";
import { type Draft, Refused } from "../slack/draft.js";
import { CONNECT_FORM, connectAction } from "./connect.js";
import { connectProject } from "./connect-form.js";
import { findConnection, type Standing, standingOf } from "./open-project.js";
import { projectsDraft, USE_EVERYWHERE, USE_HERE } from "./projects.js";
import { CONNECT, mayConnectHere, notAllowed } from "./rights.js";
import { hostOf, label, strong, thisPlace, typed, usedWords } from "./words.js";

type Use = CommandNamed<"use">;

/** `/media use <project>`: says which project is meant where none is named. */
export async function use(command: Use, request: Request): Promise<Draft> {
  const said = await choose(command, request);
  return {
    blocks: [
      markedSection(`✓ ${said}`),
      ...row(runButton("Status", "status", { id: "status" }), runButton("Projects", "projects", { id: "projects" })),
    ],
    text: said,
  };
}

/** The same by a button; it shows the list, or the app's home, as it is then. */
const useAction = (where: NonNullable<Use["where"]>): Action => ({
  async run(request, { value }) {
    const said = await choose({ name: "use", project: value, where }, request);
    // Only the home is in no conversation.
    if (request.channelId === undefined) await showHome(request);
    else await request.answer.replace(await projectsDraft(request, said));
  },
});

/**
 * From now on means a project where none is named; gives that in words, in Slack's markup.
 *
 * @throws {Refused} where the person may not, or there is no such project or place.
 */
async function choose(command: Use, request: Request): Promise<string> {
  const { connections, teamId, userId, channelId } = request;
  const again = (project: string): string => language.write({ ...command, project });
  const { projectId } = await findConnection(command.project, request, again);
  if (command.where === "workspace") {
    if (!(await mayConnectHere(request))) throw new Refused(notAllowed(NOT_FOR_ALL, request));
    await connections.setDefault({ teamId, channelId: undefined, projectId, userId });
    return `${strong(projectId)} is used in the whole workspace from now on, except where another one is chosen.`;
  }
  if (channelId === undefined) throw new Refused(wordsOnly(NOWHERE));
  await connections.setDefault({ teamId, channelId, projectId, userId });
  return `${strong(projectId)} is used in ${thisPlace(channelId)} from now on, whoever asks.`;
}

const NOT_FOR_ALL = "You may choose the project of a channel, but not that of the whole workspace.";
const NOWHERE = "There is no conversation here that it could be used in. Type the command in one.";

const DISCONNECT = "disconnect-project";

/** `/media disconnect <project>`: says what will be forgotten, and asks. */
export async function disconnect(command: CommandNamed<"disconnect">, request: Request): Promise<Draft> {
  await needRight(request);
  const again = (project: string): string => language.write({ ...command, project });
  const connection = await findConnection(command.project, request, again);
  if (connection.connectedBy === undefined) return fromEnvironment(connection);
  return question(connection, await standingOf(request), request);
}

/** Does it, once the question was answered. */
const disconnectAction: Action = {
  async run(request, { value: projectId }) {
    await needRight(request);
    const { connections, teamId } = request;
    const isRemoved = await connections.remove(teamId, projectId);
    if (!isRemoved) return request.answer.replace(wordsOnly(`${label(projectId)} is not connected any more.`));
    request.log.info({ project: projectId }, "a project was disconnected");
    const isThere = (await connections.all(teamId)).some((connection) => connection.projectId === projectId);
    await request.answer.replace(done(projectId, isThere, request));
  },
};

async function needRight(request: Request): Promise<void> {
  if (!(await mayConnectHere(request))) throw new Refused(notAllowed("You may not disconnect projects.", request));
}

function fromEnvironment({ projectId }: Connection): Draft {
  return wordsOnly(
    `${label(projectId)} comes from the environment of the bot, for all workspaces, and cannot be disconnected here. Whoever runs the bot takes it away: MEDIA_BASE_URL, MEDIA_API_KEY and MEDIA_PROJECT_ID.`,
  );
}

function question(connection: Connection, standing: Standing, { channelId }: Request): Draft {
  const { projectId } = connection;
  const used = usedWords(projectId, standing.defaults, channelId);
  const words = `Disconnect ${strong(projectId)}? The bot then forgets its address, ${escapeMrkdwn(hostOf(connection))}, and its API key.`;
  const name = label(projectId);
  return {
    blocks: [
      markedSection(words),
      ...(used === "" ? [] : [markedSection(`${used}. ${thenWords(projectId, standing)}`)]),
      smallPrint(KEY_STAYS),
      ...row(
        button({
          label: `Disconnect ${name}`,
          action: DISCONNECT,
          value: projectId,
          style: "danger",
        }),
        runButton("Keep it", "projects", { id: "projects" }),
      ),
    ],
    text: words,
  };
}

/** What is used instead of a project where it was chosen. */
function thenWords(projectId: string, { connections, defaults }: Standing): string {
  const others = connections.filter((connection) => connection.projectId !== projectId);
  const next =
    others.find((other) => other.projectId === defaults.workspace) ?? (others.length === 1 ? others[0] : undefined);
  return next ? `${strong(next.projectId)} is used there then.` : "No project is chosen there then.";
}

const KEY_STAYS = `The key itself stays good until it is revoked at the service: ${typed("media-ops", "keys revoke <key id>")}.`;

function done(projectId: string, isThere: boolean, { prefix }: Request): Draft {
  const words = `✓ ${strong(projectId)} is disconnected; its key is deleted here.`;
  const rest = isThere
    ? "The project of the same name from the bot's environment is used instead."
    : `${typed(prefix, "connect")} connects it again.`;
  return {
    blocks: [
      markedSection(`${words} ${rest}`),
      smallPrint(KEY_STAYS),
      ...row(runButton("Projects", "projects", { id: "projects" })),
    ],
    text: words,
  };
}

export const projectActions: Actions = {
  [CONNECT]: connectAction,
  [DISCONNECT]: disconnectAction,
  [USE_HERE]: useAction("channel"),
  [USE_EVERYWHERE]: useAction("workspace"),
};

export const projectForms: Forms = { [CONNECT_FORM]: connectProject };
