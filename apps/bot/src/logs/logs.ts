import { capital, orderOf } from "@media-ops/commands";
import { logKinds } from "@media-ops/contract";
import { entryLabel, formatCount } from "@media-ops/formatters";
import * as csv from "@media-ops/formatters/csv";
import * as jsonl from "@media-ops/formatters/jsonl";
import { formatLogDetail, formatLogs, type SlackBlock, type SlackMessage } from "@media-ops/formatters/slack";
import type { ListingFigures } from "@media-ops/reports";
import type { LogKind } from "@media-ops/sdk";
import type { Button, PlainTextOption } from "@slack/types";
import { mayDo } from "../acts/act.js";
import { resendButton } from "../acts/deliveries.js";
import { endButton } from "../acts/disconnect.js";
import type { Entry } from "../connections/connections.js";
import type { CommandNamed } from "../language.js";
import { openFilled } from "../problem.js";
import { type Actions, type Forms, keep, type Request } from "../request.js";
import { answering, controls } from "../saved-command.js";
import { type Draft, MAX_OPTION_VALUE, menu, optionOf, plainSection, row, smallPrint } from "../slack/answer.js";
import { endText, type FileForm, fileName, sendFile } from "../slack/send-file.js";
import { KEPT, type Modal } from "../slack/views.js";
import { subjectsIn, TRACE_HERE, traceButton, traceOf } from "../trace/trace.js";
import {
  type Bookmark,
  backButton,
  bookmarks,
  DETAILS,
  headingOf,
  keyAt,
  type Listing,
  NEWEST,
  type Page,
  pageOf,
  positionOf,
  questionOf,
  ROWS,
  readAll,
  readListing,
  type Spot,
  spotOf,
} from "./listing.js";

type Logs = CommandNamed<"logs">;

const listings = answering(bookmarks, {
  read: readListing,
  draw(listing, _, { said, isShareable }) {
    if (listing.entries.length === 0) return emptyMessage(listing, said);
    return pageDraft(listing, (shown) => [...said, ...buttonsFor(listing, shown, isShareable)]);
  },
  share: sharedMessage,
  upload: async (listing, form, request) => (listing.entries.length === 0 ? undefined : upload(listing, form, request)),
});

/** `/media logs`: the newest matching entries, or all of them as a file. */
export async function logs(command: Logs, request: Request): Promise<Draft> {
  const { as, ...asked } = command;
  if (as !== "csv" && as !== "json") return listings.answer({ command, spot: NEWEST }, request);
  return listings.file({ command: asked, spot: NEWEST }, as, request, "Show them here");
}

/** The window of an entry with a related log, which its submit button shows. */
const RELATED = "log-related";

export const logActions: Actions = {
  ...listings.actions,
  [DETAILS]: { isUrgent: true, run: (request, { value }) => showDetails(bookmarks.in(value, request), request) },
};

export const logForms: Forms = {
  [RELATED]: {
    async run(request, { kept: { related } }) {
      await request.answer.replace(await listings.answer(bookmarks.in(related, request), request));
    },
  },
};

interface ShownPage {
  readonly page: Page;
  readonly here: Bookmark;
}

/** A page of a non-empty listing, with further blocks below it. */
export function pageDraft(listing: Listing, below: (shown: ShownPage) => SlackBlock[]): Draft {
  const draw = (style: "table" | "compact"): SlackMessage => {
    const { message, shown } = drawPage(listing, style);
    return { blocks: [...message.blocks, ...below(shown)], text: message.text };
  };
  if (listing.saved.command.as === "compact") return draw("compact");
  return { ...draw("table"), compact: () => draw("compact") };
}

function drawPage(listing: Listing, style: "table" | "compact") {
  const { entries, before, found, top: total = found, saved, heading, note, now, timeZone } = listing;
  const { kind, sort } = saved.command;
  const { sortedBy } = sort ? orderOf(kind, sort) : {};
  const options = { now, timeZone, style, title: heading, pageSize: ROWS, atMost: ROWS, sortedBy };
  const page = pageOf(entries, saved.spot, (some) => formatLogs(kind, some, options).shown);
  const { start, end, isOther } = page;
  const isAll = before === 0 && start === 0 && end === total;
  const notes = [isOther ? "These entries are no longer listed; here are the nearest." : undefined, note];
  const message = formatLogs(kind, entries.slice(start, end), {
    ...options,
    note: notes.filter((words) => words !== undefined).join(" "),
    position: isAll ? undefined : { from: before + start + 1, total },
  });
  return { message, shown: { page, here: { ...saved, spot: spotOf(entries, page) } } };
}

export function buttonsFor(listing: Listing, { page, here }: ShownPage, isShareable: boolean): SlackBlock[] {
  const { entries, before, hasOlder, saved, now, timeZone } = listing;
  const { start, end } = page;
  const leaf = (label: string, is: "newer" | "older", at: number) =>
    bookmarks.page(label, is, { ...here, spot: { is, key: keyAt(entries, at) } });
  const options = entries.slice(start, end).map((entry, row): PlainTextOption | undefined => {
    const value = detailsValue(listing, spotOf(entries, page, start + row));
    return value === undefined ? undefined : optionOf(value, entryLabel(saved.command.kind, entry, { now, timeZone }));
  });
  const isTooLong = bookmarks.write(here) === undefined;
  return [
    ...row(
      before + start > 0 ? leaf("Newer", "newer", start) : undefined,
      end < entries.length || hasOlder ? leaf("Older", "older", end - 1) : undefined,
      refreshButton(saved),
      isShareable ? bookmarks.button("Share here", controls.logs.share, here) : undefined,
      bookmarks.button("CSV", controls.logs.csv, here),
      furtherButton(listing),
      backButton(saved.back, now),
    ),
    ...row(menu("Details of…", DETAILS, options)),
    ...(isTooLong ? [smallPrint("This command is too long for buttons. Use fewer filters to get them.")] : []),
  ];
}

const refreshButton = (saved: Bookmark): Button | undefined =>
  bookmarks.page("Refresh", "refresh", { ...saved, spot: NEWEST, first: undefined });

function furtherButton({ saved, canGoOn, searchedTo }: Listing): Button | undefined {
  if (!canGoOn || searchedTo === undefined) return undefined;
  const command = { ...saved.command, until: Math.ceil(Date.parse(searchedTo)) + 1 };
  const to = { ...saved, command, periodMs: undefined, spot: NEWEST, first: undefined };
  return bookmarks.page("Search further back", "further", to);
}

/** An option's value; if the command is too long for it, the way back from the entry leads to the whole log. */
function detailsValue({ saved, project }: Listing, spot: Spot): string | undefined {
  const whole = { name: "logs", kind: saved.command.kind, in: project.id, filters: [] } as const;
  return (
    bookmarks.write({ ...saved, spot }, MAX_OPTION_VALUE) ?? bookmarks.write({ command: whole, spot }, MAX_OPTION_VALUE)
  );
}

/** Says that nothing matches, and which query would find something. */
export function emptyMessage(listing: Listing, said: readonly SlackBlock[]): Draft {
  const { saved, heading, note, now, timeZone, wider, searchedTo } = listing;
  const { kind } = saved.command;
  const { blocks, text } = formatLogs(kind, [], { now, timeZone, title: heading, note });
  const words = [
    ...(wider.length === 0 && searchedTo === undefined ? [NOTHING_AT_ALL] : []),
    ...wider.map(
      ({ without, count, isAtLeast }) =>
        `Without ${without} there ${count === 1 ? "is" : "are"} ${isAtLeast ? "at least " : ""}${formatCount(count)}.`,
    ),
    // These logs don't contain sessions and connections that are still open.
    ...(kind === "sessions" || kind === "connections" ? [`A ${logKinds[kind].one} is logged when it ends.`] : []),
  ].join(" ");
  const buttons = wider.map(({ without, command }, at) => {
    const periodMs = command.since === undefined ? undefined : saved.periodMs;
    const to = { ...saved, command, periodMs, spot: NEWEST, first: undefined };
    return bookmarks.page(`Without ${without}`, `wider-${at}`, to);
  });
  return {
    blocks: [
      ...blocks,
      ...(words === "" ? [] : [plainSection(words)]),
      ...said,
      ...row(...buttons, furtherButton(listing), refreshButton(saved), backButton(saved.back, now)),
    ],
    text,
  };
}

const NOTHING_AT_ALL = "This log is empty: nothing was logged in the last 30 days, and older entries are deleted.";

/** A page for everyone, with the person who shared it and a button that opens the reader's own listing. */
export function sharedMessage(listing: Listing, sharedBy: SlackBlock): Draft | string {
  if (listing.entries.length === 0) return "Not shared: no entry matches any more.";
  return pageDraft({ ...listing, heading: headingOf(listing, listing) }, ({ here }) => [
    sharedBy,
    ...row(bookmarks.button("Look closer", controls.logs.closer, { ...here, back: undefined })),
  ]);
}

/** Sends all matching entries to the person as a file, and returns a sentence that says where it is and where it ends. */
async function upload(listing: Listing, form: FileForm, request: Request): Promise<string> {
  const { saved, project, entries, found, now } = listing;
  const { kind, last, top, sort } = saved.command;
  // Excel needs the byte order mark to recognize UTF-8.
  const parts = [Buffer.from(form === "csv" ? csv.formatHeader(kind, { bom: true }) : "")];
  let rows = 0;
  // Written page by page, so that only the text of all of them is in memory.
  const add = (some: readonly Entry[]): void => {
    const part = Buffer.from(form === "csv" ? csv.formatRows(kind, some) : jsonl.formatLogs(kind, some));
    request.allowance.take(part.length);
    parts.push(part);
    rows += some.length;
  };
  // More entries than can be sorted are written as they are read.
  const isShort = last !== undefined || (sort && (top !== undefined || found <= entries.length));
  if (isShort) add(entries);
  // New entries don't belong to the file.
  const question = { until: new Date(now).toISOString(), ...questionOf(listing) };
  const end = isShort ? listing.searchedTo : await readAll(listing, question, request, add);
  if (form === "json") parts.push(Buffer.from(jsonl.formatEnd({ complete: end === undefined, searchedTo: end })));
  const { one, many } = logKinds[kind];
  return sendFile(
    {
      filename: fileName(`${kind}-${project.id}`, form, now),
      file: Buffer.concat(parts),
      amount: `${formatCount(rows)} ${rows === 1 ? one : many}`,
      heading: isShort ? listing.heading : headingOf(listing, figuresOf(listing, rows, end)),
      end: endText(end),
    },
    request,
  );
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

async function showDetails(bookmark: Bookmark, request: Request): Promise<void> {
  // "Webhook", "API call".
  const title = capital(logKinds[bookmark.command.kind].one);
  await openFilled(title, request, async () => entryModal(await listings.open(bookmark, request), request, title));
}

async function entryModal(
  { entries, saved, project, now, timeZone }: Listing,
  request: Request,
  title: string,
): Promise<Modal> {
  const { kind } = saved.command;
  const { spot } = saved;
  const place = spot.is === "around" ? positionOf(entries, spot.key) : undefined;
  if (!place?.isThere) return { title, blocks: [plainSection(GONE)] };
  const listed: unknown = entries[place.at];
  // A service may list anything.
  const entry: object = typeof listed === "object" && listed !== null ? listed : {};
  const at = "timestamp" in entry && typeof entry.timestamp === "string" ? entry.timestamp : undefined;
  const here = bookmarks.write(saved);
  const subjects = subjectsIn(entry).map((subject) => {
    const trace = { ...traceOf(subject, project.id, at), back: here };
    return traceButton(`Trace ${subject.is}`, `${TRACE_HERE}:${subject.is}`, trace);
  });
  const blocks = [
    ...formatLogDetail(kind, listed, { now, timeZone }).blocks,
    ...row(...subjects),
    ...row(await actOn(kind, entry, project.id, request)),
  ];
  const { label, command } = relatedTo(kind, entry, project.id) ?? {};
  const value = command && bookmarks.write({ command, spot: NEWEST, back: here });
  const kept = keep(request, { related: value });
  if (value === undefined || kept.length > KEPT) return { title, blocks, keep: keep(request) };
  return { title, blocks, callbackId: RELATED, submit: label, keep: kept };
}

/** A button that sends a failed webhook again, or ends a connection that may not be over, for those who may. */
async function actOn(kind: LogKind, entry: object, projectId: string, request: Request) {
  if (kind === "events" || kind === "connections") return endButton(entry, projectId, request);
  if (kind !== "webhooks" || !("status" in entry)) return undefined;
  const isFailed = !(Number(entry.status) >= 200 && Number(entry.status) < 300);
  return isFailed && (await mayDo("resend", request)) ? resendButton(entry, projectId) : undefined;
}

const GONE = "This entry is no longer listed. The service keeps entries for 30 days.";

function relatedTo(kind: LogKind, entry: object, projectId: string): { label: string; command: Logs } | undefined {
  const found = related[kind];
  if (!found || !("session_id" in entry)) return undefined;
  const { session_id: id } = entry;
  if (typeof id !== "string" || id === "") return undefined;
  const filter = { field: "session", negated: false, test: { is: "like", any: [[id]] } } as const;
  return { label: found.label, command: { name: "logs", kind: found.kind, filters: [filter], in: projectId } };
}

const related: { readonly [Kind in LogKind]?: { readonly label: string; readonly kind: LogKind } } = {
  sessions: { label: "Show its connections", kind: "connections" },
  connections: { label: "Show its session", kind: "sessions" },
};
