import { shorten } from "@media-ops/commands";
import { formatTable } from "@media-ops/formatters/csv";
import { escapeMrkdwn, type SlackBlock } from "@media-ops/formatters/slack";
import { type CommandNamed, language } from "../language.js";
import { mayAct } from "../policy/policy.js";
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
} from "../slack/answer.js";
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
  const { since, until, by, action, in: projectId, as: form, last } = command;
  const filter = { since, until, action, projectId, userId: by && idOf(by, request) };
  if (form === "csv" || form === "json") return sendAudit(form, filter, last, request);
  const limit = Math.min(last ?? MOST_SHOWN, MOST_SHOWN);
  const found = await log.find(teamId, { ...filter, limit: limit + 1 });
  const entries = pageOf(found, limit);
  const hasMore = found.length > limit;
  const count = `${hasMore ? "the newest " : ""}${amountOf(entries)}`;
  const heading = `*Audit log:* ${entries.length === 0 ? "no entry matches." : count}`;
  const oldest = hasMore ? entries.at(-1)?.at : undefined;
  return {
    blocks: [
      mrkdwnSection(heading),
      ...entries.map(entryBlock),
      ...row(
        oldest === undefined
          ? undefined
          : runButton("Older", language.write({ ...command, until: oldest }), { id: "older" }),
        entries.length === 0
          ? undefined
          : runButton("JSON lines", language.write({ ...command, as: "json" }), { id: "file" }),
      ),
    ],
    text: heading,
  };
}

/** @throws {Refused} if a name is none of a person in this workspace. */
function idOf(by: NonNullable<AuditCommand["by"]>, { userId, teamId }: Request): string {
  if (by.is === "me") return userId;
  if (by.is === "slack") return by.user;
  const id = by.name.startsWith(`slack:${teamId}/`) ? by.name.slice(`slack:${teamId}/`.length) : by.name;
  if (/^[UW][A-Z0-9]+$/.test(id)) return id;
  throw new Refused("The bot's audit log has people of this workspace only. Name one with by:@name, or by:me.");
}

const amountOf = ({ length }: readonly unknown[]): string => (length === 1 ? "1 entry" : `${length} entries`);

function entryBlock({ at, userId, action, placeId, via, projectId, subject, outcome, detail }: AuditEntry): SlackBlock {
  const facts = [
    slackDate(at),
    `<@${escapeMrkdwn(userId)}>`,
    `*${escapeMrkdwn(action)}*`,
    escapeMrkdwn(outcome === "begun" ? "begun, outcome unknown" : outcome),
    projectId && escapeMrkdwn(projectId),
    placeId && inPlace(placeId),
    via && `by ${escapeMrkdwn(via)}`,
    subject && escapeMrkdwn(subject),
  ];
  const more = detail === undefined ? "" : `\n${escapeMrkdwn(shorten(detail, LONGEST_DETAIL))}`;
  return mrkdwnSection(`${facts.filter(Boolean).join(" · ")}${more}`);
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

/** Sends the matching entries, the last ones or all, to the person as a file; returns a message that says where it is. */
async function sendAudit(
  form: FileForm,
  filter: Omit<AuditFilter, "limit">,
  last: number | undefined,
  request: Request,
): Promise<Draft> {
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
    amount: amountOf(rows),
    heading: "Audit log",
    end: isCut ? `It is not complete: it has the newest ${MOST_IN_FILE} entries.` : "",
  };
  return mrkdwnMessage(escapeMrkdwn(await sendFile(file, request)));
}

const fields = ["id", "timestamp", "user", "action", "outcome", "project", "subject", "place", "via", "detail"];

function rowOf({ at, id, userId: user, projectId: project, placeId: place, ...entry }: AuditEntry) {
  const { action, outcome, subject, via, detail } = entry;
  return { id, timestamp: new Date(at).toISOString(), user, action, outcome, project, subject, place, via, detail };
}
