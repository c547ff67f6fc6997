import { createHash } from "node:crypto";
import { askedOf, comparing, type SortOrder, searchOf, shorten } from "@media-ops/commands";
import { logKinds } from "@media-ops/contract";
import { formatCount, listingHeading } from "@media-ops/formatters";
import { amountOf, countEntries, type ListingFigures, type LogService, wholeOf } from "@media-ops/reports";
import {
  type CountLogsRequest,
  type ListLogsRequest,
  type LogKind,
  type LogPage,
  parseTimestamp,
} from "@media-ops/sdk";
import type { Button } from "@slack/types";
import type { Entry, Project } from "../connections/connections.js";
import { type CommandNamed, language } from "../language.js";
import { unlessLacking } from "../projects/open-project.js";
import type { Request } from "../request.js";
import { controls, type Opened, type Saved, savedAs } from "../saved-command.js";
import { button } from "../slack/answer.js";

/** A page of a listing that can be found again at any time. */
export type Bookmark = Saved<CommandNamed<"logs">> & Place;

interface Place {
  readonly spot: Spot;
  readonly first?: string | undefined;
}

/** The bookmarks in controls: "last 2 hours" moves with the time on the newest page only, so that no page shifts. */
export const bookmarks = savedAs<CommandNamed<"logs">, Place>({
  name: "logs",
  words: 2,
  write: ({ spot, first = "-" }) => `${writeSpot(spot)} ${first}`,
  read(words) {
    const [word = "", first = ""] = words.split(" ");
    const spot = readSpot(word);
    if (!spot || (first !== "-" && !isKey(first))) return undefined;
    return { spot, first: first === "-" ? undefined : first };
  },
  endOf: ({ spot }, now) => (spot.is === "newest" ? now : undefined),
});

/** The action of a menu or a button that opens the window of an entry. */
export const DETAILS = "log-details";

/** A button back to the answer that led to this one; none if there was no such answer. */
export function backButton(back: string | undefined, now: number): Button | undefined {
  if (back === undefined) return undefined;
  const [, page, value = ""] = /^@(\S+) (.+)$/s.exec(back) ?? [];
  const to = [controls.trace, controls.why, controls.live].find((known) => known.page === page);
  if (to) return button({ label: `Back to ${to.back}`, action: `${to.page}:back`, value });
  const bookmark = bookmarks.read(back, now);
  return bookmark && bookmarks.page(`Back to ${logKinds[bookmark.command.kind].many}`, "back", bookmark);
}

/** The maximum number of entries on a page. */
export const ROWS = 20;

/** The page of a listing. It refers to entries, not to page numbers, which change with each new entry. */
export type Spot =
  | { readonly is: "newest" }
  /** The page that starts after an entry. */
  | { readonly is: "older"; readonly key: string }
  /** The page that ends before an entry. */
  | { readonly is: "newer"; readonly key: string }
  /** A page of `count` entries that contains an entry after `before` others. */
  | { readonly is: "around"; readonly key: string; readonly before: number; readonly count: number };

export const NEWEST: Spot = { is: "newest" };

/** A part of a listing. */
export interface Page {
  /** How many entries of the listing precede it. */
  readonly start: number;
  readonly end: number;
  /** Whether the requested page no longer exists, and this is the nearest. */
  readonly isOther: boolean;
}

/** The requested page, of which the first entries `fit`; all pages together contain each entry once. */
export function pageOf(entries: readonly unknown[], spot: Spot, fits: (entries: readonly unknown[]) => number): Page {
  const from = (start: number, most = ROWS): Page => {
    const end = Math.min(start + most, entries.length);
    return { start, end: start + fits(entries.slice(start, end)), isOther: false };
  };
  const upTo = (end: number): Page => {
    let start = Math.max(end - ROWS, 0);
    while (start < end - 1 && fits(entries.slice(start, end)) < end - start) start += 1;
    return { start, end, isOther: false };
  };
  if (spot.is === "newest" || entries.length === 0) return from(0);
  const { at, isThere } = positionOf(entries, spot.key);
  switch (spot.is) {
    case "older": {
      const start = isThere ? at + 1 : at;
      return start < entries.length ? from(start) : { ...upTo(entries.length), isOther: true };
    }
    case "newer":
      return at > 0 ? upTo(at) : { ...from(0), isOther: true };
    case "around": {
      if (at === entries.length) return { ...upTo(at), isOther: true };
      return from(Math.max(at - spot.before, 0), spot.count);
    }
  }
}

/** The newest N entries; from the first one's key on if it is known, so that new entries displace none. */
function newestOf<T>(entries: readonly T[], count: number, first: string | undefined): readonly T[] {
  const start = first === undefined ? 0 : positionOf(entries, first).at;
  return entries.slice(start, start + count);
}

/** A spot that leads back to the page that contains an entry. */
export function spotOf(entries: readonly unknown[], { start, end }: Page, at = start): Spot {
  return { is: "around", key: keyAt(entries, at), before: at - start, count: end - start };
}

/** Serializes a spot as one word. */
export function writeSpot(spot: Spot): string {
  switch (spot.is) {
    case "newest":
      return "new";
    case "older":
    case "newer":
      return `${spot.is}:${spot.key}`;
    case "around":
      return `${spot.before}/${spot.count}:${spot.key}`;
  }
}

/** Parses the output of {@link writeSpot}; undefined for any other text. */
export function readSpot(word: string): Spot | undefined {
  if (word === "new") return NEWEST;
  const [, how = "", key = ""] = /^([^:]+):(.+)$/.exec(word) ?? [];
  if (!isKey(key)) return undefined;
  if (how === "older" || how === "newer") return { is: how, key };
  const [, before, count] = /^(\d{1,2})\/(\d{1,2})$/.exec(how) ?? [];
  return before === undefined ? undefined : { is: "around", key, before: Number(before), count: Number(count) };
}

// A short unique key of an entry, which new entries don't change: its time (microseconds since 1970, in base 36), a
// hash of its content, and its number among equal entries, counted from the oldest.
const KEY = /^(-?[\da-z]*)\.([\w-]{8})\.([1-9]\d{0,5})$/;

/** The time of a key's entry, in microseconds since 1970; undefined if the entry has no valid time. */
function timeIn(key: string): number | undefined {
  const [, digits = ""] = KEY.exec(key) ?? [];
  return digits === "" ? undefined : Number.parseInt(digits, 36);
}

/** The key of one of the entries. */
export function keyAt(entries: readonly unknown[], at: number): string {
  const entry = entries[at];
  const [timestamp, hash] = [timestampOf(entry), hashOf(entry)];
  const older = entries.slice(at + 1);
  // Comparing times first is faster: few entries have the same time, and hashing is slow.
  const alike = older.filter((other) => timestampOf(other) === timestamp && hashOf(other) === hash).length + 1;
  return `${timeOf(entry)?.toString(36) ?? ""}.${hash}.${alike}`;
}

export const isKey = (text: string): boolean => KEY.test(text);

/** Finds an entry by its key; if it is gone, the position that matches its time, or the start if it had none. */
export function positionOf(entries: readonly unknown[], key: string): { at: number; isThere: boolean } {
  const [, , hash, alike] = KEY.exec(key) ?? [];
  const time = timeIn(key);
  let found = 0;
  let older = entries.length;
  for (let at = entries.length - 1; at >= 0; at--) {
    const other = timeOf(entries[at]);
    if (other === time && hashOf(entries[at]) === hash && ++found === Number(alike)) return { at, isThere: true };
    if (time === undefined || (other !== undefined && other < time)) older = at;
  }
  return { at: older, isThere: false };
}

function timestampOf(entry: unknown): string | undefined {
  if (typeof entry !== "object" || entry === null || !("timestamp" in entry)) return undefined;
  return typeof entry.timestamp === "string" ? entry.timestamp : undefined;
}

/** Microseconds since 1970; undefined if the entry has no valid time. */
function timeOf(entry: unknown): number | undefined {
  const time = parseTimestamp(timestampOf(entry) ?? "");
  return time && Number(time.epochMicroseconds);
}

// A cache: each control of a page needs the hashes of its entries, and of those logged at the same time.
const hashes = new WeakMap<object, string>();

function hashOf(entry: unknown): string {
  if (typeof entry !== "object" || entry === null) return hash(entry);
  const known = hashes.get(entry) ?? hash(entry);
  hashes.set(entry, known);
  return known;
}

const hash = (value: unknown): string =>
  createHash("sha256").update(JSON.stringify(value)).digest("base64url").slice(0, 8);

/** The calls of a project's service. */
export interface LogReader extends LogService {
  list(kind: LogKind, question: ListLogsRequest): Promise<LogPage<LogKind>>;
}

/** The service of a project, as reports ask it. */
export function readerOf({ id, ask, shared }: Pick<Project, "id" | "ask" | "shared">): LogReader {
  return {
    count: (kind, question: CountLogsRequest) =>
      shared.counts(JSON.stringify([kind, question]), () =>
        ask((client, options) => client.logs.count(kind, { ...question, project_id: id }, options)),
      ),
    list: (kind, question) =>
      shared.pages(JSON.stringify([kind, question]), () =>
        ask((client, options) => {
          // Many pages in a row may be too many for the service, which then says when to go on.
          const patient = question.cursor === undefined ? options : { ...options, maxRetries: 4 };
          return client.logs.list(kind, { ...question, project_id: id }, patient).withResponse();
        }),
      ),
  };
}

type Question = Pick<ListLogsRequest, "where"> & { since?: string; until?: string };

/** The entries that a command means, as the service takes them. */
export const questionOf = ({ saved, project }: OpenedLog): Question => searchOf(saved.command, project.id);

interface OpenedLog extends Pick<Opened, "now" | "timeZone"> {
  readonly project: Pick<Project, "id">;
  readonly saved: { readonly command: CommandNamed<"logs" | "summary"> };
}

// A heading may have 200 characters; the rest is for the figures.
const MAX_WORDS = 110;

/** "37 failed webhooks of 1,240,332 in the last 2 hours, project demo"; says first if not all was searched. */
export function headingOf({ saved: { command }, project, now, timeZone }: OpenedLog, figures: ListingFigures): string {
  const when = { now, timeZone };
  const phrases = (since: number | undefined) => {
    const { conditions, period, limit } = language.phrases({ ...command, ...(since !== undefined && { since }) }, when);
    const more = [conditions, limit, `project ${project.id}`].filter(Boolean).join(", ");
    return { period, more: shorten(more, MAX_WORDS) };
  };
  return listingHeading({ ...askedOf(command), phrases }, figures, when);
}

interface Wider {
  without: string;
  command: CommandNamed<"logs">;
  count: number;
  isAtLeast: boolean;
}

/** The entries around the page of a bookmark, whose period and first entry are resolved. */
export interface Listing extends Opened<Bookmark>, ListingFigures, Window {
  heading: string;
  /** Which of them are listed, if not all can be paged. */
  note?: string | undefined;
  wider: readonly Wider[];
}

// A search of the service takes 2 s at most; then the answer has to be drawn and sent.
const LAST_READ_MS = 4000;
// The contract's limit.
const MOST_AT_ONCE = 1000;

/** Reads the entries for a bookmark. */
export async function readListing(opened: Opened<Bookmark>, request: Request): Promise<Listing> {
  const { saved, project } = opened;
  const { kind, last, top, sort } = saved.command;
  const reader = readerOf(project);
  const question = questionOf(opened);
  const { where, ...period } = question;
  // Together, because each call is a wait for the service.
  const asked = Promise.all([countEntries(reader, kind, period), readWindow(opened, request)]);
  const [all, page] = await unlessLacking(asked, kind, project);
  const window = all || sort ? page : await readListed(reader, kind, question);
  // Without older entries, the page says itself how many match.
  const isWhole = !window.hasOlder && window.searchedTo === undefined;
  const more = where && all && window.hasOlder ? await countEntries(reader, kind, question) : undefined;
  const amount = where ? more : isWhole ? undefined : all;
  const isCounted = last !== undefined && window.entries.length > 0;
  const first = isCounted ? (saved.first ?? keyAt(window.entries, 0)) : undefined;
  const entries = last === undefined ? window.entries : newestOf(window.entries, last, first);
  const matches = window.matches ?? window.before + entries.length;
  const found = last !== undefined ? entries.length : Math.max(amount?.entries ?? 0, matches);
  const searchedTo = isCounted && entries.length === last ? undefined : (window.searchedTo ?? amount?.searchedTo);
  const isCut = sort !== undefined && top === undefined && found > entries.length;
  const note = `Only the first ${formatCount(entries.length)} are listed. The CSV has all, the newest first.`;
  const figures = { found, of: where && wholeOf(all)?.entries, ...(sort && { top: entries.length }), searchedTo };
  return {
    ...opened,
    ...window,
    ...figures,
    entries,
    saved: { ...saved, first },
    heading: headingOf(opened, figures),
    ...(isCut && { note }),
    wider: found === 0 ? await widerThan(opened) : [],
  };
}

interface Window {
  /** Newest first, without gaps: the page, and its neighbours. */
  entries: readonly Entry[];
  before: number;
  hasOlder: boolean;
  /** The time back to which the log was searched, if the search ended early. */
  searchedTo?: string | undefined;
  /** Whether a further search would go on there. */
  canGoOn?: boolean;
  matches?: number;
}

async function readWindow(opened: Opened<Bookmark>, request: Request): Promise<Window> {
  const { command, spot, first } = opened.saved;
  const { kind, last, sort } = command;
  if (sort) return readSorted(opened, sort, request);
  const reader = readerOf(opened.project);
  const question = questionOf(opened);
  const mayGoOn = () => request.now() < request.answerBy - LAST_READ_MS;
  if (last === undefined) return readAround(reader, kind, question, spot, mayGoOn);
  // The newest N are read together, and paged here.
  const from: Spot = first === undefined || timeIn(first) === undefined ? NEWEST : { is: "older", key: first };
  const window = await readAround(reader, kind, question, from, mayGoOn, last + 1);
  return { ...window, before: 0, hasOlder: false };
}

/** All that a service without counts lists. */
export async function readListed(reader: LogReader, kind: LogKind, question: Question): Promise<Window> {
  const { data, complete, searchedTo } = await reader.list(kind, { ...question, limit: MOST_AT_ONCE });
  return { entries: data, before: 0, hasOlder: false, ...(!complete && { searchedTo }) };
}

// Entries of the same time are read together; more of them than this are no log that people page through.
const MOST_AROUND = 10_000;

/** Reads as many entries around a spot as its page needs, and some more, which tell equal entries apart. */
export async function readAround(
  reader: LogReader,
  kind: LogKind,
  question: Question,
  spot: Spot,
  mayGoOn: () => boolean,
  rows = ROWS,
): Promise<Window> {
  // Its own entries, and some that may be just as old.
  const limit = Math.min(rows + 2 * ROWS, MOST_AT_ONCE);
  const read = async (part: ListLogsRequest, isEnough: (entries: readonly Entry[]) => boolean) => {
    let page = await reader.list(kind, { ...question, ...part });
    const entries: Entry[] = [...page.data];
    while (page.nextCursor && entries.length < MOST_AROUND && mayGoOn() && !isEnough(entries)) {
      page = await reader.list(kind, { ...question, ...part, limit: MOST_AT_ONCE, cursor: page.nextCursor });
      entries.push(...page.data);
    }
    return { entries, page };
  };
  const micros = spot.is === "newest" ? undefined : timeIn(spot.key);
  if (spot.is === "newest" || micros === undefined) {
    const { entries, page } = await read({ limit }, (some) => isEnd(some, rows));
    return { entries, before: 0, ...endOf(page, entries, rows) };
  }
  const from = isoOf(micros + 1);
  const need = spot.is === "around" ? spot.before + 1 : rows;
  const [newer, older, preceding] = await Promise.all([
    spot.is === "older"
      ? undefined
      : read({ since: from, order: "oldest", limit: need }, (some) => some.length >= need),
    read({ until: from, limit }, (some) => isEnd(some, positionOf(some, spot.key).at + rows + 1)),
    amountOf(reader, kind, { ...question, since: from }),
  ]);
  const above = newer ? [...newer.entries].reverse() : [];
  return {
    entries: [...above, ...older.entries],
    before: Math.max(preceding.entries - above.length, 0),
    // At least the entry that the spot refers to, and one behind it.
    ...endOf(older.page, older.entries, positionOf(older.entries, spot.key).at + 2),
  };
}

/** Whether the entries reach past all that are as old as the one at a position. */
function isEnd(entries: readonly Entry[], at: number): boolean {
  const [last, needed] = [entries.at(-1)?.timestamp, entries[at - 1]?.timestamp];
  return entries.length > at && needed !== last;
}

function endOf(page: LogPage<LogKind>, entries: readonly Entry[], needed: number) {
  const isCutShort = page.nextCursor !== undefined && entries.length < needed;
  const searchedTo = isCutShort || (!page.complete && page.nextCursor === undefined) ? page.searchedTo : undefined;
  return { hasOlder: page.nextCursor !== undefined && !isCutShort, searchedTo, canGoOn: isCutShort };
}

/** How many sorted entries can be paged. */
const MOST_SORTED = 1000;

async function readSorted(opened: Opened<Bookmark>, order: SortOrder, request: Request): Promise<Window> {
  const { kind, top = MOST_SORTED } = opened.saved.command;
  const compare = comparing(kind, order);
  let best: Entry[] = [];
  let matches = 0;
  const searchedTo = await readAll(opened, questionOf(opened), request, (page) => {
    matches += page.length;
    // The sort is stable: of equal entries, the newest stay first.
    best = [...best, ...page].sort(compare).slice(0, top);
  });
  return { entries: best, matches, before: 0, hasOlder: false, searchedTo };
}

/** The most entries that are read for a file or for an order. */
const MOST_READ = 100_000;

/** Reads all matching entries, newest first, a page in memory at a time; returns where it ended early, if it did. */
export async function readAll(
  { project, saved }: Opened<Bookmark>,
  question: Question,
  request: Pick<Request, "clients" | "reads" | "teamId" | "turnOf" | "aside">,
  use: (entries: readonly Entry[]) => void,
): Promise<string | undefined> {
  let cursor: string | undefined;
  let [rows, oldest]: [number, string | undefined] = [0, undefined];
  for (;;) {
    const allowance = request.reads.open(request.teamId);
    try {
      // People wait longer for all entries than for a page.
      const caller = { ...request, allowance, answerBy: Number.POSITIVE_INFINITY };
      const reader = readerOf({ id: project.id, ...(await request.clients.of(project.connection, caller)) });
      const limit = Math.min(MOST_AT_ONCE, MOST_READ - rows);
      const page = await reader.list(saved.command.kind, { ...question, limit, cursor });
      use(page.data);
      rows += page.data.length;
      oldest = page.data.at(-1)?.timestamp ?? oldest;
      cursor = page.nextCursor;
      if (cursor === undefined) return page.complete ? undefined : page.searchedTo;
      if (rows >= MOST_READ) return oldest;
    } finally {
      allowance.end();
    }
  }
}

/** What is found without time or filters; without both only if neither alone helps. */
async function widerThan({ saved: { command }, project }: Opened<Bookmark>): Promise<Wider[]> {
  const { since, until, filters, ...rest } = command;
  const hasTime = since !== undefined || until !== undefined;
  const tried = async (without: string, wider: CommandNamed<"logs">): Promise<Wider> => {
    const question = searchOf(wider, project.id);
    const { entries, searchedTo } = await amountOf(readerOf(project), wider.kind, question);
    return { without, command: wider, count: entries, isAtLeast: searchedTo !== undefined };
  };
  const one = await Promise.all([
    ...(hasTime ? [tried("the time", { ...rest, filters })] : []),
    ...(filters.length > 0 ? [tried("the filters", { ...command, filters: [] })] : []),
  ]);
  const useful = one.filter(({ count }) => count > 0);
  if (useful.length > 0) return useful;
  return [await tried("time and filters", { ...rest, filters: [] })].filter(({ count }) => count > 0);
}

/** A time in microseconds since 1970, as the service takes it. */
function isoOf(micros: number): string {
  const milliseconds = Math.floor(micros / 1000);
  const rest = String(micros - milliseconds * 1000).padStart(3, "0");
  return `${new Date(milliseconds).toISOString().slice(0, -1)}${rest}Z`;
}
