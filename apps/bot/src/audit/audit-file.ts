import { escapeMrkdwn } from "@media-ops/formatters/slack";
import type { Request } from "../request.js";
import { type Draft, mrkdwnMessage } from "../slack/blocks.js";
import { sendFile } from "../slack/send-file.js";
import type { AuditEntry, AuditFilter } from "./audit-log.js";

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

/** The entries that a file is to have. */
export interface AuditFile {
  readonly form: "csv" | "json";
  readonly filter: Omit<AuditFilter, "limit">;
  /** How many; undefined for all. */
  readonly last: number | undefined;
}

/** Sends the matching entries to the person as a file, newest first; returns a message that says where it is. */
export async function sendAudit({ form, filter, last }: AuditFile, request: Request): Promise<Draft> {
  const most = last ?? MOST_IN_FILE;
  // Excel needs the byte order mark to recognize UTF-8.
  const parts = form === "csv" ? [`\ufeff${cellsOf(fields)}`] : [];
  let rows = 0;
  let until = filter.until;
  let isWhole = false;
  while (!isWhole && rows < most) {
    const limit = Math.min(PAGE, most - rows);
    const found = await request.audit.find(request.teamId, { ...filter, until, limit: limit + 1 });
    const page = pageOf(found, limit);
    isWhole = found.length <= limit;
    until = page.at(-1)?.at;
    rows += page.length;
    const part = page.map((entry) => (form === "csv" ? csvLine(entry) : `${JSON.stringify(rowOf(entry))}\n`)).join("");
    request.allowance.take(part.length);
    parts.push(part);
  }
  const time = `${new Date(request.now()).toISOString().slice(0, 16).replace(":", "")}Z`;
  const isCut = !isWhole && last === undefined;
  const file = {
    filename: `audit-${time}.${form === "csv" ? "csv" : "jsonl"}`,
    file: Buffer.from(parts.join("")),
    amount: rows === 1 ? "1 entry" : `${rows} entries`,
    heading: "Audit log",
    end: isCut ? `It is not complete: it has the newest ${MOST_IN_FILE} entries.` : "",
  };
  return mrkdwnMessage(escapeMrkdwn(await sendFile(file, request)));
}

const fields = [
  ...(["id", "timestamp", "user", "action", "outcome", "project", "subject", "place", "via", "detail"] as const),
];

/** An entry as the files name its parts; those that it lacks are undefined. */
const rowOf = (entry: AuditEntry): Readonly<Record<(typeof fields)[number], string | undefined>> => ({
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

function csvLine(entry: AuditEntry): string {
  const row = rowOf(entry);
  return cellsOf(fields.map((field) => row[field] ?? ""));
}

/** A line of CSV. */
const cellsOf = (cells: readonly string[]): string => `${cells.map((cell) => quoted(guarded(cell))).join(",")}\r\n`;

const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

// As in the CSV of logs, whose writer of cells is internal: spreadsheets run a text as a formula that begins with one of
// these signs, and so does the rest of a text after a possible end of a cell.
const FORMULA = /^[\s']*[=+\-@\t\r＝＋－＠]/;
const INNER = /[;\t\r\n](?=(?:'|[^\S\t\r\n])*[=+\-@＝＋－＠])/g;

/** A text without formulas: an apostrophe precedes the start of each. */
function guarded(text: string): string {
  const inner = text.replace(INNER, "$&'");
  return FORMULA.test(text) ? `'${inner}` : inner;
}
