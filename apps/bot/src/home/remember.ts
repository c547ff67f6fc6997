import { type Command, language } from "../language.js";
import { projectOverview } from "../projects/open-project.js";
import type { Request } from "../request.js";

/** The commands that read what is in a project; the app home has buttons for the other ones that read. */
const QUESTIONS: ReadonlySet<Command["name"]> = new Set(["logs", "summary", "trace", "why", "live", "status"]);

// A longer text does not fit into a button.
const LONGEST = 2000;

/** Remembers a command for the app home if it is a question. The answer doesn't wait for that. */
export function rememberQuestion(text: string, command: Command, request: Request): void {
  if (!QUESTIONS.has(command.name)) return;
  const { questions, teamId, userId, log } = request;
  request.later(async () => {
    try {
      const question = await asAskedAnywhere(oneLine(text, request), command, request);
      if (question.length <= LONGEST) await questions.add(teamId, userId, question);
    } catch (error) {
      log.warn({ err: error }, "a question was not stored for the app home");
    }
  });
}

/**
 * The text as typed, because a written command has a fixed period instead of the last two hours. Spaces stay if they
 * matter, as in a quoted text.
 */
function oneLine(text: string, { now, timeZone }: Request): string {
  const trimmed = text.trim();
  const single = trimmed.replace(/\s+/g, " ");
  const when = { now: now(), timeZone };
  const [asTyped, asShortened] = [trimmed, single].map((one) => {
    const read = language.parse(one, when);
    return read.ok ? language.write(read.command) : undefined;
  });
  return asTyped === asShortened ? single : trimmed;
}

/** The text with its project, if there are several: the app home may use another one than the conversation. */
async function asAskedAnywhere(text: string, command: Command, request: Request): Promise<string> {
  if ("in" in command && command.in !== undefined) return text;
  const { connections, here } = await projectOverview(request);
  if (connections.length < 2 || !here) return text;
  const named = inProject(text, here.projectId);
  const read = language.parse(named, { now: request.now(), timeZone: request.timeZone });
  // The text may end within a quotation.
  return read.ok && "in" in read.command && read.command.in === here.projectId ? named : text;
}

/** A command's text with its project. */
export const inProject = (text: string, projectId: string): string =>
  `${text} ${language.write({ name: "status", in: projectId }).replace("status ", "")}`;
