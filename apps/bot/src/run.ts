import { escapeMrkdwn } from "@media-ops/formatters/slack";
import type { Action, Actions, CommandHandlers, Forms, Shortcuts } from "./features.js";
import { help } from "./help/help.js";
import { answerOverHome, startMessage } from "./home/home.js";
import { type Command, language } from "./language.js";
import { logActions, logForms, logs } from "./logs/logs.js";
import { disconnect, projectActions, projectForms, use } from "./projects/actions.js";
import { connect } from "./projects/connect.js";
import { projects } from "./projects/projects.js";
import type { Request } from "./request.js";
import { plainSection, RUN, RUN_APART, row, runButton, wordsOnly } from "./slack/blocks.js";
import type { Draft } from "./slack/draft.js";
import type { Modal } from "./slack/views.js";
import { status } from "./status/status.js";
import { summary, summaryActions } from "./summary/summary.js";
import { token, tokenActions, tokenForms, tokenShortcuts } from "./tokens/tokens.js";

/** What each command does. */
const commands: CommandHandlers = {
  logs,
  summary,
  token,
  status,
  help,
  connect,
  projects,
  use,
  disconnect,
};

/** What a text asks for; undefined where it is empty. */
type Understood =
  | { readonly ok: true; readonly command: Command }
  | { readonly ok: false; readonly draft: Draft }
  | undefined;

/** Does what a text says, and gives what is to be answered; nothing where that has been done in another way. */
export async function run(text: string, request: Request): Promise<Draft | undefined> {
  const understood = await understand(text, request);
  if (understood === undefined) return startMessage(request);
  if (!understood.ok) return understood.draft;
  return runCommand(understood.command, request);
}

/** Does a command that was understood. */
async function runCommand(command: Command, request: Request): Promise<Draft | undefined> {
  // A command's name chooses the handler that takes it, which the compiler cannot follow.
  const handler = commands[command.name] as (command: Command, request: Request) => Promise<Draft | undefined>;
  return handler(command, request);
}

/** What all words for the commands that open one have in common. */
const MAY_OPEN_WINDOW = /tok|connect|login/i;

/** Whether what a text asks for opens a window, which Slack allows for 3 s. */
export function opensWindow(text: string, now: number): boolean {
  // Nearly all that is asked opens none, and to understand it takes time that others wait for.
  if (!MAY_OPEN_WINDOW.test(text)) return false;
  const read = language.parse(text, { now });
  if (!read.ok) return false;
  const { name, ...rest } = read.command;
  return name === "connect" || (name === "token" && Object.keys(rest).length === 0);
}

/** Understands a text, with its times as they are where the person is. */
export async function understand(
  text: string,
  request: Pick<Request, "now" | "prefix" | "timeZone">,
): Promise<Understood> {
  if (text.trim() === "") return undefined;
  const inUtc = language.parse(text, { now: request.now() });
  // To ask for the zone takes a question to Slack.
  if (inUtc.ok && !language.isTimed(inUtc.command)) return inUtc;
  const timeZone = await request.timeZone();
  const read = language.parse(text, { now: request.now(), timeZone });
  return read.ok ? read : { ok: false, draft: notUnderstood(read.problem.reason, read.problem.nearest, request) };
}

/** What a button shows of a command; it runs the whole of it. */
const LONGEST_LABEL = 75;

/** One line: what was wrong, and where. Below it, what would have been right, to be pressed. */
export function notUnderstood(reason: string, nearest: string, { prefix }: Pick<Request, "prefix">): Draft {
  const typed = `${prefix} ${nearest}`;
  const label = typed.length > LONGEST_LABEL ? `${typed.slice(0, LONGEST_LABEL - 1)}…` : typed;
  const right = nearest === "" ? undefined : runButton(label, nearest, { style: "primary" });
  return {
    blocks: [plainSection(reason), ...row(right, runButton("Help", "help", { id: "help" }))],
    text: escapeMrkdwn(reason),
  };
}

/** What can be pressed or chosen. */
export const actions: Actions = {
  [RUN]: {
    isUrgent: ({ value, view }, now) => view?.isHome === true || opensWindow(value, now),
    async run(request, { value, view }) {
      if (view?.isHome && !opensWindow(value, request.now())) return answerOverHome(request, () => run(value, request));
      const draft = await run(value, request);
      if (draft) await request.answer.replace(draft);
    },
  },
  [RUN_APART]: {
    async run(request, { value }) {
      const draft = await run(value, request);
      if (draft) await request.answer.say(draft);
    },
  },
  ...logActions,
  ...summaryActions,
  ...tokenActions,
  ...projectActions,
};

/** What stands in a message that another version of the bot has written. */
export const unknownAction: Action = {
  run: ({ answer, prefix }) =>
    answer.say(
      wordsOnly(
        `This is from another version of the bot and does nothing any more. ${prefix} shows what there is now.`,
      ),
    ),
};

/** What can be filled in and sent. */
export const forms: Forms = { ...logForms, ...tokenForms, ...projectForms };

/** What a window shows that another version of the bot has opened, when it is sent. */
export const unknownForm: Modal = {
  title: "Nothing was done",
  blocks: [plainSection("This window is from another version of the bot. Close it, and ask once more.")],
};

export const shortcuts: Shortcuts = tokenShortcuts;

/** The names of all that people can type, press, send and choose: for programs that have to try every one of them. */
export const inventory: Readonly<Record<"commands" | "actions" | "forms" | "shortcuts", readonly string[]>> = {
  commands: Object.keys(commands),
  actions: Object.keys(actions),
  forms: Object.keys(forms),
  shortcuts: Object.keys(shortcuts),
};
