import { summarize } from "@media-ops/formatters";
import * as terminal from "@media-ops/formatters/terminal";
import { connect } from "../connect.js";
import type { CommandNamed } from "../language.js";
import { harmlessJson } from "../screen/harmless.js";
import type { Session } from "../session.js";
import { CAP_NOTE, find, headingOf } from "./find.js";

/** `media summary`: what the entries that match say together. */
export async function summary(command: CommandNamed<"summary">, session: Session): Promise<void> {
  const { flags, screen, print, say } = session;
  const connected = await connect(session);
  const found = await find(command, connected, session);
  const { kind, since, until } = command;
  if (flags.json) print(harmlessJson(JSON.stringify(summarize(kind, found.entries, { since, until }))));
  else {
    const title = headingOf(command, found, connected, session);
    print(terminal.formatSummary(kind, found.entries, { ...screen, since, until, title }));
  }
  if (found.mayLackOlder) say(CAP_NOTE);
}
