import { comparing, orderOf } from "@media-ops/commands";
import { formatCount } from "@media-ops/formatters";
import * as csv from "@media-ops/formatters/csv";
import * as jsonl from "@media-ops/formatters/jsonl";
import * as terminal from "@media-ops/formatters/terminal";
import { countFound } from "@media-ops/reports";
import { keptOf } from "@media-ops/reports/entries";
import type { LogEntryOf, LogKind } from "@media-ops/sdk";
import { type Connected, connect } from "./connect.js";
import type { CommandNamed } from "./language.js";
import { BEFORE_KEPT, csvFor, harmlessJson } from "./output.js";
import { headingOf, MOST_READ, type Part, questionOf, serviceOf, walk } from "./reading.js";
import type { Session } from "./session.js";

/** The number of entries shown to people by default; programs receive all. */
const ON_SCREEN = 50;
/** The highest number that a command can request. */
const MOST_REQUESTED = 1000;

type Logs = CommandNamed<"logs">;
type Entry = LogEntryOf<LogKind>;

/** `media logs`: prints the matching entries, newest first or sorted. */
export async function logs(command: Logs, session: Session): Promise<void> {
  const connected = await connect(session);
  const style = session.flags.json ? "json" : (command.as ?? "table");
  if (style === "csv" || style === "json") return writeAll(command, style, connected, session);
  return showSome(command, style, connected, session);
}

/** Shows the first entries to people, below a heading that says how many there are. */
async function showSome(command: Logs, style: "table" | "compact", connected: Connected, session: Session) {
  const { print, say, screen } = session;
  const { kind, sort } = command;
  const most = (sort ? command.top : command.last) ?? ON_SCREEN;
  const [counted, listed] = await Promise.all([
    countFound(serviceOf(connected, session), kind, questionOf(command, connected)),
    sort ? readSorted(command, most, connected, session) : readNewest(command, most, connected, session),
  ]);
  const { entries, matches } = listed;
  // A whole list is exact; the count may have more, such as this command's own calls in the API log.
  const isWhole = listed.searchedTo === undefined;
  const found = isWhole ? matches : Math.max(counted?.found ?? 0, matches);
  // With a count, the newest entries need no further search.
  const isEnough = counted !== undefined && !sort && listed.isCut;
  const searchedTo = isWhole ? undefined : (counted?.searchedTo ?? (isEnough ? undefined : listed.searchedTo));
  const top = sort && entries.length;
  say(headingOf(command, { found, of: counted?.of, top, searchedTo }, session, connected.project));
  const { sortedBy } = sort ? orderOf(kind, sort) : {};
  if (entries.length > 0) print(terminal.formatLogs(kind, entries, { ...screen, style, sortedBy }));
  if (found > entries.length)
    say(
      moreWords(command, {
        found,
        shown: entries.length,
        isAll: searchedTo === undefined,
        canReadAll: isWhole || counted !== undefined,
      }),
    );
}

/** How many more entries match, and how to get them. */
function moreWords(
  { kind, sort, top, last }: Logs,
  { found, shown, isAll, canReadAll }: { found: number; shown: number; isAll: boolean; canReadAll: boolean },
): string {
  const [word, given] = sort ? ["top", top] : ["last", last];
  const most = Math.min(found, MOST_REQUESTED);
  const first = isAll && found <= MOST_REQUESTED ? "all" : `the first ${formatCount(most)}`;
  const all = canReadAll ? "all" : "all that this service lists";
  const rest = found > MOST_READ ? `the newest ${formatCount(MOST_READ)}` : all;
  const ways = [
    shown < most ? `${word}:${most} shows ${first}` : "",
    `as:csv > ${kind}.csv${given === undefined ? "" : ` without ${word}:${given}`} writes ${rest}`,
  ];
  const hidden = `${isAll ? "" : "At least "}${formatCount(found - shown)} more`;
  return `${hidden}: ${ways.filter(Boolean).join(", ")}.`;
}

/** All that was read for a listing. */
type Listed = Pick<Part, "entries" | "matches" | "isCut" | "searchedTo">;

async function readNewest(command: Logs, most: number, connected: Connected, session: Session): Promise<Listed> {
  const listed: Listed & { entries: Entry[] } = { entries: [], matches: 0, isCut: false, searchedTo: undefined };
  for await (const part of walk(command, most, connected, session)) {
    listed.entries.push(...part.entries);
    listed.matches += part.matches;
    listed.isCut = part.isCut;
    listed.searchedTo = part.searchedTo;
  }
  return listed;
}

/** The first entries in the requested order, of all that match. */
async function readSorted(command: Logs, most: number, connected: Connected, session: Session): Promise<Listed> {
  const { kind, sort = { field: "time", first: "largest" } } = command;
  const { entries, matches, searchedTo } = await readNewest(command, MOST_READ, connected, session);
  const sorted = [...entries].sort(comparing(kind, sort)).slice(0, most);
  return { entries: sorted, matches, isCut: sorted.length < entries.length, searchedTo };
}

/** Writes all matching entries for programs, page by page as fast as they are read. */
async function writeAll(command: Logs, style: "csv" | "json", connected: Connected, session: Session): Promise<void> {
  const { world, deliver, say } = session;
  const { kind, sort } = command;
  const deliverPart = (entries: readonly Entry[]): Promise<void> =>
    deliver(
      style === "csv"
        ? csvFor(world.stdout, csv.formatRows(kind, entries))
        : harmlessJson(jsonl.formatLogs(kind, entries)),
    );
  const asked = sort ? command.top : command.last;
  const most = asked ?? MOST_READ;
  if (style === "csv") await deliver(csvFor(world.stdout, csv.formatHeader(kind)));
  const parts = sort ? [await readSorted(command, most, connected, session)] : walk(command, most, connected, session);
  let rows = 0;
  let end: Listed | undefined;
  for await (const part of parts) {
    if (part.entries.length > 0) await deliverPart(part.entries);
    rows += part.entries.length;
    end = part;
  }
  // As many as were requested are all of them, unless they were to be the first of all.
  const isWhole = asked !== undefined && rows === asked && !sort;
  const searchedTo = end?.searchedTo ?? keptTo(command, world.now());
  if (searchedTo === undefined || isWhole) return;
  const isCut = end?.isCut;
  // Times are typed to the millisecond, and the rest of this one may not be read yet.
  const next = new Date(Date.parse(searchedTo) + 1).toISOString();
  if (style === "json") await deliver(jsonl.formatEnd({ complete: false, searchedTo }));
  if (end?.searchedTo === undefined) return say(BEFORE_KEPT);
  say(
    isCut && !sort
      ? `Incomplete: the output ends after ${formatCount(rows)} entries, at ${searchedTo}. Go on with until:${next}.`
      : `Incomplete: only entries since ${searchedTo} were searched.`,
  );
}

/** The time back to which a log can be searched, if a period begins before the entries that are kept. */
function keptTo({ since, until }: Logs, now: number): string | undefined {
  const kept = keptOf({ since, until }, now);
  return kept.gone && new Date(kept.since).toISOString();
}
