import type { CountLogsRequest, LogCount, LogCountGroup, LogCounts } from "@media-ops/contract";
import type { LogKind } from "../logs/log-store.js";
import { type Column, secondsIn } from "./columns.js";
import { callerOf } from "./conditions.js";
import { failureFields, hasField } from "./fields.js";
import { secondOf } from "./moments.js";
import type { Span } from "./segment-store.js";
import { addRollup, columnAdder, countedFields, ROLLUP_S, Tally } from "./tally.js";

/** What the entries of a group have in common: a field, or something that is derived from one. */
type GroupedBy = NonNullable<CountLogsRequest["by"]>[number];

/** Whether a log's entries can be grouped by a field. */
export const canGroupBy = (kind: LogKind, name: string): boolean =>
  hasField(kind, name) ||
  (name === "failed" && failureFields[kind] !== undefined) ||
  (name === "from" && kind === "api");

/** How the entries of a count are grouped. */
export interface Grouping {
  readonly by: readonly GroupedBy[];
  readonly top: number;
  /** How long the periods are, in seconds; undefined if there are none. */
  readonly every: number | undefined;
  /** How many seconds local time is ahead of UTC. */
  readonly offset: number;
}

/** The entries that are counted: at these positions, ascending, or from `first` to `end`. */
interface CountedColumns {
  column(name: string): Column;
  readonly positions: ArrayLike<number> | undefined;
  readonly first: number;
  readonly end: number;
}

type Value = LogCountGroup["by"][string];

/** What entries are grouped by: a value that is read from a field. */
interface Source {
  readonly field: string;
  read(value: unknown): Value;
}

interface Group {
  readonly key: string;
  readonly values: readonly Value[];
  readonly tally: Tally;
}

// Counting so many entries takes microseconds, or a millisecond or two if each is a new group.
const PIECE = 128;

/** Counts entries from columns and from rollups: each entry is added in one of these forms. */
export class Counter {
  readonly #kind: LogKind;
  readonly #grouping: Grouping;
  readonly #fields: ReturnType<typeof countedFields>;
  readonly #sources: readonly Source[];
  readonly #groups = new Map<string, Group>();
  /** By the second since 1970 at which they start; one only if there are no periods. */
  readonly #periods = new Map<number, Tally>();

  constructor(kind: LogKind, grouping: Grouping) {
    this.#kind = kind;
    this.#grouping = grouping;
    this.#fields = countedFields(kind);
    this.#sources = grouping.by.map((name) => sourceOf(kind, name));
  }

  columnsOf(span: Span): string[] {
    const { failure, count, received, sent, value } = this.#fields;
    const counted = [failure?.name, count, received, sent, value].filter((name) => name !== undefined);
    const time = this.#isWithinPeriod(span) ? [] : ["timestamp"];
    return [...new Set([...counted, ...this.#sources.map(({ field }) => field), ...time])];
  }

  /** Whether a whole segment may be added by its rollup: each of the rollup's hours is within a period. */
  takesRollup(span: Span): boolean {
    return this.#sources.length === 0 && (this.#hasWholeHours || this.#isWithinPeriod(span));
  }

  get size(): number {
    return this.#groups.size;
  }

  async addColumns(
    span: Span,
    { column, positions, first, end }: CountedColumns,
    pause: () => Promise<void>,
  ): Promise<void> {
    const add = columnAdder(this.#kind, column);
    const tallies = [
      ...(this.#sources.length > 0 ? [this.#groupsIn(column)] : []),
      ...(this.#countsPeriods ? [this.#periodsIn(span, column)] : []),
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

  async answer(range: Pick<LogCounts, "since" | "until" | "complete">, pause: () => Promise<void>): Promise<LogCounts> {
    const { every, by } = this.#grouping;
    const total = new Tally();
    const all = this.#countsPeriods
      ? [...this.#periods.values()]
      : [...this.#groups.values()].map(({ tally }) => tally);
    for (const tally of all) {
      total.merge(tally);
      await pause();
    }
    const groups: LogCounts["groups"] = [];
    for (const { values, tally } of await this.#topGroups(pause)) {
      groups.push({ by: Object.fromEntries(by.map((name, i) => [name, values[i] ?? null])), ...this.#countOf(tally) });
      await pause();
    }
    const periods: LogCounts["periods"] = [];
    for (const [start, tally] of every === undefined ? [] : [...this.#periods].sort(([a], [b]) => a - b)) {
      periods.push({ start: new Date(start * 1000).toISOString().replace(".000", ""), ...this.#countOf(tally) });
      await pause();
    }
    return { ...range, total: this.#countOf(total), groups, omitted_groups: this.size - groups.length, periods };
  }

  get #countsPeriods(): boolean {
    return this.#sources.length === 0 || this.#grouping.every !== undefined;
  }

  get #hasWholeHours(): boolean {
    const { every = ROLLUP_S, offset } = this.#grouping;
    return every % ROLLUP_S === 0 && offset % ROLLUP_S === 0;
  }

  #isWithinPeriod({ firstAt, lastAt }: Span): boolean {
    if (this.#grouping.every === undefined) return true;
    return this.#startOf(secondOf(firstAt)) === this.#startOf(secondOf(lastAt));
  }

  /** Returns a function that returns the tally of an entry's period, by its position. */
  #periodsIn(span: Span, column: CountedColumns["column"]): (position: number) => Tally {
    const within = secondOf(span.firstAt);
    const secondAt = this.#isWithinPeriod(span) ? () => within : secondsIn(column("timestamp"));
    // Entries are in the order of time: most are in the same period as the one before.
    let period: Tally | undefined;
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
    const tally = this.#periods.get(start) ?? new Tally();
    this.#periods.set(start, tally);
    return tally;
  }

  /** Returns a function that returns the tally of an entry's group, by its position. */
  #groupsIn(column: CountedColumns["column"]): (position: number) => Tally {
    const [first, second] = this.#sources.map(({ field, read }) => coded(column(field), read));
    /** By the codes of both fields. */
    const known: (Tally | undefined)[] = [];
    return (position) => {
      const a = first?.codes[position] ?? 0;
      const b = second?.codes[position] ?? 0;
      const key = second ? a * second.size + b : a;
      let tally = known[key];
      if (!tally) {
        const value = first?.valueOf(a) ?? null;
        tally = this.#groupOf(second ? [value, second.valueOf(b)] : [value]);
        known[key] = tally;
      }
      return tally;
    };
  }

  #groupOf(values: readonly Value[]): Tally {
    const key = JSON.stringify(values);
    const group = this.#groups.get(key) ?? { key, values, tally: new Tally() };
    this.#groups.set(key, group);
    return group.tally;
  }

  /** The groups with the most failed entries, then those with the most entries. */
  async #topGroups(pause: () => Promise<void>): Promise<Group[]> {
    const { top } = this.#grouping;
    let best: Group[] = [];
    let worst: Group | undefined;
    // Sorting all of many groups at once would delay other callers.
    for (const group of this.#groups.values()) {
      await pause();
      if (worst && order(worst, group) < 0) continue;
      best.push(group);
      if (best.length < 2 * top) continue;
      best = best.sort(order).slice(0, top);
      worst = best.at(-1);
    }
    return best.sort(order).slice(0, top);
  }

  #countOf(tally: Tally): LogCount {
    const { failure, received, sent, minutes } = this.#fields;
    const { values } = tally;
    const [p50 = 0, p95 = 0, p99 = 0] = values.percentiles([0.5, 0.95, 0.99]);
    return {
      entries: tally.entries,
      count: bounded(tally.count),
      ...(failure && { failed: bounded(tally.failed) }),
      ...(received && { received_bytes: bounded(tally.receivedBytes) }),
      ...(sent && { sent_bytes: bounded(tally.sentBytes) }),
      ...(minutes && { minutes: bounded(values.sum) }),
      ...(values.count > 0 && { [minutes ?? "elapsed_ms"]: { p50, p95, p99, max: values.max } }),
    };
  }
}

/** The greatest sum that an answer has: beyond it, JavaScript's numbers are not exact. */
const bounded = (sum: number): number => Math.min(sum, Number.MAX_SAFE_INTEGER);

function sourceOf(kind: LogKind, name: GroupedBy): Source {
  const failure = failureFields[kind];
  if (name === "failed" && failure) {
    return { field: failure.name, read: (value) => failure.hasFailed(value) ?? null };
  }
  if (name === "from") {
    return { field: "url", read: (value) => (typeof value === "string" ? (callerOf(value) ?? null) : null) };
  }
  // NaN stands for an entry without the field.
  const isValue = (value: unknown): value is Value => typeof value === "string" || Number.isFinite(value);
  return { field: name, read: (value) => (isValue(value) ? value : null) };
}

const order = (a: Group, b: Group): number =>
  b.tally.failed - a.tally.failed || b.tally.entries - a.tally.entries || (a.key < b.key ? -1 : 1);

/** The values of a column by small numbers: an entry has `valueOf(codes[i])`, and there are `size` codes. */
function coded(column: Column, read: Source["read"]) {
  if (column.type === "text") {
    const { dictionary, codes } = column;
    return { size: dictionary.length, codes, valueOf: (code: number) => read(dictionary[code]) };
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
  return { size: values.length, codes, valueOf: (code: number) => values[code] ?? null };
}
