import type { LogCount, LogCounts } from "../generated/extensions.js";
import type { LogKind } from "../logs/log-store.js";
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
import type { Column } from "./segments.js";

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

const MICROS = 1e6;

/** Counts entries from their texts, from columns and from rollups: each entry is added in one of these forms. */
export class Counter {
  readonly #kind: LogKind;
  readonly #grouping: Grouping;
  readonly #measures: readonly (Measure | undefined)[];
  readonly #addEntry: ReturnType<typeof entryAdder>;
  readonly #groups: Groups | undefined;
  /** By the second since 1970 at which they start; one only if there are no periods. */
  readonly #periods = new Map<number, Tally>();

  constructor(kind: LogKind, grouping: Grouping) {
    this.#kind = kind;
    this.#grouping = grouping;
    this.#measures = (["status", "count", "total_received_bytes", "total_sent_bytes", distributed(kind)] as const).map(
      (measure) => (hasMeasure(kind, measure) ? measure : undefined),
    );
    this.#addEntry = entryAdder(kind);
    this.#groups = grouping.by.length > 0 ? new Groups(grouping.by) : undefined;
  }

  /** The names of the columns that `addColumns` reads. */
  get columns(): string[] {
    const measures = this.#measures.flatMap((measure) => measure ?? []);
    const time = this.#grouping.every === undefined ? [] : ["timestamp"];
    return [...new Set([...measures, ...(this.#groups?.fields ?? []), ...time])];
  }

  /** Whether whole segments may be added by their rollups: the periods of these are within those of the count. */
  get takesRollups(): boolean {
    const { every = ROLLUP_MS / 1000, offset } = this.#grouping;
    return !this.#groups && every % (ROLLUP_MS / 1000) === 0 && offset % (ROLLUP_MS / 1000) === 0;
  }

  /** How many groups it has. */
  get size(): number {
    return this.#groups?.size ?? 0;
  }

  /** @param at The entry's sort key. */
  addEntry(at: string, entry: ParsedEntry): void {
    this.#addEntry(this.#periodOf(this.#grouping.every === undefined ? 0 : secondOf(at)), entry);
    if (this.#groups) this.#addEntry(this.#groups.of(entry), entry);
  }

  addColumns({ column, positions, first, end }: CountedColumns): void {
    const [status, count, received, sent, value] = this.#measures.map((name) => numbers(name && column(name)));
    const groupOf = this.#groups?.inColumns(column);
    const secondAt = this.#grouping.every === undefined ? () => 0 : secondsIn(column("timestamp"));
    // Entries are in the order of time: most are in the same period as the one before.
    let [period, periodEnd] = [new Tally(), Number.NEGATIVE_INFINITY];
    const length = positions ? positions.length : end - first;
    for (let i = 0; i < length; i++) {
      const at = positions ? (positions[i] ?? 0) : first + i;
      const second = secondAt(at);
      if (second >= periodEnd) {
        period = this.#periodOf(second);
        periodEnd = this.#endOf(second);
      }
      const [a, b] = [status?.[at] ?? Number.NaN, count?.[at] ?? Number.NaN];
      const [c, d, e] = [received?.[at] ?? Number.NaN, sent?.[at] ?? Number.NaN, value?.[at] ?? Number.NaN];
      period.add(a, b, c, d, e);
      groupOf?.(at).add(a, b, c, d, e);
    }
  }

  addRollup(rollup: Uint8Array, onlyFailed: boolean): void {
    const others = new Tally();
    addRollup(rollup, (startMs, hasFailed) => (onlyFailed && !hasFailed ? others : this.#periodOf(startMs / 1000)));
  }

  answer({ since, until, complete }: Pick<LogCounts, "since" | "until" | "complete">): LogCounts {
    const { every, top } = this.#grouping;
    const total = new Tally();
    for (const tally of this.#periods.values()) total.merge(tally);
    const groups = this.#groups?.top(top) ?? [];
    const periods = every === undefined ? [] : [...this.#periods].sort(([a], [b]) => a - b);
    return {
      since,
      until,
      complete,
      total: this.#countOf(total),
      groups: groups.map(({ by, tally }) => ({ by, ...this.#countOf(tally) })),
      omitted_groups: (this.#groups?.size ?? 0) - groups.length,
      periods: periods.map(([start, tally]) => ({
        start: new Date(start * 1000).toISOString().replace(".000", ""),
        ...this.#countOf(tally),
      })),
    };
  }

  #startOf(second: number): number {
    const { every, offset } = this.#grouping;
    return every === undefined ? 0 : Math.floor((second + offset) / every) * every - offset;
  }

  #endOf(second: number): number {
    const { every } = this.#grouping;
    return every === undefined ? Number.POSITIVE_INFINITY : this.#startOf(second) + every;
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
      ...(hasMeasure(kind, "status") && { failed: bounded(tally.failed) }),
      ...(hasMeasure(kind, "total_received_bytes") && { received_bytes: bounded(tally.receivedBytes) }),
      ...(hasMeasure(kind, "total_sent_bytes") && { sent_bytes: bounded(tally.sentBytes) }),
      ...(isTimed && { minutes: bounded(values.sum) }),
      ...(values.count > 0 && { [isTimed ? "duration_min" : "elapsed_ms"]: distribution }),
    };
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
