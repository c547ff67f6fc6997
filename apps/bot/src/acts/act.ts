import { escapeMrkdwn, type SlackBlock, type SlackMessage } from "@media-ops/formatters/slack";
import type { CallOptions, MediaClient } from "@media-ops/sdk";
import type { Button, InputBlock } from "@slack/types";
import { type ActRecord, type AuditPost, actPlace, type Act as RecordedAct } from "../audit/audited.js";
import type { Ask, Project } from "../connections/connections.js";
import { type ActCommand, actNames, type Command, language } from "../language.js";
import { type Member, mayAct, type Act as Right } from "../policy/policy.js";
import { type Askable, unlessLacking } from "../projects/open-project.js";
import type { Request, SentForm } from "../request.js";
import { button, type Draft, Refused, row, runButton } from "../slack/answer.js";

/** As many as fit into a message, each with a button. */
export const MOST_SHOWN = 20;
/** As many as a window needs to say what is concerned. */
export const MOST_IN_WINDOW = 5;

/** The action that opens the window of an act, and the form that does it. */
export const ACT = "act";

/** Who acts, and on which project. */
export interface Scene {
  readonly project: Project;
  readonly request: Request;
  readonly ask: Ask;
  /** The same for what not every service has; throws {@link Refused} if the service lacks it. */
  readonly need: <T>(what: Askable, call: (client: MediaClient, options: CallOptions) => Promise<T>) => Promise<T>;
}

interface Prospect {
  readonly blocks: readonly SlackBlock[];
  /** A further choice. @default none */
  readonly field?: InputBlock | undefined;
  /** Whether there is something to do. @default true */
  readonly isPossible?: boolean;
}

/** An act of a command, before it is done. */
export interface Act {
  readonly title: string;
  readonly submit: string;
  readonly right: Exclude<Right, "revokeOwn" | "audit">;
  /** What it is in a sentence: "You may not end connections." */
  readonly doing: string;
  readonly record: Pick<RecordedAct, "action" | "subject">;
  /** Whether a person may do it although they don't have the right in general. @default no */
  isAllowedAnyway?(member: Member, scene: Scene): Promise<boolean>;
  look(scene: Scene): Promise<Prospect>;
  run(scene: Scene, record: ActRecord, values: SentForm["values"]): Promise<Draft>;
}

/** The name by which a person's requests are known at services. */
export const requesterOf = ({ teamId, userId }: Pick<Request, "teamId" | "userId">): string =>
  `slack:${teamId}/${userId}`;

/** What the requests of commands need to know besides the command. */
export const operationOptions = ({ project, request }: Pick<Scene, "project" | "request">) => ({
  project: project.id,
  me: requesterOf(request),
  team: request.teamId,
});

/** The body of a request: in Slack, the project and the workspace are always known. */
export function requestOf<T>(result: { ok: true; request: T } | { ok: false; missing: string }): T {
  if (!result.ok) throw new Error(`the ${result.missing} of a command is unknown`);
  return result.request;
}

/** The scene of a request. */
export function sceneOf(project: Project, request: Request): Scene {
  const requestedBy = requesterOf(request);
  const ask: Ask = (call) => project.ask((client, options) => call(client, { ...options, requestedBy }));
  return { project, request, ask, need: (what, call) => unlessLacking(ask(call), what, project) };
}

/** Announces in the audit channel what a person did in a project. */
export function announceAct(
  record: ActRecord,
  { project, request: { userId, channelId } }: Scene,
  did: string,
  facts: AuditPost["facts"],
): void {
  const heading = `<@${userId}> ${did} in ${actPlace(channelId)}.`;
  record.announce({ heading, facts: [["Project", escapeMrkdwn(project.id)], ...facts] });
}

/** A button that opens the window of an act; undefined if its command is too long. */
export const actButton = (label: string, id: string, command: ActCommand): Button | undefined =>
  button({ label, action: `${ACT}:${id}`, value: language.write(command) });

/** A button that runs a command. */
export const commandButton = (label: string, id: string, command: Command): Button | undefined =>
  runButton(label, language.write(command), { id });

/** A message above a row of controls. */
export const withControls = ({ blocks, text }: SlackMessage, ...controls: (Button | undefined)[]): Draft => ({
  blocks: [...blocks, ...row(...controls)],
  text,
});

/** Whether a person may act, for buttons that others don't need. */
export async function mayDo(right: Act["right"], { config, member }: Request): Promise<boolean> {
  return mayAct(config.policy, await member(), right);
}

const isActCommand = (command: Command): command is ActCommand => actNames.has(command.name);

/** The command of a button or a window; any other text is {@link Refused}, as a message may be older than the bot. */
export function actCommandIn(text: unknown, { now, prefix }: Pick<Request, "now" | "prefix">): ActCommand {
  const read = typeof text === "string" ? language.parse(text, { now: now() }) : undefined;
  if (read?.ok && isActCommand(read.command)) return read.command;
  throw new Refused(`This button is too old to use. Nothing was done; ${prefix} help names the commands.`);
}
