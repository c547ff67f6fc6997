import { shorten } from "@media-ops/commands";
import { escapeMrkdwn, formatProblem } from "@media-ops/formatters/slack";
import {
  type CallOptions,
  type LogKind,
  type MediaClient,
  MediaMethodNotAllowedError,
  MediaNotFoundError,
} from "@media-ops/sdk";
import { redact } from "@media-ops/secrets";
import type { InputBlock } from "@slack/types";
import {
  type Connection,
  chooseConnection,
  type Defaults,
  type NotChosen,
  NotConnectedError,
  type Project,
} from "../connections/connections.js";
import { type Command, language } from "../language.js";
import { mayConnect } from "../policy/policy.js";
import type { Request } from "../request.js";
import {
  button,
  type Draft,
  MAX_LABEL,
  MAX_OPTION_VALUE,
  MOST_OPTIONS,
  mrkdwnMessage,
  optionOf,
  plainMessage,
  Refused,
  row,
  runButton,
} from "../slack/answer.js";
import { select } from "../slack/views.js";
import { projectLabel, typed, whoConnects } from "./words.js";

/** A workspace's projects, as seen from one conversation. */
export interface ProjectOverview {
  readonly connections: readonly Connection[];
  readonly defaults: Defaults;
  readonly here: Connection | undefined;
}

/** The project for a request: the named one, the channel's, the workspace's, or the only one; or {@link Refused}. */
export async function openProject(
  asked: string | undefined,
  request: Request,
  commandFor: (projectId: string) => string,
): Promise<Project> {
  const connection = await findConnection(asked, request, commandFor);
  try {
    return { id: connection.projectId, connection, ...(await request.clients.of(connection, request)) };
  } catch (error) {
    if (!(error instanceof NotConnectedError)) throw error;
    throw new Refused(`${connection.projectId} was just disconnected or connected again. Try again.`);
  }
}

/** The project of a command, which each button names if the person must choose. */
export const openProjectOf = (command: Extract<Command, { in?: string }>, request: Request): Promise<Project> =>
  openProject(command.in, request, (id) => language.write({ ...command, in: id }));

/** The same without a client for the service; if the person must choose, each button runs the command for a project. */
export async function findConnection(
  asked: string | undefined,
  request: Request,
  commandFor: (projectId: string) => string,
): Promise<Connection> {
  const { chosen } = await choose(asked, request);
  if (chosen.ok) return chosen.connection;
  throw new Refused(
    chosen.why === "none" ? await nothingConnected(request) : whichProject(chosen, request, commandFor),
  );
}

/** Whether a service lacks what it was asked. */
export const isLacking = (error: unknown): boolean =>
  error instanceof MediaNotFoundError || error instanceof MediaMethodNotAllowedError;

/** Handles a rejected call: returns undefined if the service lacks what was asked, and throws any other error again. */
export function nothingIfLacking(error: unknown): undefined {
  if (!isLacking(error)) throw error;
}

/** What can be asked of a service, and the part of it that not every service has. */
const parts: { readonly [What in Askable]?: string } = {
  events: "event log",
  why: "event log, which says why connections fail",
  live: "list of live channels",
  tokens: "record of access tokens",
  deliveries: "list of webhook deliveries",
  endpoints: "list of webhook endpoints",
  disconnect: "way to the media server's API",
};

/** What {@link unlessLacking} has words for. */
export type Askable = LogKind | "why" | "live" | "tokens" | "deliveries" | "endpoints" | "disconnect";

/** The answer of a service; {@link Refused} if the service lacks what not every service has. */
export async function unlessLacking<T>(asked: Promise<T>, what: Askable, { id }: Pick<Project, "id">): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    const part = parts[what];
    if (!isLacking(error) || part === undefined) throw error;
    const { blocks, text } = formatProblem(error, { part, isBrief: true });
    const status = runButton("Status", language.write({ name: "status", in: id }), { id: "status" });
    throw new Refused({ blocks: [...blocks.filter(({ type }) => type !== "context"), ...row(status)], text });
  }
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

/** As many as fit in a row without filling the window. */
const MOST_BUTTONS = 5;

function whichProject(
  { why, connections, asked = "", nearest }: NotChosen,
  { prefix }: Request,
  commandFor: (projectId: string) => string,
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
  return plainMessage(words, ...buttons, all);
}

/** Whether the person may connect projects, disconnect them, and choose the workspace's default. */
export const mayConnectHere = async ({ config, member }: Pick<Request, "config" | "member">): Promise<boolean> =>
  mayConnect(config.policy, await member());

/** Says that the person may not do something, and who can. */
export const notAllowed = (what: string, { config }: Pick<Request, "config">): Draft =>
  mrkdwnMessage(`${escapeMrkdwn(what)} Ask ${whoConnects(config.policy)}.`);

/** The control that opens the window for connecting a project. */
export const CONNECT = "connect-project";

/** A button of its own instead of one that runs the command, because a window must open before all other work. */
export function connectButton(label: string, options: { value?: string; style?: "primary" } = {}) {
  return button({ label, action: CONNECT, ...options });
}

/** A field that chooses one of the projects whose names fit into a menu. */
export function projectInput(projects: readonly string[], chosen: string | undefined): InputBlock {
  const options = projects
    .filter((project) => project.length <= MAX_OPTION_VALUE)
    // The preselected project must be among those that fit.
    .sort((a, b) => Number(b === chosen) - Number(a === chosen))
    .slice(0, MOST_OPTIONS)
    .map((project) => optionOf(project, shorten(project, MAX_LABEL)));
  return select("project", "Project", options, chosen);
}

/** Says that there is no project yet, and how to connect one or who can. */
export async function nothingConnected(request: Request): Promise<Draft> {
  const { prefix, config } = request;
  if (!(await mayConnectHere(request))) {
    const who = whoConnects(config.policy);
    return mrkdwnMessage(`No project is connected yet. Ask ${who} to type ${typed(prefix, "connect")}.`);
  }
  return mrkdwnMessage(
    "No project is connected yet. Connect one with its address, its name and an API key.",
    connectButton("Connect a project", { style: "primary" }),
  );
}

/** The control that makes a project the default of the workspace. */
export const USE_EVERYWHERE = "use-everywhere";

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

// Drawing and sending the answer takes the rest.
const LAST_MS = 1000;
const TOO_LONG = "The service took too long to search its logs for this. A shorter time is faster: since:1h.";

/** Makes a call that the client composes of many requests: they count as one, and end in time or are {@link Refused}. */
export async function askTogether<T>(
  { ask }: Pick<Project, "ask">,
  { answerBy, now }: Pick<Request, "answerBy" | "now">,
  call: (client: MediaClient, options: CallOptions) => Promise<T>,
): Promise<T> {
  const signal = AbortSignal.timeout(Math.max(0, answerBy - LAST_MS - now()));
  try {
    return await ask((client, options) => call(client, { ...options, signal }));
  } catch (error) {
    if (signal.aborted && error === signal.reason) throw new Refused(TOO_LONG);
    throw error;
  }
}
