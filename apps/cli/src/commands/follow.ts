import { matcher } from "@media-ops/commands";
import * as jsonl from "@media-ops/formatters/jsonl";
import * as terminal from "@media-ops/formatters/terminal";
import { connect } from "../connect.js";
import { type CommandNamed, language } from "../language.js";
import { problemText } from "../problem.js";
import { harmlessJson } from "../screen/harmless.js";
import type { Session } from "../session.js";

/** All that one answer of the service holds. */
const ALL = 1000;

/** `media follow`: each entry that matches as it comes, oldest first, until it is stopped. */
export async function follow(command: CommandNamed<"follow">, session: Session): Promise<void> {
  const { world, flags, screen, print, write, say } = session;
  const outage = watchOutage(session);
  const { client, project } = await connect(session, { onResponse: outage.onResponse });
  const { kind, since, every } = command;
  const matches = matcher(command);
  const isJson = flags.json || command.as === "json";
  const followed = client.logs.follow(kind, {
    project_id: command.in ?? project,
    intervalMs: every,
    backlog: since === undefined ? 0 : ALL,
    signal: world.signal,
    onError: outage.onError,
  });
  say(`Following ${language.describe(command, { project, ...screen })}. Ctrl-C ends it.`);
  for await (const { entry, gap } of followed) {
    if (gap) say("More than 1,000 entries came at once: some are missing here.");
    if (!matches(entry)) continue;
    if (isJson) write(harmlessJson(jsonl.formatLogs(kind, [entry])));
    else {
      // Both the present and the width of a window change.
      print(terminal.formatLogs(kind, [entry], { ...session.screen, now: world.now(), style: "compact" }));
    }
  }
}

/** Says once what is wrong, however long it lasts, and that it is over. */
function watchOutage(session: Session) {
  let failing: string | undefined;
  return {
    onError(error: unknown): void {
      const name = error instanceof Error ? error.name : "";
      if (name === failing) return;
      failing = name;
      session.show(problemText(error, session));
      session.say("Looking again and again until it answers.");
    },
    onResponse({ ok }: Response): void {
      if (!ok || failing === undefined) return;
      failing = undefined;
      session.say("It answers again.");
    },
  };
}
