import { auditRequest, capital, MOST_LISTED } from "@media-ops/commands";
import * as csv from "@media-ops/formatters/csv";
import * as jsonl from "@media-ops/formatters/jsonl";
import * as terminal from "@media-ops/formatters/terminal";
import type { AuditEntry } from "@media-ops/sdk";
import { type Connected, connect } from "./connect.js";
import { type CommandNamed, language } from "./language.js";
import { csvFor, harmlessJson } from "./output.js";
import { MOST_READ } from "./reading.js";
import { knownTo, moreIn, requestIn } from "./requests.js";
import type { Session } from "./session.js";

type Audit = CommandNamed<"audit">;

/** `media audit`: lists who changed what; all of it as a file. */
export async function audit(command: Audit, session: Session): Promise<void> {
  const connected = await connect(session);
  const style = session.flags.json ? "json" : (command.as ?? "table");
  if (style === "table") return showSome(command, connected, session);
  return writeAll(command, style, connected, session);
}

async function showSome(command: Audit, connected: Connected, session: Session): Promise<void> {
  const { world, screen, print } = session;
  const request = requestIn(auditRequest(command, knownTo(connected, session)));
  const found = await connected.wait(connected.client.audit.list(request, { signal: world.signal }));
  const title = capital(language.describe(command, { project: connected.project, ...screen }));
  print(terminal.formatAudit(found.entries, { ...screen, title, ...moreIn(found, command.last) }));
}

/** Writes the entries for programs, newest first: all of them, or as many as the command wants. */
async function writeAll(command: Audit, style: "csv" | "json", connected: Connected, session: Session): Promise<void> {
  const { world, deliver, say } = session;
  const { limit, ...request } = requestIn(auditRequest(command, knownTo(connected, session)));
  const most = limit ?? MOST_READ;
  const pages = connected.client.audit.list.all(
    { ...request, limit: Math.min(most, MOST_LISTED) },
    { signal: world.signal },
  );
  const entries: AuditEntry[] = [];
  for (;;) {
    const { value: entry } = await connected.wait(pages.next());
    if (!entry || entries.length === most) {
      if (entry && limit === undefined) say(`Incomplete: the output ends after ${most} entries. Narrow it down.`);
      break;
    }
    entries.push(entry);
  }
  if (style === "csv") return deliver(csvFor(world.stdout, csv.formatAudit(entries)));
  await deliver(harmlessJson(jsonl.formatAudit(entries)));
}
