import type { TextTest } from "@media-ops/contract";
import { timeKey } from "@media-ops/sdk";
import type { LogReader } from "../log-reader.js";
import { isWithin, type RangeKeys } from "../range.js";

/** What a trace can be about. */
export type TraceSubject = "connection" | "session" | "client" | "bundle" | "channel";

/** One of several things that a traced text may name. */
export interface TraceCandidate {
  subject: TraceSubject;
  /** The whole id. */
  id: string;
  /** The time of its newest event. */
  timestamp: string;
}

/** What a text names. */
export interface Named {
  /** Those with the newest events first; several if the text is ambiguous. */
  candidates: TraceCandidate[];
  /** If there are none, and not everything was searched: the time back to which it was. */
  searchedTo: string | undefined;
}

// In order of preference: in some entries, a client without an id of its own has its connection's, and so has its bundle.
const idFields = {
  connection: "connection_id",
  session: "session_id",
  client: "client_id",
  bundle: "bundle_id",
  channel: "channel_id",
} as const satisfies Record<TraceSubject, string>;

/** All that can be traced. */
export const traceSubjects = Object.keys(idFields) as TraceSubject[];

type NamingLog = readonly [kind: "events" | "connections" | "sessions", subjects: readonly TraceSubject[]];

// The second ones are asked if the first has nothing: a service may lack it, or have it for less than 30 days.
const namingLogs: readonly (readonly NamingLog[])[] = [
  [["events", traceSubjects]],
  [
    ["connections", traceSubjects],
    ["sessions", ["session", "channel"]],
  ],
];

// Enough to choose from.
const MAX_CANDIDATES = 20;
const ENTRIES = 100;
// Each takes up to 2 s: a part of an id that occurs nowhere would be looked for in all entries of 30 days.
const MAX_PAGES = 5;
const MIN_PREFIX = 4;
// Connections and sessions have such ids. Other names hardly look like them, and are looked for if they have none.
const MEDIA_ID = /^[\dA-Z]{26}$/;
const SHORTENED = /…|\.{3}/;

/** The field by which entries are about a subject. A channel without "@" is given by its name. */
export function fieldOf(subject: TraceSubject, text: string): string {
  return subject === "channel" && !text.includes("@") ? "channel" : idFields[subject];
}

/** Whether a text is an id of which a part was left out. */
export const isShortened = (text: string): boolean => SHORTENED.test(text);

/** Finds out what a text names: an id or a channel, or a part of one. */
export async function identify(
  reader: LogReader,
  what: string,
  subjects: readonly TraceSubject[],
  range: RangeKeys,
): Promise<Named> {
  const isMediaId = MEDIA_ID.test(what);
  // All of its events are needed anyway, and most have few.
  for (const subject of isMediaId ? subjects.filter((one) => one === "connection" || one === "session") : []) {
    const events = await reader.allEvents({ [idFields[subject]]: { eq: what } });
    const newest = events?.find(({ timestamp }) => isWithin(timestamp, range));
    if (newest) {
      return { candidates: [{ subject, id: what, timestamp: newest.timestamp }], searchedTo: undefined };
    }
  }
  const isLikely = (subject: TraceSubject): boolean => !isMediaId || subject === "connection" || subject === "session";
  const exact = await find({ eq: what }, subjects.filter(isLikely));
  if (exact.candidates.length > 0 || (!isShortened(what) && what.length < MIN_PREFIX)) return exact;
  if (isMediaId) return find({ eq: what }, subjects);
  const pattern = what.split(SHORTENED).map((piece) => piece.replace(/[*\\]/g, "\\$&"));
  return find({ like: isShortened(what) ? pattern.join("*") : `${pattern}*` }, subjects);

  async function find(test: TextTest, among: readonly TraceSubject[]): Promise<Named> {
    const searchedTo: string[] = [];
    for (const logs of namingLogs) {
      const found = await Promise.all(
        logs.flatMap(([kind, known]) =>
          among.filter((subject) => known.includes(subject)).map((subject) => findIn(kind, subject, test)),
        ),
      );
      const candidates = distinct(found.flatMap((named) => named.candidates));
      if (candidates.length > 0) return { candidates: candidates.slice(0, MAX_CANDIDATES), searchedTo: undefined };
      searchedTo.push(...found.flatMap((named) => named.searchedTo ?? []));
    }
    return { candidates: [], searchedTo: searchedTo.sort().at(-1) };
  }

  /** Finds all ids that pass a test. */
  async function findIn(kind: NamingLog[0], subject: TraceSubject, test: TextTest): Promise<Named> {
    const field = fieldOf(subject, what);
    const limit = test.eq ? 1 : ENTRIES;
    // By the field's value; undefined for an id that is rather something else's.
    const found = new Map<string, TraceCandidate | undefined>();
    for (;;) {
      const before = found.size;
      const others = before > 0 && { not: { eq: [...found.keys()] } };
      const where = { [field]: { ...test, ...others } };
      const { entries, searchedTo } = await reader.first(kind, { ...range, where, limit }, MAX_PAGES);
      for (const entry of entries) {
        const fields: Record<string, unknown> = { ...entry };
        const [name, id] = [
          String(field === "channel" ? channelName(fields.channel_id) : fields[field]),
          String(fields[idFields[subject]]),
        ];
        if (found.has(name)) continue;
        const isOthers = subjects.some((other, at) => at < subjects.indexOf(subject) && fields[idFields[other]] === id);
        found.set(name, isOthers ? undefined : { subject, id, timestamp: entry.timestamp });
      }
      if (limit === 1 || found.size === before || found.size >= MAX_CANDIDATES) {
        return { candidates: [...found.values()].flatMap((candidate) => candidate ?? []), searchedTo };
      }
    }
  }
}

/** The name of a channel, without its project. */
const channelName = (id: unknown): string => String(id).replace(/@[^@]*$/, "");

/** Each once, the newest first. */
function distinct(candidates: readonly TraceCandidate[]): TraceCandidate[] {
  const byName = new Map(candidates.map((candidate) => [`${candidate.subject} ${candidate.id}`, candidate]));
  const keyOf = ({ timestamp }: TraceCandidate): string => timeKey(timestamp) ?? "";
  return [...byName.values()].sort((a, b) => (keyOf(a) < keyOf(b) ? 1 : -1));
}

/** When a connection or session existed, and where. What is not known is undefined. */
export interface Life extends RangeKeys {
  channelId: string | undefined;
  sessionId: string | undefined;
  /** The id of the event of its end. */
  endEventId: string | undefined;
}

/** Looks up when a connection or session existed, and where. */
export async function lifeOf(reader: LogReader, subject: "connection" | "session", id: string): Promise<Life> {
  const where = { [idFields[subject]]: { eq: id } };
  const ends = ["destroyed", "failed", "vanished"].map((action) => `${subject}.${action}`);
  const all = await reader.allEvents(where);
  const [[first], [end]] = all
    ? [all.slice(-1), all.filter(({ type }) => ends.includes(type))]
    : await Promise.all([
        reader.first("events", { where, order: "oldest", limit: 1 }).then(({ entries }) => entries),
        reader.first("events", { where: { ...where, type: { eq: ends } }, limit: 1 }).then(({ entries }) => entries),
      ]);
  const kind = subject === "connection" ? "connections" : "sessions";
  const [log] = first ? [] : (await reader.first(kind, { where, limit: 1 })).entries;
  return {
    channelId: first?.channel_id ?? log?.channel_id,
    sessionId: first?.session_id ?? log?.session_id,
    since: timeKey(first?.timestamp ?? log?.created_timestamp),
    until: timeKey(end?.timestamp ?? log?.timestamp),
    endEventId: end?.event_id,
  };
}
