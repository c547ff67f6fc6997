import type { CountLogsRequest, LogCount, LogCountGroup, LogCounts, ProblemError } from "@media-ops/contract";
import { type LogKind, type LogName, logKinds } from "../logs/log-store.js";
import type { Work } from "../reads/pace.js";
import {
  type Column,
  columnsOf,
  type EntryRow,
  failureFields,
  hasField,
  keysIn,
  positionOf,
  secondsIn,
} from "./columns.js";
import {
  type Conditions,
  callerOf,
  compileWhere,
  InvalidSearch,
  mayHold,
  parseRange,
  testOf,
  type Where,
} from "./conditions.js";
import { END_OF_TIME, earlier, type KeyRange, keyAfter, keyOfMs, later, momentOf, secondOf } from "./moments.js";
import type { Segment, SegmentStore, Span } from "./segment-store.js";
import { addRollup, columnAdder, countedFields, ROLLUP_S, Tally } from "./tally.js";
import { isCut, readSegments } from "./walk.js";

/** What to count, and how to group it. */
export interface CountQuery extends Grouping, KeyRange {
  readonly kind: LogKind;
  readonly log: LogName;
  /** If the request has no end, where the answer's range ends, unless there are later entries. */
  readonly openUntil: string | undefined;
  readonly conditions: Conditions;
  /** Whether the conditions are met by all entries, by those that failed, or by others. */
  readonly counted: "all" | "failed" | "some";
}

const MAX_PERIODS = 2000;
const TOP = 100;
// The media server's clock may be ahead: what has just failed there is counted, as it is listed.
const AHEAD_MS = 3_600_000;

/** Parses a valid body. Throws `InvalidSearch` if its members contradict each other. */
export function parseCount(projectId: string, body: CountLogsRequest, now: number): CountQuery {
  const { kind, by = [], top = TOP, every, offset } = body;
  const range = parseRange(body, now);
  const isOpen = range.until === END_OF_TIME;
  const until = isOpen ? later(keyOfMs(now + AHEAD_MS), range.from) : range.until;
  const from = earlier(range.from, until);
  const faults: ProblemError[] = [];
  if (offset !== undefined && every === undefined) {
    faults.push({ pointer: "/offset", detail: "Is only allowed with every. Add every, or leave offset out." });
  }
  const seconds = secondOf(until) - secondOf(from);
  if (every !== undefined && seconds / every > MAX_PERIODS) {
    const least = Math.ceil(seconds / MAX_PERIODS);
    faults.push({
      pointer: "/every",
      detail: `Must be at least ${least}: this range has more than ${MAX_PERIODS} periods of ${every} s.`,
    });
  }
  if (faults.length > 0) throw new InvalidSearch(...faults);
  // The schema of the log has checked that each condition suits its field.
  const where = body.where as Where | undefined;
  return {
    kind,
    log: [projectId, logKinds[kind].number],
    from,
    until,
    openUntil: isOpen ? later(keyOfMs(now), from) : undefined,
    by,
    top,
    every,
    offset: offset ?? 0,
    conditions: compileWhere(kind, projectId, where),
    counted: countedBy(where),
  };
}

function countedBy(where: Where = {}): CountQuery["counted"] {
  const names = Object.keys(where);
  if (names.length === 0) return "all";
  return names.length === 1 && where.failed === true ? "failed" : "some";
}

type CountWork = Pick<Work, "isOver" | "pause">;

const ROWS = 500;
// Enough that asking the database costs little for each; few enough that little is read in vain when the time is over.
const SEGMENTS = 64;
// Some 20 MB, and 120 MB if each group has many different values.
const MAX_GROUPS = 50_000;

/** Counts a log's entries from the newest to the oldest, until its time is over or it has too many groups. */
export const count = (
  reader: SegmentStore,
  query: CountQuery,
  work: CountWork,
  maxGroups: number = MAX_GROUPS,
): Promise<LogCounts> => new Count(reader, query, { work, maxGroups }).run();

/** Entries in columns, oldest first: those of a segment, or rows. */
interface Block extends Span {
  readonly entries: number;
  column(name: string): Promise<Column>;
}

class Count {
  readonly #reader: SegmentStore;
  readonly #query: CountQuery;
  readonly #work: CountWork;
  readonly #maxGroups: number;
  readonly #counter: Counter;
  readonly #pause = () => this.#work.pause();
  /** The sort keys of the oldest and the newest entry that was looked at. */
  #oldest: string;
  #newest = "";

  constructor(reader: SegmentStore, query: CountQuery, { work, maxGroups }: { work: CountWork; maxGroups: number }) {
    this.#reader = reader;
    this.#query = query;
    this.#work = work;
    this.#maxGroups = maxGroups;
    this.#counter = new Counter(query.kind, query);
    this.#oldest = query.until;
  }

  async run(): Promise<LogCounts> {
    const complete = await this.#countAll();
    const end = this.#end();
    const since = complete ? this.#query.from : earlier(this.#oldest, end);
    return this.#counter.answer({ since: momentOf(since), until: momentOf(end), complete }, this.#pause);
  }

  #end(): string {
    const { until, openUntil } = this.#query;
    if (openUntil === undefined || this.#newest < openUntil) return openUntil ?? until;
    return earlier(keyOfMs((secondOf(this.#newest) + 1) * 1000), until);
  }

  get #mustStop(): boolean {
    return this.#work.isOver || this.#counter.size > this.#maxGroups;
  }

  /** Counts from the newest entry on. Returns whether these are all. */
  async #countAll(): Promise<boolean> {
    const pages = readSegments(
      this.#reader,
      { ...this.#query, order: "newest" },
      { first: SEGMENTS, most: SEGMENTS, pause: this.#pause },
    );
    for await (const { places, rest } of pages) {
      const rollups = await this.#rollupsOf(places);
      for (const { segment, gap, part, late } of places) {
        if (!(await this.#countRows(gap)) || this.#mustStop) return false;
        const since = await this.#countSegment(segment, part, rollups.get(segment));
        const own = late.filter(({ at }) => at >= since);
        if (own.length > 0) await this.#countBlock(await this.#blockOf(own), part, { mayEnd: false });
        if (since > part.from) return false;
        await this.#pause();
      }
      if (rest && !(await this.#countRows(rest))) return false;
    }
    return true;
  }

  /** Counts the entries of a range that have no segment. Returns whether these are all. */
  async #countRows({ from, until }: KeyRange): Promise<boolean> {
    let [end, limit] = [until, ROWS];
    while (from < end) {
      const rows = await this.#reader.rows(this.#query.log, { from, until: end }, "newest", limit);
      const isLast = rows.length < limit;
      // There may be more with the time of the last one: entries with the same time are counted together.
      const last = isLast ? "" : (rows.at(-1)?.at ?? "");
      const whole = rows.filter(({ at }) => at !== last);
      limit = whole.length > 0 ? ROWS : limit * 4;
      const part = { from: isLast ? from : keyAfter(last), until: end };
      if (whole.length > 0) {
        const since = await this.#countBlock(await this.#blockOf(whole), part);
        if (since > part.from || (this.#mustStop && !isLast)) return false;
        end = part.from;
      }
      if (isLast) break;
    }
    return true;
  }

  async #blockOf(rows: readonly EntryRow[]): Promise<Block> {
    const { kind, conditions } = this.#query;
    const oldestFirst = [...rows].reverse();
    const span = { firstAt: oldestFirst[0]?.at ?? "", lastAt: rows[0]?.at ?? "" };
    const names = ["timestamp", ...this.#counter.columnsOf(span), ...conditions.all.flatMap(({ columns }) => columns)];
    const column = await columnsOf(kind, { rows: oldestFirst, names }, this.#pause);
    return { ...span, entries: rows.length, column: async (name) => column(name) };
  }

  /** The rollups of the segments whose entries are all counted. */
  async #rollupsOf(places: readonly { segment: Segment; part: KeyRange }[]): Promise<Map<Segment, Uint8Array>> {
    const { log, counted } = this.#query;
    if (counted === "some") return new Map();
    const whole = places.filter(
      ({ segment, part }) =>
        this.#mayHold(segment, part) && !isCut(segment, part) && this.#counter.takesRollup(segment),
    );
    return this.#reader.rollups(
      log,
      whole.map(({ segment }) => segment),
    );
  }

  #mayHold({ firstAt, lastAt, fields }: Segment, { from, until }: KeyRange): boolean {
    return lastAt >= from && firstAt < until && mayHold(this.#query.conditions, fields);
  }

  /** Counts the entries of a segment. Returns the sort key from which on all are counted. */
  async #countSegment(segment: Segment, part: KeyRange, rollup: Uint8Array | undefined): Promise<string> {
    if (!rollup && this.#mayHold(segment, part)) {
      const column = (name: string) => this.#reader.column(this.#query.log, segment, name, this.#pause);
      const { firstAt, lastAt, entries } = segment;
      return this.#countBlock({ firstAt, lastAt, entries, column }, part);
    }
    if (rollup) this.#counter.addRollup(rollup, segment, this.#query.counted === "failed");
    if (!isCut(segment, part)) this.#look(segment.firstAt, segment.lastAt);
    return part.from;
  }

  /** Counts a block's entries in a range. Returns the sort key from which on all are counted. */
  async #countBlock(block: Block, part: KeyRange, { mayEnd } = { mayEnd: true }): Promise<string> {
    const { all } = this.#query.conditions;
    const columns = new Map<string, Column>();
    const read = async (name: string): Promise<Column> => {
      const column = columns.get(name) ?? (await block.column(name));
      columns.set(name, column);
      await this.#pause();
      return column;
    };
    for (const name of [...this.#counter.columnsOf(block), ...all.flatMap((one) => one.columns)]) await read(name);
    const column = (name: string): Column => {
      const found = columns.get(name);
      if (!found) throw new Error(`The column ${name} was not read.`);
      return found;
    };
    const times = isCut(block, part) ? await read("timestamp") : undefined;
    let [first, end] = times ? [positionOf(times, part.from), positionOf(times, part.until)] : [0, block.entries];
    let since = part.from;
    let positions: Uint32Array | undefined;
    if (all.length > 0) {
      const tests = all.map((condition) => testOf(condition, condition.columns.map(column)));
      const selected = await this.#select(tests, { first, end, mayEnd });
      positions = selected.positions;
      if (selected.first > first) {
        // Entries with the same time are counted together.
        const timestamps = await read("timestamp");
        since = keyAfter(keysIn(timestamps)(selected.first - 1));
        first = positionOf(timestamps, since);
        positions = positions.filter((at) => at >= first);
      }
    }
    if (!times && since === part.from) this.#look(block.firstAt, block.lastAt);
    else if (first < end) {
      const keyAt = keysIn(column("timestamp"));
      this.#look(keyAt(first), keyAt(end - 1));
    }
    await this.#counter.addColumns(block, { column, positions, first, end }, this.#pause);
    return since;
  }

  /** The positions of the entries that pass all tests, tested from the newest one to `first`. */
  async #select(
    tests: readonly ((position: number) => boolean)[],
    { first, end, mayEnd }: { first: number; end: number; mayEnd: boolean },
  ): Promise<{ positions: Uint32Array; first: number }> {
    const [test, ...others] = tests;
    const positions = new Uint32Array(end - first);
    let start = positions.length;
    let tested = end;
    while (tested > first && (tested === end || !mayEnd || !this.#work.isOver)) {
      const from = Math.max(first, tested - this.#query.conditions.atOnce);
      for (let at = tested - 1; at >= from; at--) {
        if (test?.(at) && others.every((other) => other(at))) {
          start -= 1;
          positions[start] = at;
        }
      }
      tested = from;
      await this.#pause();
    }
    return { positions: positions.subarray(start), first: tested };
  }

  #look(first: string, last: string): void {
    this.#oldest = earlier(this.#oldest, first);
    this.#newest = later(this.#newest, last);
  }
}

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

interface CountedColumns {
  column(name: string): Column;
  readonly positions: ArrayLike<number> | undefined;
  readonly first: number;
  readonly end: number;
}

type Value = LogCountGroup["by"][string];

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
