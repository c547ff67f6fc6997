import { randomUUID } from "node:crypto";
import type { EventLogEntry, operations } from "@media-ops/contract";
import { DAY_MS, startOfDay } from "../storage/day-partitions.js";
import type { Storage } from "../storage/open-storage.js";

/** The logs by name; their numbers in the database are never changed or reused. */
export const logKinds = {
  sessions: { number: 1, operation: "listSessionLogs", isWrittenLater: false },
  connections: { number: 2, operation: "listConnectionLogs", isWrittenLater: false },
  api: { number: 3, operation: "listApiLogs", isWrittenLater: true },
  "media-api": { number: 4, operation: "listMediaApiLogs", isWrittenLater: true },
  webhooks: { number: 5, operation: "listWebhookLogs", isWrittenLater: true },
  events: { number: 6, operation: "listEventLogs", isWrittenLater: false },
} as const satisfies Record<string, { number: number; operation: keyof operations; isWrittenLater: boolean }>;

/** The name of a log. */
export type LogKind = keyof typeof logKinds;

/** The names of all logs. */
export const logKindNames = Object.keys(logKinds) as LogKind[];

/** How far back a listing goes. */
export const WINDOW_MS: number = 30 * DAY_MS;

/** How many entries a listing shows. */
export const MAX_ENTRIES = 1000;

/** An entry to be written to a log. */
export interface NewEntry {
  readonly projectId: string;
  readonly kind: LogKind;
  /** In UTC, ending in `Z`, with any number of fraction digits. */
  readonly timestamp: string;
  readonly text: string;
}

/** The members of an entry of the event log; those that are undefined are left out. */
export type EventFields = { readonly [Field in keyof EventLogEntry]?: EventLogEntry[Field] | undefined } & Pick<
  EventLogEntry,
  "timestamp" | "type" | "outcome"
>;

/** An entry to be written to the event log. */
export const toEvent = (projectId: string, fields: EventFields): NewEntry => ({
  projectId,
  kind: "events",
  timestamp: fields.timestamp,
  text: JSON.stringify(fields),
});

/** Groups items by project, sorted by project: locks are always taken in this order, to avoid deadlocks. */
export function byProject<Item>(
  items: readonly Item[],
  projectOf: (item: Item) => string,
): (readonly [projectId: string, own: readonly Item[]])[] {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const own = groups.get(projectOf(item));
    if (own) own.push(item);
    else groups.set(projectOf(item), [item]);
  }
  return [...groups].sort(([one], [other]) => (one < other ? -1 : 1));
}

/** Names a batch of entries. One whose outcome is unknown is written again under the same name, and kept once. */
export interface Batch {
  /** A writer writes its batches one after another: the next one only when the previous one is written or given up. */
  readonly writer: string;
  /** Greater than the numbers of the writer's earlier batches. */
  readonly number: number;
}

/** Entries of one project that are written together, or not at all. */
export interface ProjectBatch {
  readonly projectId: string;
  readonly entries: readonly NewEntry[];
  /** Without it, the entries must not be written again if it is unknown whether they were. */
  readonly batch?: Batch | undefined;
}

/** Generates the names of a new writer's batches. */
export function batchNames(): () => Batch {
  const writer = randomUUID();
  let number = 0;
  return () => {
    number += 1;
    return { writer, number };
  };
}

/** A UTC timestamp as a text that sorts by time: without `Z` and trailing zeros, as in 2026-04-01T09:30:15.5 */
export function sortKey(timestamp: string): string {
  const point = timestamp.indexOf(".");
  let end = timestamp.length - 1;
  if (point === -1) return timestamp.slice(0, end);
  while (timestamp[end - 1] === "0") end -= 1;
  return timestamp.slice(0, end - 1 === point ? point : end);
}

/** A log: its project, and the number of its kind. */
export type LogName = readonly [projectId: string, kind: number];

const HEADS = 500;

/** The heads of all logs, sorted by project and kind, some at a time. */
export async function* allHeads(query: Storage["query"]) {
  for (let [last, isLast]: [LogName, boolean] = [["", 0], false]; !isLast; ) {
    const heads = await query
      .selectFrom("log_head")
      .select(["project_id", "kind", "seq", "indexed"])
      .where(({ eb, refTuple, tuple }) => eb(refTuple("project_id", "kind"), ">", tuple(...last)))
      .orderBy("project_id")
      .orderBy("kind")
      .limit(HEADS)
      .execute();
    yield heads;
    const end = heads.at(-1);
    if (end) last = [end.project_id, end.kind];
    isLast = heads.length < HEADS;
  }
}

/** The day before which entries are deleted at a time, both in ms since 1970: only whole days are deleted. */
export const expiredBefore = (time: number): number => startOfDay(time) - WINDOW_MS;

/** Writes the logs of all projects, and deletes what has expired. Each database has its own statements. */
export abstract class LogStore {
  protected readonly storage: Storage;
  protected readonly now: () => number;

  constructor(storage: Storage, now: () => number) {
    this.storage = storage;
    this.now = now;
  }

  /** Writes entries durably, those of each project together, or not at all. */
  append(entries: readonly NewEntry[], batch?: Batch): Promise<void> {
    const projects = byProject(entries, ({ projectId }) => projectId);
    return this.write(projects.map(([projectId, own]) => ({ projectId, entries: own, batch })));
  }

  /** Writes batches durably. One with a name may be written again: its entries are kept once. */
  abstract write(batches: readonly ProjectBatch[]): Promise<void>;

  /** Creates the storage for entries of the days around today. */
  async prepare(): Promise<void> {}

  /** Prepares for the coming days, and deletes what has expired at a time. Returns a log message if any was. */
  async runRetention(time: number, signal: AbortSignal): Promise<string | undefined> {
    await this.prepare();
    return this.dropBefore(expiredBefore(time), signal);
  }

  /** Deletes the entries before the beginning of a day. Returns a log message about them, if any were deleted. */
  protected abstract dropBefore(day: number, signal: AbortSignal): Promise<string | undefined>;
}
