import { formatCount } from "@media-ops/formatters";
import * as csv from "@media-ops/formatters/csv";
import * as jsonl from "@media-ops/formatters/jsonl";
import * as terminal from "@media-ops/formatters/terminal";
import { connect } from "../connect.js";
import type { CommandNamed } from "../language.js";
import { harmlessCsv, harmlessJson } from "../screen/harmless.js";
import type { Session } from "../session.js";
import { CAP_NOTE, find, headingOf } from "./find.js";

/** As many entries as a screen or two hold. What a program is to read is whole. */
const ON_SCREEN = 50;

/** `media logs`: the entries that match, newest first. */
export async function logs(command: CommandNamed<"logs">, session: Session): Promise<void> {
  const { flags, screen, world, print, write, say } = session;
  const connected = await connect(session);
  const found = await find(command, connected, session);
  const style = flags.json ? "json" : (command.as ?? "table");
  const isForPeople = style === "table" || style === "compact";
  const shown = found.entries.slice(0, command.last ?? (isForPeople ? ON_SCREEN : undefined));

  if (style === "csv") {
    const lines = csv.formatLogs(command.kind, shown);
    // A file gets every sign as it is; a screen would obey some.
    write(world.stdout.isTTY ? harmlessCsv(lines) : lines);
  } else if (style === "json") write(harmlessJson(jsonl.formatLogs(command.kind, shown)));
  else {
    say(headingOf(command, found, connected, session));
    if (shown.length > 0) print(terminal.formatLogs(command.kind, shown, { ...screen, style }));
    const left = found.entries.length - shown.length;
    if (left > 0) say(`${formatCount(left)} more: last:${found.entries.length}, or a filter, or as:csv for a file.`);
  }
  if (found.mayLackOlder) say(CAP_NOTE);
}
