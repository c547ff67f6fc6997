import { shorten } from "@media-ops/commands";
import { redact } from "@media-ops/secrets";
import { actActions, actForms, openAct } from "./acts/acts.js";
import { deliveries, endpoints } from "./acts/deliveries.js";
import { tokens } from "./acts/tokens.js";
import { approvalActions, approvalForms } from "./approvals/approvals.js";
import { audit } from "./audit/audit-command.js";
import { help } from "./help/help.js";
import { answerOverHome, QUERY, startMessage } from "./home/home.js";
import {
  type ActCommand,
  actNames,
  type Command,
  type CommandNamed,
  inProject,
  isQuestion,
  language,
} from "./language.js";
import { live, liveActions } from "./live/live.js";
import { logActions, logForms, logs } from "./logs/logs.js";
import { lookUpShortcuts } from "./look-up/look-up.js";
import { connect } from "./projects/connect.js";
import { connectButton, mayConnectHere, projectOverview } from "./projects/open-project.js";
import { forget, projectActions, projectForms, projects, use } from "./projects/projects.js";
import { typed as asCode } from "./projects/words.js";
import { queryForms, queryShortcuts } from "./query/query.js";
import {
  type Action,
  type Actions,
  type Form,
  type Forms,
  onlyFaults,
  type Request,
  type SentForm,
  type Shortcuts,
} from "./request.js";
import {
  type Draft,
  MAX_LABEL,
  mrkdwnMessage,
  plainMessage,
  plainSection,
  RUN,
  RUN_APART,
  runButton,
} from "./slack/answer.js";
import type { Modal } from "./slack/views.js";
import { status } from "./status/status.js";
import { summary, summaryActions } from "./summary/summary.js";
import { token, tokenActions, tokenForms, tokenShortcuts } from "./tokens/tokens.js";
import { trace, traceActions, traceForms } from "./trace/trace.js";
import { digest } from "./watches/digest.js";
import { watch, watchForms } from "./watches/watch.js";
import { watchActions, watches } from "./watches/watches.js";
import { why, whyActions } from "./why/why.js";

/** Whether a text contains a key, a token or another secret, and must be neither stored nor repeated. */
const holdsSecret = (text: string): boolean => redact(text) !== text;

const WORDS =
  "This contains a key or a token, so nothing was done with it. Remove it here, revoke it, and use a new one.";

/** The fields of a window that contain a secret; undefined if none does. */
export function secretFaults(values: SentForm["values"], { secretField }: Pick<Form, "secretField">) {
  const faults = Object.entries(values).map(([field, text]) => {
    const isFault = field !== secretField && text !== undefined && holdsSecret(text);
    return [field, isFault ? WORDS : undefined];
  });
  return onlyFaults(Object.fromEntries(faults));
}

/** A warning if a text contains a key or a token, without repeating it; undefined if it contains none. */
export async function keyInChat(
  text: string,
  request: Pick<Request, "prefix" | "config" | "member">,
): Promise<Draft | undefined> {
  if (!holdsSecret(text)) return undefined;
  const words = "*What you typed contains a key or a token, so nothing was done with it.*";
  const next = `Revoke it: Slack's history may contain it now. API keys are entered in a window: ${asCode(request.prefix, "connect")} opens.`;
  const isAllowed = await mayConnectHere(request);
  const connectNow = isAllowed ? connectButton("Connect a project", { style: "primary" }) : undefined;
  return mrkdwnMessage(`${words} ${next}`, connectNow);
}

/** The text of a command, as far as it can be parsed before the person is known. */
export interface TypedCommand {
  readonly text: string;
  readonly opensWindow: boolean;
  /** The parsed command if it opens a form or is one's; the times in others depend on the person's time zone. */
  readonly command?: Command;
}

/** Reads a received text. Parses it only if it may open a window. */
export function typedCommand(text: string, now: number): TypedCommand {
  const spec = language.commandNamed(text);
  const read = spec?.opensWindow ? language.parse(text, { now }) : undefined;
  // "token ?" asks for help.
  if (!read?.ok || read.command.name !== spec?.name) return { text, opensWindow: false };
  // The times of an act depend on the person's time zone.
  if (actNames.has(spec.name)) return { text, opensWindow: true };
  const opensWindow = spec.opensWindow === "always" || Object.keys(read.command).length === 1;
  return opensWindow ? { text, opensWindow, command: read.command } : { text, opensWindow };
}

/** Runs a command and returns the answer, or undefined for a window; the text of a button is not remembered. */
export async function runTyped(
  { text, command }: Pick<TypedCommand, "text" | "command">,
  request: Request,
  isPressed = false,
): Promise<Draft | undefined> {
  const warning = await keyInChat(text, request);
  if (warning) return warning;
  if (text.trim() === "") return startMessage(request);
  const read = command ? { ok: true as const, command } : readCommand(text, request);
  if (!read.ok) return notUnderstood(read.problem.reason, read.problem.nearest, request);
  if (!isPressed) rememberQuestion(text, read.command, request);
  return runCommand(read.command, request);
}

/** Parses a command, with times in the person's time zone. */
export const readCommand = (text: string, { now, timeZone }: Pick<Request, "now" | "timeZone">) =>
  language.parse(text, { now: now(), timeZone });

// A longer text does not fit into a button.
const LONGEST = 2000;

/** Remembers a command for the app home if it is a question. The answer doesn't wait for that. */
function rememberQuestion(text: string, command: Command, request: Request): void {
  if (!isQuestion(command)) return;
  const { questions, teamId, userId, log } = request;
  request.later(async () => {
    try {
      const question = await questionIn(text, command, request);
      if (question.length <= LONGEST) await questions.add(teamId, userId, question);
    } catch (error) {
      log.warn({ err: error }, "a question was not stored for the app home");
    }
  });
}

/** The text as typed: when written, "last 2 hours" is a fixed period. It names its project if there are several. */
async function questionIn(text: string, command: Command, request: Request): Promise<string> {
  const when = { now: request.now(), timeZone: request.timeZone };
  const parsed = (one: string): Command | undefined => {
    const read = language.parse(one, when);
    return read.ok ? read.command : undefined;
  };
  const typed = text.trim();
  const single = typed.replace(/\s+/g, " ");
  const [written, shortened] = [typed, single].map(parsed).map((read) => read && language.write(read));
  // Spaces stay if they matter, as in a quoted text.
  const question = written === shortened ? single : typed;
  if ("in" in command && command.in !== undefined) return question;
  const { connections, here } = await projectOverview(request);
  if (connections.length < 2 || !here) return question;
  const named = inProject(question, here.projectId);
  const read = parsed(named);
  // The text may end within a quotation.
  return read && "in" in read && read.in === here.projectId ? named : question;
}

const act = async (command: ActCommand, request: Request): Promise<undefined> => {
  await openAct(command, request);
};

type Handlers = {
  readonly [Name in Command["name"]]: (command: CommandNamed<Name>, request: Request) => Promise<Draft | undefined>;
};

const handlers: Handlers = {
  ...{ logs, summary, trace, why, live, token, status, help, use, forget, watch, watches, digest, tokens },
  ...{ deliveries, endpoints, audit },
  ...{ revoke: act, resend: act, enable: act, disconnect: act },
  connect: (_, request) => connect(request),
  projects: (_, request) => projects(request),
};

/** Generic, because only for one name at a time does TypeScript know that the handler takes the command. */
function runCommand<Name extends Command["name"]>(
  command: CommandNamed<Name> & { readonly name: Name },
  request: Request,
): Promise<Draft | undefined> {
  return handlers[command.name](command, request);
}

/** The problem with a command, with a button that runs the nearest valid one. */
export function notUnderstood(reason: string, nearest: string, { prefix }: Pick<Request, "prefix">): Draft {
  const label = shorten(`${prefix} ${nearest}`, MAX_LABEL);
  const right = nearest === "" ? undefined : runButton(label, nearest, { style: "primary" });
  return plainMessage(reason, right, runButton("Help", "help", { id: "help" }));
}

/** The actions of all features. */
export const actions: Actions = {
  [RUN]: {
    isUrgent: ({ value, view }, now) => view?.isHome === true || typedCommand(value, now).opensWindow,
    async run(request, { value, view }) {
      const typed = typedCommand(value, request.now());
      if (view?.isHome && !typed.opensWindow) return answerOverHome(request, () => runTyped(typed, request, true));
      const draft = await runTyped(typed, request, true);
      if (draft) await request.answer.replace(draft);
    },
  },
  [RUN_APART]: {
    async run(request, { value }) {
      const draft = await runTyped(typedCommand(value, request.now()), request, true);
      if (draft) await request.answer.say(draft);
    },
  },
  [QUERY]: { isUrgent: true, run: async (request) => queryShortcuts.query_logs?.(request) },
  ...logActions,
  ...summaryActions,
  ...traceActions,
  ...whyActions,
  ...liveActions,
  ...tokenActions,
  ...approvalActions,
  ...actActions,
  ...projectActions,
  ...watchActions,
};

/** Answers a control from another version of the bot. */
export const unknownAction: Action = {
  run: ({ answer, prefix }) =>
    answer.say(plainMessage(`This button is from another version of the bot and no longer works. Type ${prefix}.`)),
};

/** The forms of all features. */
export const forms: Forms = {
  ...logForms,
  ...traceForms,
  ...tokenForms,
  ...approvalForms,
  ...actForms,
  ...projectForms,
  ...watchForms,
  ...queryForms(runTyped),
};

/** Answers a window from another version of the bot. */
export const unknownForm: Modal = {
  title: "Nothing was done",
  blocks: [plainSection("This window is from another version of the bot. Close it and open it again.")],
};

/** The shortcuts in Slack's menus. */
export const shortcuts: Shortcuts = { ...tokenShortcuts, ...lookUpShortcuts, ...queryShortcuts };

/** The names of all commands, actions, forms and shortcuts, for programs that try each of them. */
export const inventory: Readonly<Record<"commands" | "actions" | "forms" | "shortcuts", readonly string[]>> = {
  commands: language.commands.map(({ name }) => name),
  actions: Object.keys(actions),
  forms: Object.keys(forms),
  shortcuts: Object.keys(shortcuts),
};
