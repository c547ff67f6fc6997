import type { CountLogsRequest, LogCount, LogCountGroup, LogCounts } from "@media-ops/contract";
import type { LogKind } from "../logs/log-store.js";
import { callerOf, type ParsedEntry } from "./conditions.js";
import { failureFields, hasField } from "./fields.js";
import { secondOf } from "./moments.js";
import type { Column, Segment } from "./segments.js";
import { addRollup, columnAdder, countedFields, entryAdder, ROLLUP_S, secondsIn, Tally } from "./tally.js";

/** What the entries of a group have in common: a field, or something that is derived from one. */
export type GroupedBy = NonNullable<CountLogsRequest["by"]>[number];

/** Whether a log's entries can be grouped by a field. */
export const canGroupBy = (kind: LogKind, name: string): boolean =>
  hasField(kind, name) ||
  (name === "failed" && failureFields[kind] !== undefined) ||
  (name === "from" && kind === "api");

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

// Counting so many entries takes microseconds, or a millisecond or two if each is a new group.
const PIECE = 128;

/** Counts entries from their texts, from columns and from rollups: each entry is added in one of these forms. */
export class Counter {
  readonly #kind: LogKind;
  readonly #grouping: Grouping;
  readonly #fields: ReturnType<typeof countedFields>;
  readonly #addEntry: ReturnType<typeof entryAdder>;
  readonly #groups: Groups | undefined;
  /** By the second since 1970 at which they start; one only if there are no periods. */
  readonly #periods = new Map<number, Tally>();

  constructor(kind: LogKind, grouping: Grouping) {
    this.#kind = kind;
    this.#grouping = grouping;
    this.#fields = countedFields(kind);
    this.#addEntry = entryAdder(kind);
    this.#groups = grouping.by.length > 0 ? new Groups(kind, grouping.by) : undefined;
  }

  /** The names of the columns that `addColumns` reads. */
  columnsOf(segment: Span): string[] {
    const { failure, count, received, sent, value } = this.#fields;
    const counted = [failure?.name, count, received, sent, value].filter((name) => name !== undefined);
    const time = this.#isWithinPeriod(segment) ? [] : ["timestamp"];
    return [...new Set([...counted, ...(this.#groups?.fields ?? []), ...time])];
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
    const add = columnAdder(this.#kind, column);
    const tallies = [
      ...(this.#groups ? [this.#groups.inColumns(column)] : []),
      ...(this.#countsPeriods ? [this.#periodsIn(segment, column)] : []),
    ];
    const length = positions ? positions.length : end - first;
    for (let from = 0; from < length; from += PIECE) {
      const until = Math.min(from + PIECE, length);
      for (const tallyAt of tallies) {
        for (let i = from; i < until; i++) {
          const at = positions ? (positions[i] ?? 0) : first + i;
          add(tallyAt(at), at);
        }
      }
      await pause();
    }
  }

  /** Adds a segment's entries, or only those that failed. */
  addRollup(rollup: Uint8Array, { firstAt }: Span, onlyFailed: boolean): void {
    const others = new Tally();
    const first = this.#hasWholeHours ? undefined : secondOf(firstAt);
    addRollup(rollup, (second, hasFailed) => (onlyFailed && !hasFailed ? others : this.#periodOf(first ?? second)));
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
    const { failure, received, sent, minutes } = this.#fields;
    const { values } = tally;
    const [p50 = 0, p95 = 0, p99 = 0] = values.percentiles([0.5, 0.95, 0.99]);
    const distribution = { p50, p95, p99, max: values.max };
    return {
      entries: tally.entries,
      count: bounded(tally.count),
      ...(failure && { failed: bounded(tally.failed) }),
      ...(received && { received_bytes: bounded(tally.receivedBytes) }),
      ...(sent && { sent_bytes: bounded(tally.sentBytes) }),
      ...(minutes && { minutes: bounded(values.sum) }),
      ...(values.count > 0 && { [minutes ?? "elapsed_ms"]: distribution }),
    };
  }
}

/** The greatest sum that an answer has: beyond it, JavaScript's numbers are not exact. */
const bounded = (sum: number): number => Math.min(sum, Number.MAX_SAFE_INTEGER);

type Value = LogCountGroup["by"][string];

const textOf = (value: unknown): Value => (typeof value === "string" ? value : null);
const numberOf = (value: unknown): Value => (typeof value === "number" && !Number.isNaN(value) ? value : null);

interface Source {
  /** The field that is read. */
  readonly field: string;
  read(value: unknown): Value;
}

function sourceOf(kind: LogKind, name: GroupedBy): Source {
  const failure = failureFields[kind];
  if (name === "failed" && failure) {
    return { field: failure.name, read: (value) => failure.hasFailed(value) ?? null };
  }
  if (name === "from") {
    return { field: "url", read: (value) => (typeof value === "string" ? (callerOf(value) ?? null) : null) };
  }
  return { field: name, read: name === "status" ? numberOf : textOf };
}

/** The entries of a group. */
interface Group {
  /** The values as one text. */
  readonly key: string;
  readonly values: readonly Value[];
  readonly tally: Tally;
}

/** The entries of a segment in one field: an entry has `valueOf(codes[i])`. */
interface Coded {
  /** How many codes there are. */
  readonly size: number;
  readonly codes: ArrayLike<number>;
  valueOf(code: number): Value;
}

/** Counts entries by the values of one or two fields. */
export class Groups {
  readonly #by: readonly GroupedBy[];
  readonly #sources: readonly Source[];
  readonly #groups = new Map<string, Group>();

  constructor(kind: LogKind, by: readonly GroupedBy[]) {
    this.#by = by;
    this.#sources = by.map((name) => sourceOf(kind, name));
  }

  /** The names of the columns that `inColumns` reads. */
  get fields(): string[] {
    return this.#sources.map(({ field }) => field);
  }

  get size(): number {
    return this.#groups.size;
  }

  /** The tallies of all groups. */
  *tallies(): Iterable<Tally> {
    for (const { tally } of this.#groups.values()) yield tally;
  }

  /** The tally of an entry's group. */
  of(entry: ParsedEntry): Tally {
    return this.#tallyOf(this.#sources.map(({ field, read }) => read(entry[field])));
  }

  /** Returns a function that returns the tally of the group of a segment's entry, by its position. */
  inColumns(columnOf: (field: string) => Column): (position: number) => Tally {
    const [first, second] = this.#sources.map(({ field, read }) => coded(columnOf(field), read));
    /** By the codes of both fields. */
    const known: (Tally | undefined)[] = [];
    return (position) => {
      const a = first?.codes[position] ?? 0;
      const b = second?.codes[position] ?? 0;
      const key = second ? a * second.size + b : a;
      let tally = known[key];
      if (!tally) {
        const value = first?.valueOf(a) ?? null;
        tally = this.#tallyOf(second ? [value, second.valueOf(b)] : [value]);
        known[key] = tally;
      }
      return tally;
    };
  }

  /**
   * Those with the most failed entries, then those with the most entries, each with its values by name.
   *
   * @param pause Called between short pieces of work.
   */
  async top(limit: number, pause: () => Promise<void>): Promise<{ by: LogCountGroup["by"]; tally: Tally }[]> {
    let best: Group[] = [];
    let worst: Group | undefined;
    // Sorting all of many groups at once would delay other callers.
    for (const group of this.#groups.values()) {
      await pause();
      if (worst && order(worst, group) < 0) continue;
      best.push(group);
      if (best.length < 2 * limit) continue;
      best = best.sort(order).slice(0, limit);
      worst = best.at(-1);
    }
    return best
      .sort(order)
      .slice(0, limit)
      .map(({ values, tally }) => ({
        by: Object.fromEntries(this.#by.map((name, i) => [name, values[i] ?? null])),
        tally,
      }));
  }

  #tallyOf(values: readonly Value[]): Tally {
    const key = JSON.stringify(values);
    let group = this.#groups.get(key);
    if (!group) {
      group = { key, values, tally: new Tally() };
      this.#groups.set(key, group);
    }
    return group.tally;
  }
}

const order = (a: Group, b: Group): number =>
  b.tally.failed - a.tally.failed || b.tally.entries - a.tally.entries || (a.key < b.key ? -1 : 1);

function coded(column: Column, read: (value: unknown) => Value): Coded {
  if (column.type === "text") {
    const { dictionary, codes } = column;
    return { size: dictionary.length, codes, valueOf: (code) => read(dictionary[code]) };
  }
  const values: Value[] = [];
  const known = new Map<number, number>();
  const codes = new Uint32Array(column.values.length);
  for (let i = 0; i < codes.length; i++) {
    const value = column.values[i] ?? Number.NaN;
    let code = known.get(value);
    if (code === undefined) {
      code = values.push(read(value)) - 1;
      known.set(value, code);
    }
    codes[i] = code;
  }
  return { size: values.length, codes, valueOf: (code) => values[code] ?? null };
}
