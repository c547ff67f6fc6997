import type { LogCount, LogCounts } from "@media-ops/contract";
import type { LogKind } from "../logs/log-store.js";
import { type Failure, failedIn, failureOf } from "./failures.js";
import { type GroupedBy, Groups } from "./groups.js";
import {
  addRollup,
  distributed,
  entryAdder,
  hasMeasure,
  type Measure,
  type ParsedEntry,
  ROLLUP_MS,
  Tally,
} from "./rollups.js";
import type { Column, Segment } from "./segments.js";

/** How the entries of a count are grouped. */
export interface Grouping {
  readonly by: readonly GroupedBy[];
  /** How many groups the answer has at most. */
  readonly top: number;
  /** How long the periods are, in seconds; undefined if there are none. */
  readonly every: number | undefined;
  /** How many seconds local time is ahead of UTC. */
  readonly offset: number;
}

/** The entries of a segment that are counted. */
export interface CountedColumns {
  column(name: string): Column;
  /** The positions of the entries, ascending; undefined for all from `first` to `end`. */
  readonly positions: ArrayLike<number> | undefined;
  readonly first: number;
  readonly end: number;
}

/** The sort keys of a segment's oldest and newest entry. */
type Span = Pick<Segment, "firstAt" | "lastAt">;

const MICROS = 1e6;
const ROLLUP_S = ROLLUP_MS / 1000;
// Counting so many entries takes microseconds, or a millisecond or two if each is a new group.
const PIECE = 128;

/** Counts entries from their texts, from columns and from rollups: each entry is added in one of these forms. */
export class Counter {
  readonly #kind: LogKind;
  readonly #grouping: Grouping;
  readonly #failure: Failure | undefined;
  readonly #measures: readonly (Measure | undefined)[];
  readonly #addEntry: ReturnType<typeof entryAdder>;
  readonly #groups: Groups | undefined;
  /** By the second since 1970 at which they start; one only if there are no periods. */
  readonly #periods = new Map<number, Tally>();

  constructor(kind: LogKind, grouping: Grouping) {
    this.#kind = kind;
    this.#grouping = grouping;
    this.#failure = failureOf(kind);
    this.#measures = (["count", "total_received_bytes", "total_sent_bytes", distributed(kind)] as const).map(
      (measure) => (hasMeasure(kind, measure) ? measure : undefined),
    );
    this.#addEntry = entryAdder(kind);
    this.#groups = grouping.by.length > 0 ? new Groups(kind, grouping.by) : undefined;
  }

  /** The names of the columns that `addColumns` reads. */
  columnsOf(segment: Span): string[] {
    const measures = this.#measures.flatMap((measure) => measure ?? []);
    const failure = this.#failure ? [this.#failure.field] : [];
    const time = this.#isWithinPeriod(segment) ? [] : ["timestamp"];
    return [...new Set([...failure, ...measures, ...(this.#groups?.fields ?? []), ...time])];
  }

  /** Whether a whole segment may be added by its rollup: each of the rollup's hours is within a period. */
  takesRollup(segment: Span): boolean {
    return !this.#groups && (this.#hasWholeHours || this.#isWithinPeriod(segment));
  }

  /** How many groups it has. */
  get size(): number {
    return this.#groups?.size ?? 0;
  }

  /** @param at The entry's sort key. */
  addEntry(at: string, entry: ParsedEntry): void {
    const { every } = this.#grouping;
    if (this.#groups) this.#addEntry(this.#groups.of(entry), entry);
    if (this.#countsPeriods) this.#addEntry(this.#periodOf(every === undefined ? 0 : secondOf(at)), entry);
  }

  /** @param pause Called between short pieces of work. */
  async addColumns(
    segment: Span,
    { column, positions, first, end }: CountedColumns,
    pause: () => Promise<void>,
  ): Promise<void> {
    const [count, received, sent, value] = this.#measures.map((name) => numbers(name && column(name)));
    const failed = this.#failure && failedIn(this.#failure, column(this.#failure.field));
    const measures = { failed, count, received, sent, value };
    const groupAt = this.#groups?.inColumns(column);
    const periodAt = this.#countsPeriods ? this.#periodsIn(segment, column) : undefined;
    const length = positions ? positions.length : end - first;
    for (let from = 0; from < length; from += PIECE) {
      const piece = { first, positions, from, until: Math.min(from + PIECE, length) };
      if (groupAt) addPiece(measures, piece, groupAt);
      if (periodAt) addPiece(measures, piece, periodAt);
      await pause();
    }
  }

  /** Adds a segment's entries, or only those that failed. */
  addRollup(rollup: Uint8Array, { firstAt }: Span, onlyFailed: boolean): void {
    const others = new Tally();
    const first = this.#hasWholeHours ? undefined : secondOf(firstAt);
    addRollup(rollup, (startMs, hasFailed) =>
      onlyFailed && !hasFailed ? others : this.#periodOf(first ?? startMs / 1000),
    );
  }

  /** @param pause Called between short pieces of work. */
  async answer(
    { since, until, complete }: Pick<LogCounts, "since" | "until" | "complete">,
    pause: () => Promise<void>,
  ): Promise<LogCounts> {
    const { every, top } = this.#grouping;
    const total = new Tally();
    for (const tally of this.#countsPeriods ? this.#periods.values() : (this.#groups?.tallies() ?? [])) {
      total.merge(tally);
      await pause();
    }
    const groups: LogCounts["groups"] = [];
    for (const { by, tally } of (await this.#groups?.top(top, pause)) ?? []) {
      groups.push({ by, ...this.#countOf(tally) });
      await pause();
    }
    const periods: LogCounts["periods"] = [];
    for (const [start, tally] of every === undefined ? [] : [...this.#periods].sort(([a], [b]) => a - b)) {
      periods.push({ start: new Date(start * 1000).toISOString().replace(".000", ""), ...this.#countOf(tally) });
      await pause();
    }
    return {
      since,
      until,
      complete,
      total: this.#countOf(total),
      groups,
      omitted_groups: (this.#groups?.size ?? 0) - groups.length,
      periods,
    };
  }

  /** Whether entries are added to periods, and not only to groups. */
  get #countsPeriods(): boolean {
    return !this.#groups || this.#grouping.every !== undefined;
  }

  /** Whether all periods begin at whole hours. */
  get #hasWholeHours(): boolean {
    const { every = ROLLUP_S, offset } = this.#grouping;
    return every % ROLLUP_S === 0 && offset % ROLLUP_S === 0;
  }

  #isWithinPeriod({ firstAt, lastAt }: Span): boolean {
    if (this.#grouping.every === undefined) return true;
    return this.#startOf(secondOf(firstAt)) === this.#startOf(secondOf(lastAt));
  }

  /** Returns a function that returns the tally of the period of a segment's entry, by its position. */
  #periodsIn(segment: Span, column: CountedColumns["column"]): (position: number) => Tally {
    let period: Tally | undefined;
    const isWithin = this.#isWithinPeriod(segment);
    const within = secondOf(segment.firstAt);
    const secondAt = isWithin ? () => within : secondsIn(column("timestamp"));
    // Entries are in the order of time: most are in the same period as the one before.
    let end = 0;
    return (position) => {
      const second = secondAt(position);
      if (period === undefined || second >= end) {
        period = this.#periodOf(second);
        end = this.#startOf(second) + (this.#grouping.every ?? 0);
      }
      return period;
    };
  }

  #startOf(second: number): number {
    const { every, offset } = this.#grouping;
    return every === undefined ? 0 : Math.floor((second + offset) / every) * every - offset;
  }

  #periodOf(second: number): Tally {
    const start = this.#startOf(second);
    let tally = this.#periods.get(start);
    if (!tally) {
      tally = new Tally();
      this.#periods.set(start, tally);
    }
    return tally;
  }

  #countOf(tally: Tally): LogCount {
    const kind = this.#kind;
    const { values } = tally;
    const [p50 = 0, p95 = 0, p99 = 0] = values.percentiles([0.5, 0.95, 0.99]);
    const distribution = { p50, p95, p99, max: values.max };
    const isTimed = distributed(kind) === "duration_min";
    return {
      entries: tally.entries,
      count: bounded(tally.count),
      ...(this.#failure && { failed: bounded(tally.failed) }),
      ...(hasMeasure(kind, "total_received_bytes") && { received_bytes: bounded(tally.receivedBytes) }),
      ...(hasMeasure(kind, "total_sent_bytes") && { sent_bytes: bounded(tally.sentBytes) }),
      ...(isTimed && { minutes: bounded(values.sum) }),
      ...(values.count > 0 && { [isTimed ? "duration_min" : "elapsed_ms"]: distribution }),
    };
  }
}

/**
 * The values of the counted fields of a segment's entries, and 1 for each that failed; undefined for what the log does
 * not have.
 */
type Measures = Readonly<Record<"failed" | "count" | "received" | "sent" | "value", ArrayLike<number> | undefined>>;

interface Piece extends Pick<CountedColumns, "positions" | "first"> {
  readonly from: number;
  readonly until: number;
}

function addPiece(
  { failed, count, received, sent, value }: Measures,
  { positions, first, from, until }: Piece,
  tallyAt: (position: number) => Tally,
): void {
  for (let i = from; i < until; i++) {
    const at = positions ? (positions[i] ?? 0) : first + i;
    tallyAt(at).add(
      failed?.[at] === 1,
      count?.[at] ?? Number.NaN,
      received?.[at] ?? Number.NaN,
      sent?.[at] ?? Number.NaN,
      value?.[at] ?? Number.NaN,
    );
  }
}

/** The greatest sum that an answer has: beyond it, JavaScript's numbers are not exact. */
const bounded = (sum: number): number => Math.min(sum, Number.MAX_SAFE_INTEGER);

const numbers = (column: Column | undefined): ArrayLike<number> | undefined =>
  column?.type === "number" ? column.values : undefined;

/** The whole second since 1970 of a sort key. A leap second belongs to the second before it. */
export function secondOf(at: string): number {
  const second = at.slice(0, "2026-04-01T09:30:15".length).replace(/60$/, "59");
  return Date.parse(`${second}Z`) / 1000;
}

function secondsIn(column: Column): (position: number) => number {
  if (column.type === "number") return (position) => Math.floor((column.values[position] ?? 0) / MICROS);
  return (position) => secondOf(column.dictionary[column.codes[position] ?? 0] ?? "");
}
