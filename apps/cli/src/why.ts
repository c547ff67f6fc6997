import { capital, type Filter, forShell, searchOf, whyDefaults } from "@media-ops/commands";
import * as terminal from "@media-ops/formatters/terminal";
import { askWhy, type Why as Explained, type WhyCause } from "@media-ops/reports";
import { keptOf } from "@media-ops/reports/entries";
import { connect } from "./connect.js";
import { type CommandNamed, language } from "./language.js";
import { BEFORE_KEPT, printJson } from "./output.js";
import type { Session } from "./session.js";

type Why = CommandNamed<"why">;

/** `media why`: explains why connections failed or were refused, the most likely cause first. */
export async function why(command: Why, session: Session): Promise<void> {
  const { flags, screen, print, say, show } = session;
  const { ask, project } = await connect(session);
  const { channel, until, since = (until ?? screen.now) - whyDefaults.periodMs } = command;
  const project_id = command.in ?? project;
  const request = {
    ...searchOf({ kind: "events", filters: [], since, until }),
    ...(project_id !== undefined && { project_id }),
    ...(channel !== undefined && { channel }),
  };
  const found = await ask((client, options) => askWhy(client, request, options));
  const isKept = keptOf({ since, until }, screen.now).gone === undefined;
  if (!isKept) say(BEFORE_KEPT);
  if (flags.json) return printJson({ ...found, complete: found.complete && isKept }, session);
  const title = capital(language.describe({ ...command, since }, { project, ...screen }));
  print(terminal.formatWhy(found, { ...screen, title }));
  const { causes } = found;
  if (causes.length === 0) return;
  say(causes.length === 1 ? "Its entries:" : "The entries of each cause:");
  // No added line breaks, because the commands are copied.
  for (const cause of causes) show(`  ${entriesOf(cause, found, command)}`);
}

/** The command that lists the entries of a cause, as it must be typed in a shell. */
function entriesOf(
  { outcome, reason, mediaReason }: WhyCause,
  { since, until }: Explained,
  { channel, in: project }: Why,
): string {
  const isFailed = outcome === "failed";
  const listed = language.write({
    name: "logs",
    kind: "events",
    filters: [
      is("outcome", outcome),
      // A session that vanished with its node is no connection.
      ...(isFailed ? [is("type", "connection.", "")] : []),
      reason === undefined ? isAbsent("reason") : is("reason", reason),
      ...(!isFailed ? [] : [mediaReason === undefined ? isAbsent("media-reason") : is("media-reason", mediaReason)]),
      ...(channel === undefined ? [] : [is("channel", channel)]),
    ],
    since: Date.parse(since),
    until: Date.parse(until),
    ...(project !== undefined && { in: project }),
  });
  return terminal.clean(`media ${forShell(listed)}`);
}

/** A filter for a text, or for its parts with anything between them. */
const is = (field: string, ...parts: string[]): Filter => ({
  field,
  negated: false,
  test: { is: "like", any: [parts] },
});

const isAbsent = (field: string): Filter => ({ ...is(field, "", ""), negated: true });
