import { logKinds } from "@media-ops/contract";
import { formatCount } from "@media-ops/formatters";
import * as csv from "@media-ops/formatters/csv";
import * as jsonl from "@media-ops/formatters/jsonl";
import type { ListingFigures } from "@media-ops/reports";
import type { Entry } from "../connections/clients.js";
import type { Request } from "../request.js";
import { type FileForm, fileName, sendFile } from "../slack/send-file.js";
import { headingOf, type Listing, questionOf } from "./find.js";
import { readAll } from "./reading.js";

/** Sends all matching entries to the person as a file, and returns a sentence that says where it is and where it ends. */
export async function upload(listing: Listing, form: FileForm, request: Request): Promise<string> {
  const { command, project, now } = listing;
  const { one, many } = logKinds[command.kind];
  const { file, rows, heading, end } = await writeFile(listing, form, request);
  const amount = `${formatCount(rows)} ${rows === 1 ? one : many}`;
  return sendFile({ filename: nameOf(command.kind, project.id, form, now), file, amount, heading, end }, request);
}

/** A file with its heading, and why it ends where it does: empty if it has all entries. */
interface WrittenFile {
  file: Buffer;
  rows: number;
  heading: string;
  end: string;
}

/** Writes the matching entries page by page, so that only the text of all of them is in memory. */
async function writeFile(listing: Listing, form: FileForm, request: Request): Promise<WrittenFile> {
  const { command, entries, found, searchedTo } = listing;
  // Excel needs the byte order mark to recognize UTF-8.
  const parts = [Buffer.from(form === "csv" ? csv.formatHeader(command.kind, { bom: true }) : "")];
  let rows = 0;
  const add = (some: readonly Entry[]): void => {
    const print = form === "csv" ? csv.formatRows : jsonl.formatLogs;
    const part = Buffer.from(print(command.kind, some));
    request.allowance.take(part.length);
    parts.push(part);
    rows += some.length;
  };
  const { last, top, sort } = command;
  // More entries than can be sorted are written as they are read.
  const isShort = last !== undefined || (sort && (top !== undefined || found <= entries.length));
  if (isShort) add(entries);
  // New entries don't belong to the file.
  const until = new Date(listing.now).toISOString();
  const end = isShort ? searchedTo : await readAll(listing, { until, ...questionOf(listing) }, request, add);
  if (form === "json") parts.push(Buffer.from(jsonl.formatEnd({ complete: end === undefined, searchedTo: end })));
  const missing = end === undefined ? "" : `It is not complete: entries before ${end} are missing.`;
  const heading = isShort ? listing.heading : headingOf(listing, figuresOf(listing, rows, end));
  return { file: Buffer.concat(parts), rows, heading, end: missing };
}

/** What is known once all entries were read, down to a time if they were too many: often more than was counted before. */
export function figuresOf(
  { found, of, top, searchedTo }: ListingFigures,
  rows: number,
  end: string | undefined,
): ListingFigures {
  if (end === undefined) return { found: rows, of, top };
  const isFurther = searchedTo !== undefined && Date.parse(end) < Date.parse(searchedTo);
  return { found: Math.max(found, rows), of, top, searchedTo: isFurther ? end : searchedTo };
}

/** Builds a file name such as "webhooks-demo-2026-11-21T1403Z.csv" from characters that every system allows. */
export function nameOf(kind: string, projectId: string, form: FileForm, now: number): string {
  const project = projectId.replaceAll(/[^\w.-]+/g, "_").slice(0, 60);
  return fileName(`${kind}-${project}`, form, now);
}
