import { matcher } from "@media-ops/commands";
import * as jsonl from "@media-ops/formatters/jsonl";
import * as terminal from "@media-ops/formatters/terminal";
import { type CommandNamed, language } from "../language.js";
import { connect, type Session } from "../session.js";

/** All that one answer of the service holds. */
const ALL = 1000;

/** `media follow`: each entry that matches as it comes, oldest first, until it is stopped. */
export async function follow(command: CommandNamed<"follow">, session: Session): Promise<void> {
  const { world, flags, screen, print, write, say } = session;
  const { client, project } = await connect(session);
  const { kind, since, every } = command;
  const matches = matcher(command);
  const isJson = flags.json || command.as === "json";
  const followed = client.logs.follow(kind, {
    project_id: command.in ?? project,
    intervalMs: every,
    backlog: since === undefined ? 0 : ALL,
    signal: world.signal,
    onError: (error) => say(`${terminal.formatProblem(error, screen)}\nTrying again.`),
  });
  say(`Following ${language.describe(command, { project, ...screen })}. Ctrl-C ends it.`);
  for await (const { entry, gap } of followed) {
    if (gap) say("More than 1,000 entries came at once: some are missing here.");
    if (!matches(entry)) continue;
    if (isJson) write(jsonl.formatLogs(kind, [entry]));
    else print(terminal.formatLogs(kind, [entry], { ...screen, now: world.now(), style: "compact" }));
  }
}
