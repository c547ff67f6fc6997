import { shorten } from "@media-ops/commands";
import { formatTable } from "@media-ops/formatters/csv";
import { escapeMrkdwn, type SlackBlock } from "@media-ops/formatters/slack";
import { type CommandNamed, language } from "../language.js";
import { mayAct } from "../policy/decide.js";
import { whoIn } from "../projects/words.js";
import type { Request } from "../request.js";
import {
  type Draft,
  inPlace,
  mrkdwnMessage,
  mrkdwnSection,
  Refused,
  row,
  runButton,
  slackDate,
} from "../slack/blocks.js";
import { type FileForm, fileName, sendFile } from "../slack/send-file.js";
import type { AuditEntry, AuditFilter } from "./audit-log.js";

type AuditCommand = CommandNamed<"audit">;

// As many as are read in a message, within Slack's limits.
const MOST_SHOWN = 20;
const LONGEST_DETAIL = 200;

/** `/media audit`: who did what in this workspace, newest first. Only the person who asks sees it. */
export async function audit(command: AuditCommand, request: Request): Promise<Draft> {
  const { config, member, audit: log, teamId } = request;
  const { policy } = config;
  if (!mayAct(policy, await member(), "audit")) {
    throw new Refused(mrkdwnMessage(`You may not read the audit log. Ask ${whoIn(policy.act.audit)}.`));
  }
  const filter = filterOf(command, request);
  const { as: form } = command;
  if (form === "csv" || form === "json") return sendAudit(form, filter, command.last, request);
  const limit = Math.min(command.last ?? MOST_SHOWN, MOST_SHOWN);
  const found = await log.find(teamId, { ...filter, limit: limit + 1 });
  return auditDraft(command, pageOf(found, limit), found.length > limit);
}

type Filter = Omit<AuditFilter, "limit">;

function filterOf({ since, until, by, action, in: projectId }: AuditCommand, { userId, teamId }: Request): Filter {
  return { since, until, action, projectId, userId: by && idOf(by, { userId, teamId }) };
}

/** @throws {Refused} if a name is none of a person in this workspace. */
function idOf(by: NonNullable<AuditCommand["by"]>, { userId, teamId }: { userId: string; teamId: string }): string {
  if (by.is === "me") return userId;
  if (by.is === "slack") return by.user;
  const id = by.name.startsWith(`slack:${teamId}/`) ? by.name.slice(`slack:${teamId}/`.length) : by.name;
  if (/^[UW][A-Z0-9]+$/.test(id)) return id;
  throw new Refused("The bot's audit log has people of this workspace only. Name one with by:@name, or by:me.");
}

function auditDraft(command: AuditCommand, entries: readonly AuditEntry[], hasMore: boolean): Draft {
  const heading =
    entries.length === 0 ? "*Audit log:* no entry matches." : `*Audit log:* ${countText(entries, hasMore)}`;
  const oldest = entries.at(-1)?.at;
  const older = hasMore && oldest !== undefined ? language.write({ ...command, until: oldest }) : undefined;
  const file = entries.length === 0 ? undefined : language.write({ ...command, as: "json" });
  return {
    blocks: [
      mrkdwnSection(heading),
      ...entries.map(entryBlock),
      ...row(
        older === undefined ? undefined : runButton("Older", older, { id: "older" }),
        file === undefined ? undefined : runButton("JSON lines", file, { id: "file" }),
      ),
    ],
    text: heading,
  };
}

function countText(entries: readonly AuditEntry[], hasMore: boolean): string {
  const amount = entries.length === 1 ? "1 entry" : `${entries.length} entries`;
  return hasMore ? `the newest ${amount}` : amount;
}

function entryBlock({ at, userId, action, placeId, via, projectId, subject, outcome, detail }: AuditEntry): SlackBlock {
  const facts = [
    slackDate(at),
    `<@${escapeMrkdwn(userId)}>`,
    `*${escapeMrkdwn(action)}*`,
    escapeMrkdwn(outcome === "begun" ? "begun, outcome unknown" : outcome),
    ...(projectId === undefined ? [] : [escapeMrkdwn(projectId)]),
    ...(placeId === undefined ? [] : [inPlace(placeId)]),
    ...(via === undefined ? [] : [`by ${escapeMrkdwn(via)}`]),
    ...(subject === undefined ? [] : [escapeMrkdwn(subject)]),
  ];
  const more = detail === undefined ? "" : `\n${escapeMrkdwn(shorten(detail, LONGEST_DETAIL))}`;
  return mrkdwnSection(`${facts.join(" · ")}${more}`);
}

// Some megabytes, and more than a year of a busy workspace.
const MOST_IN_FILE = 20_000;
const PAGE = 1000;

/** The entries of a page. Those of one moment stay together, so that the next page can begin before it. */
export function pageOf(found: readonly AuditEntry[], limit: number): readonly AuditEntry[] {
  const next = found[limit];
  if (!next) return found;
  const whole = found.slice(0, limit).filter(({ at }) => at !== next.at);
  return whole.length > 0 ? whole : found.slice(0, limit);
}

/**
 * Sends the matching entries to the person as a file, newest first; returns a message that says where it is.
 *
 * @param last How many; undefined for all.
 */
async function sendAudit(form: FileForm, filter: Filter, last: number | undefined, request: Request): Promise<Draft> {
  const most = last ?? MOST_IN_FILE;
  const rows: ReturnType<typeof rowOf>[] = [];
  let until = filter.until;
  let isWhole = false;
  while (!isWhole && rows.length < most) {
    const limit = Math.min(PAGE, most - rows.length);
    const found = await request.audit.find(request.teamId, { ...filter, until, limit: limit + 1 });
    const page = pageOf(found, limit);
    isWhole = found.length <= limit;
    until = page.at(-1)?.at;
    const part = page.map(rowOf);
    request.allowance.take(JSON.stringify(part).length);
    rows.push(...part);
  }
  // Excel needs the byte order mark to recognize UTF-8.
  const text =
    form === "csv"
      ? formatTable(fields, rows, { bom: true })
      : rows.map((entry) => `${JSON.stringify(entry)}\n`).join("");
  const isCut = !isWhole && last === undefined;
  const file = {
    filename: fileName("audit", form, request.now()),
    file: Buffer.from(text),
    amount: rows.length === 1 ? "1 entry" : `${rows.length} entries`,
    heading: "Audit log",
    end: isCut ? `It is not complete: it has the newest ${MOST_IN_FILE} entries.` : "",
  };
  return mrkdwnMessage(escapeMrkdwn(await sendFile(file, request)));
}

const fields = ["id", "timestamp", "user", "action", "outcome", "project", "subject", "place", "via", "detail"];

/** An entry as the files name its parts; those that it lacks are undefined. */
const rowOf = (entry: AuditEntry): Readonly<Record<string, string | undefined>> => ({
  id: entry.id,
  timestamp: new Date(entry.at).toISOString(),
  user: entry.userId,
  action: entry.action,
  outcome: entry.outcome,
  project: entry.projectId,
  subject: entry.subject,
  place: entry.placeId,
  via: entry.via,
  detail: entry.detail,
});
