import { formatCount } from "@media-ops/formatters";
import * as jsonl from "@media-ops/formatters/jsonl";
import * as terminal from "@media-ops/formatters/terminal";
import { countFound } from "@media-ops/reports";
import { connect } from "./connect.js";
import { type CommandNamed, language } from "./language.js";
import { harmlessJson } from "./output.js";
import { questionOf, serviceOf } from "./reading.js";
import type { Session } from "./session.js";
import { outageReporter } from "./watch.js";

/** The most entries of a period that precede the new ones. */
const BACKLOG = 1000;

/** `media follow`: prints each new matching entry, in the order in which they are written, until it is stopped. */
export async function follow(command: CommandNamed<"follow">, session: Session): Promise<void> {
  const { world, flags, screen, print, deliver, say } = session;
  const outage = outageReporter(session);
  const connected = await connect(session, { onResponse: outage.onResponse });
  const { client, project } = connected;
  const { kind, since, every } = command;
  const isJson = flags.json || command.as === "json";
  const followed = client.logs.follow(kind, {
    ...questionOf(command, connected),
    intervalMs: every,
    backlog: since === undefined ? 0 : BACKLOG,
    signal: world.signal,
    onError: outage.onError,
  });
  say(`Following ${language.describe(command, { project, ...screen })}. Ctrl-C stops.`);
  if (since !== undefined) {
    const counted = await countFound(serviceOf(connected, session), kind, questionOf(command, connected));
    const words = backlogWords(command, counted?.found);
    if (words !== undefined) say(words);
  }
  let newest: string | undefined;
  for await (const { entry, gap } of followed) {
    newest = entry.timestamp;
    if (gap) say("More than 1,000 new entries at once: some are missing here.");
    if (isJson) await deliver(harmlessJson(jsonl.formatLogs(kind, [entry])));
    // The time and the window's width change.
    else print(terminal.formatLogs(kind, [entry], { ...session.screen, now: world.now(), style: "compact" }));
  }
  if (newest !== undefined) say(`Go on with since:${newest}, which repeats the last entry.`);
}

/** Says that a period has more entries than precede the new ones. */
function backlogWords({ kind }: CommandNamed<"follow">, found: number | undefined): string | undefined {
  const most = formatCount(BACKLOG);
  if (found === undefined) return `Of the entries until now, at most the newest ${most} come first.`;
  if (found <= BACKLOG) return undefined;
  return `The newest ${most} of ${formatCount(found)} come first; media logs ${kind} with since: lists the others.`;
}
