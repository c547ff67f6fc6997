import { escapeMrkdwn, type SlackBlock } from "@media-ops/formatters/slack";
import { audited } from "../audit/audited.js";
import type { Connection } from "../connections/connections.js";
import { showHome } from "../home/home.js";
import { type CommandNamed, language } from "../language.js";
import type { Action, Actions, Forms, Request } from "../request.js";
import {
  button,
  type Draft,
  mrkdwnMessage,
  mrkdwnSection,
  plainMessage,
  Refused,
  row,
  runButton,
  slackDate,
  smallPrint,
} from "../slack/answer.js";
import { CONNECT_FORM, connectAction, connectProject } from "./connect.js";
import {
  CONNECT,
  connectButton,
  findConnection,
  mayConnectHere,
  notAllowed,
  nothingConnected,
  type ProjectOverview,
  projectOverview,
  USE_EVERYWHERE,
  useEverywhere,
} from "./open-project.js";
import { hostOf, placeText, projectLabel, strong, thisPlace, typed, usedText, whoConnects } from "./words.js";

const USE_HERE = "use-here";

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

type Use = CommandNamed<"use">;

const projectsButton = (label: string) => runButton(label, "projects", { id: "projects" });

/** `/media use <project>`: sets the project that commands use if they name none. */
export async function use(command: Use, request: Request): Promise<Draft> {
  const said = await choose(command, request);
  const status = runButton("Status", "status", { id: "status" });
  return { ...mrkdwnMessage(`✓ ${said}`, status, projectsButton("Projects")), text: said };
}

/** Does the same for a button, and then updates the list or the app home. */
const useAction = (where: NonNullable<Use["where"]>): Action => ({
  async run(request, { value }) {
    const said = await choose({ name: "use", project: value, where }, request);
    // Only the app home is in no conversation.
    if (request.channelId === undefined) await showHome(request);
    else await request.answer.replace(await projects(request, said));
  },
});

/** Sets the default project if the person may; returns what changed, in Slack's markup. */
async function choose(command: Use, request: Request): Promise<string> {
  const { connections, teamId, userId, channelId } = request;
  const again = (project: string): string => language.write({ ...command, project });
  const { projectId } = await findConnection(command.project, request, again);
  if (command.where === "workspace") {
    if (!(await mayConnectHere(request))) throw new Refused(notAllowed(NOT_FOR_ALL, request));
    await connections.setDefault({ teamId, channelId: undefined, projectId, userId });
    return `${strong(projectId)} is now the default in the whole workspace, except in channels with a default of their own.`;
  }
  if (channelId === undefined) throw new Refused(NOWHERE);
  await connections.setDefault({ teamId, channelId, projectId, userId });
  return `${strong(projectId)} is used in ${thisPlace(channelId)} by everyone from now on.`;
}

const NOT_FOR_ALL = "You may set the default project of a channel, but not that of the whole workspace.";
const NOWHERE = "A default belongs to a conversation. Type the command in one.";

const FORGET = "disconnect-project";

/** `/media forget <project>`: names what will be deleted, and asks for confirmation. */
export async function forget(command: CommandNamed<"forget">, request: Request): Promise<Draft> {
  await needRight(request);
  const again = (project: string): string => language.write({ ...command, project });
  const connection = await findConnection(command.project, request, again);
  if (connection.connectedBy === undefined) {
    return plainMessage(`${projectLabel(connection.projectId)} ${FROM_ENVIRONMENT}`);
  }
  const overview = await projectOverview(request);
  const { projectId } = connection;
  const used = usedText(projectId, overview.defaults, request.channelId);
  const words = `Remove ${strong(projectId)} from this workspace? The bot then deletes its address, ${escapeMrkdwn(hostOf(connection))}, and its API key.`;
  return {
    blocks: [
      mrkdwnSection(words),
      ...(used === "" ? [] : [mrkdwnSection(`${used}. ${thenText(projectId, overview)}`)]),
      smallPrint(KEY_STAYS),
      ...row(
        button({ label: `Remove ${projectLabel(projectId)}`, action: FORGET, value: projectId, style: "danger" }),
        projectsButton("Keep it"),
      ),
    ],
    text: words,
  };
}

const FROM_ENVIRONMENT =
  "is set in the bot's environment for all workspaces and can't be removed here. The bot's operator can remove MEDIA_BASE_URL, MEDIA_API_KEY and MEDIA_PROJECT_ID.";

const forgetAction: Action = {
  async run(request, { value: projectId }) {
    const { connections, teamId } = request;
    const known = (await connections.all(teamId)).find((connection) => connection.projectId === projectId);
    const gone = `${projectLabel(projectId)} is no longer connected.`;
    if (!known) return request.answer.replace(plainMessage(gone));
    await audited(request, { action: "project.disconnect", projectId }, async () => {
      await needRight(request);
      if (!(await connections.remove(teamId, projectId))) throw new Refused(gone);
    });
    request.log.info({ project: projectId }, "a project was removed");
    const isThere = (await connections.all(teamId)).some((connection) => connection.projectId === projectId);
    const rest = isThere
      ? "The project of the same name in the bot's environment is used instead."
      : `${typed(request.prefix, "connect")} connects it again.`;
    const words = `✓ ${strong(projectId)} is removed, and its key is deleted here.`;
    await request.answer.replace({
      blocks: [mrkdwnSection(`${words} ${rest}`), smallPrint(KEY_STAYS), ...row(projectsButton("Projects"))],
      text: words,
    });
  },
};

async function needRight(request: Request): Promise<void> {
  if (!(await mayConnectHere(request))) throw new Refused(notAllowed("You may not remove projects.", request));
}

function thenText(projectId: string, { connections, defaults }: ProjectOverview): string {
  const others = connections.filter((connection) => connection.projectId !== projectId);
  const next =
    others.find((other) => other.projectId === defaults.workspace) ?? (others.length === 1 ? others[0] : undefined);
  return next ? `${strong(next.projectId)} is used there instead.` : "No project is then the default there.";
}

const KEY_STAYS = `The key itself stays valid until it is revoked at the service: ${typed("media-ops", "keys revoke <key id>")}.`;

export const projectActions: Actions = {
  [CONNECT]: connectAction,
  [FORGET]: forgetAction,
  [USE_HERE]: useAction("channel"),
  [USE_EVERYWHERE]: useAction("workspace"),
};

export const projectForms: Forms = { [CONNECT_FORM]: connectProject };
