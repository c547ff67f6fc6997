import type { SlackMessage } from "@media-ops/formatters/slack";
import { undoEscapes } from "../http/entrance.js";
import { type Command, isQuestion, language } from "../language.js";
import type { Request } from "../request.js";
import { keyInChat, readCommand, runTyped, type TypedCommand, typedCommand } from "../run.js";
import {
  apartButton,
  type Draft,
  plainMessage,
  plainSection,
  row,
  runButton,
  withoutButtons,
} from "../slack/answer.js";

const MENTION = /<@(\w+)(?:\|[^<>]*)?>/g;
// People mark commands as code.
const CODE = /^(`{3}|`)([^`]*)\1$/s;

/** The command in a message that mentions the bot, anywhere in it. */
export function commandIn(text: string, botUserId: string | undefined): string {
  const others = text.replace(MENTION, (mention, userId: string) => (userId === botUserId ? " " : mention)).trim();
  return undoEscapes(others.replace(CODE, "$2").trim());
}

/** Answers a mention in the thread of a message: for everyone what was read, everything else for the person alone. */
export async function answerMention(text: string, threadTs: string, request: Request): Promise<void> {
  const { answer } = request;
  const warning = await keyInChat(text, request);
  if (warning) return answer.say(visibleToAll(warning));
  const typed = typedCommand(text, request.now());
  if (typed.opensWindow) return answer.say(windowOffer(typed));
  const read = text === "" ? undefined : readCommand(text, request);
  if (read?.ok && isForEveryone(read.command)) {
    // Readers may be in other time zones, and Slack converts only the times of entries.
    const draft = await runTyped({ ...typed, command: read.command }, { ...request, timeZone: "UTC" });
    return draft && answer.reply(publicDraft(draft, read.command), threadTs);
  }
  const draft = await runTyped(typed, request);
  if (draft) await answer.say(draft);
}

/** Whether an answer is of use to others; a file goes to the person alone. */
function isForEveryone(command: Command): boolean {
  const isFile = "as" in command && (command.as === "csv" || command.as === "json");
  return isQuestion(command) && !isFile;
}

/** The answer without its controls, which would replace it for everyone; the button opens the reader's own. */
function publicDraft(draft: Draft, command: Command): Draft {
  const closer = row(apartButton("Look closer", language.write(command), "closer"));
  const shown = ({ blocks, text }: SlackMessage): SlackMessage => ({
    blocks: [...withoutButtons(blocks), ...closer],
    text,
  });
  const { compact } = draft;
  return { ...draft, ...shown(draft), compact: compact && (() => shown(compact())) };
}

const VISIBLE = "Everyone in this conversation can see it: delete your message.";

const visibleToAll = (warning: Draft): Draft => ({ ...warning, blocks: [plainSection(VISIBLE), ...warning.blocks] });

/** A button that opens the window of a command: Slack lets a mention open none. */
function windowOffer({ text, command }: TypedCommand): Draft {
  const [what, label] =
    command === undefined
      ? ["This is confirmed in a window.", "Go on…"]
      : command.name === "token"
        ? ["An access token is described in a window.", "Describe the token"]
        : ["A project is connected in a window.", "Connect a project"];
  return plainMessage(what, runButton(label, text, { style: "primary" }));
}
