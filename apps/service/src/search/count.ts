import type { CountLogsRequest, LogCounts, ProblemError } from "@media-ops/contract";
import { type LogKind, type LogName, logKinds } from "../logs/log-store.js";
import type { Work } from "../reads/pace.js";
import { type Column, columnsOf, type EntryRow, keysIn, positionOf } from "./columns.js";
import { type Conditions, compileWhere, InvalidSearch, mayHold, parseRange, testOf, type Where } from "./conditions.js";
import { Counter, type Grouping } from "./counter.js";
import { END_OF_TIME, earlier, type KeyRange, keyAfter, keyOfMs, later, momentOf, secondOf } from "./moments.js";
import type { Segment, SegmentStore, Span } from "./segment-store.js";
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
