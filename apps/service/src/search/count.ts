import type { LogCounts } from "@media-ops/contract";
import { type LogKind, type LogName, sortKey } from "../logs/log-store.js";
import type { Work } from "../reads/pace.js";
import type { Conditions } from "./conditions.js";
import { Counter, type Grouping, secondOf } from "./counter.js";
import { earlier, keyAfter, later, momentOf } from "./moments.js";
import type { ParsedEntry } from "./rollups.js";
import type { Column, EntryRow, KeyRange, LatePart, Position, Segment, SegmentReader } from "./segments.js";
import { blockSize, keysIn, positionOf } from "./walk.js";

/** What to count, and how to group it. */
export interface CountQuestion extends Grouping {
  readonly kind: LogKind;
  readonly log: LogName;
  /** The sort key of the earliest time that is counted. */
  readonly from: string;
  /** The sort key before which times are counted. */
  readonly until: string;
  /** If the question has no end, where the answer's range ends, unless there are later entries. */
  readonly openUntil: string | undefined;
  readonly conditions: Conditions;
  /** Whether the conditions are met by all entries, by those that failed, or by others. */
  readonly counted: "all" | "failed" | "some";
}

type CountWork = Pick<Work, "isOver" | "pause">;

// Some milliseconds of work.
const ROWS = 500;
// Enough that asking the database costs little for each; few enough that little is read in vain when the time is over.
const SEGMENTS = 64;
// Some 20 MB, and 120 MB if each group has many different values.
const MAX_GROUPS = 50_000;

/** Counts a log's entries from the newest to the oldest, until its work is over or it has too many groups. */
export function count(
  reader: SegmentReader,
  question: CountQuestion,
  work: CountWork,
  maxGroups: number = MAX_GROUPS,
): Promise<LogCounts> {
  return new Count(reader, question, { work, maxGroups }).run();
}

interface CountLimits {
  readonly work: CountWork;
  readonly maxGroups: number;
}

class Count {
  readonly #reader: SegmentReader;
  readonly #question: CountQuestion;
  readonly #work: CountWork;
  readonly #maxGroups: number;
  readonly #pause: () => Promise<void>;
  readonly #counter: Counter;
  /** The entries that were written after their segment, newest first, except those that are counted. */
  #late: EntryRow[] = [];
  /** The range that is being counted. */
  #part: KeyRange;
  /** All entries from this sort key on are counted. */
  #since: string;
  /** The same as a time, which sort keys between two times are not. */
  #reached: string;
  /** The sort key of the newest entry that was looked at. */
  #newest = "";

  constructor(reader: SegmentReader, question: CountQuestion, { work, maxGroups }: CountLimits) {
    this.#reader = reader;
    this.#question = question;
    this.#work = work;
    this.#maxGroups = maxGroups;
    this.#pause = () => work.pause();
    this.#counter = new Counter(question.kind, question);
    this.#part = question;
    this.#since = question.until;
    this.#reached = question.until;
  }

  async run(): Promise<LogCounts> {
    const { log, from, until } = this.#question;
    let complete = true;
    for (let rest: KeyRange | undefined = { from, until }; rest && complete; ) {
      await this.#pause();
      // Late entries are read first: those that are in a segment by the time it is read are left out.
      const late: LatePart = await this.#reader.late(log, rest, "newest");
      complete = await this.#countPart(late);
      rest = late.rest;
      complete &&= rest === undefined || !this.#mustStop;
    }
    const end = this.#end();
    const since = complete ? from : earlier(this.#reached, end);
    return this.#counter.answer({ since: momentOf(since), until: momentOf(end), complete }, this.#pause);
  }

  /** Counts a range whose late entries are known. Returns whether these are all. */
  async #countPart({ part, rows }: LatePart): Promise<boolean> {
    this.#part = part;
    this.#since = part.until;
    const indexedUntil = await this.#reader.indexedUntil(this.#question.log);
    this.#late = rows.filter(({ at }) => at < indexedUntil);
    return (await this.#countRows(later(indexedUntil, part.from))) && (await this.#countSegments());
  }

  /** Where the counted range ends. */
  #end(): string {
    const { until, openUntil } = this.#question;
    if (openUntil === undefined || this.#newest < openUntil) return openUntil ?? until;
    return earlier(sortKey(new Date((secondOf(this.#newest) + 1) * 1000).toISOString()), until);
  }

  get #mustStop(): boolean {
    return this.#work.isOver || this.#counter.size > this.#maxGroups;
  }

  /** Counts the entries that have no segment yet. Returns whether these are all. */
  async #countRows(from: string): Promise<boolean> {
    const { log } = this.#question;
    const { until } = this.#part;
    let after: Position | undefined;
    let mustStop = false;
    while (from < until) {
      const rows = await this.#reader.rows(log, { from, until }, "newest", ROWS, after);
      for (const row of rows) {
        // Entries with the same time are counted together.
        if (mustStop && row.at !== after?.at) {
          return false;
        }
        await this.#addRow(row);
        after = row;
      }
      if (rows.length < ROWS) break;
      mustStop = this.#mustStop;
    }
    if (from < until) this.#since = from;
    return true;
  }

  async #countSegments(): Promise<boolean> {
    const { log } = this.#question;
    const { from } = this.#part;
    while (this.#since > from) {
      const segments = await this.#reader.segments(log, { from, until: this.#since }, "newest", SEGMENTS);
      if (segments.length === 0) break;
      const rollups = await this.#rollupsOf(segments);
      for (const segment of segments) {
        if (this.#mustStop) return false;
        const rollup = rollups.get(segment);
        if (rollup) this.#counter.addRollup(rollup, segment, this.#question.counted === "failed");
        else if (this.#mayHold(segment) && !(await this.#addColumns(segment))) {
          await this.#addLate({ fromAt: this.#since, seq: segment.seq });
          return false;
        }
        await this.#addLate(segment);
        if (!this.#isCut(segment)) this.#look(segment.firstAt, segment.lastAt);
        this.#since = segment.fromAt;
        await this.#pause();
      }
    }
    await this.#addLate();
    return true;
  }

  /** The rollups of the segments whose entries are all counted. */
  async #rollupsOf(segments: readonly Segment[]): Promise<Map<Segment, Uint8Array>> {
    if (this.#question.counted === "some") return new Map();
    const whole = segments.filter(
      (segment) => this.#mayHold(segment) && !this.#isCut(segment) && this.#counter.takesRollup(segment),
    );
    return this.#reader.rollups(this.#question.log, whole);
  }

  /** Whether entries of a segment are outside of the range, or were counted before. */
  #isCut({ firstAt, lastAt }: Segment): boolean {
    return firstAt < this.#part.from || lastAt >= this.#since;
  }

  #mayHold({ firstAt, lastAt, fields }: Segment): boolean {
    return lastAt >= this.#part.from && firstAt < this.#since && this.#question.conditions.mayHold(fields);
  }

  /** Counts the entries of a segment by its columns. Returns whether these are all. */
  async #addColumns(segment: Segment): Promise<boolean> {
    const { log, conditions } = this.#question;
    const isCut = this.#isCut(segment);
    const columns = new Map<string, Column>();
    const read = async (name: string): Promise<Column> => {
      const known = columns.get(name) ?? (await this.#reader.column(log, segment, name, this.#pause));
      columns.set(name, known);
      await this.#pause();
      return known;
    };
    for (const name of [...this.#counter.columnsOf(segment), ...conditions.all.flatMap(({ columns }) => columns)]) {
      await read(name);
    }
    const column = (name: string): Column => {
      const found = columns.get(name);
      if (!found) throw new Error(`The column ${name} was not read.`);
      return found;
    };
    const times = isCut ? await read("timestamp") : undefined;
    let [first, end] = times
      ? [positionOf(times, this.#part.from), positionOf(times, this.#since)]
      : [0, segment.entries];
    const tests = conditions.all.map((condition) => condition.holdsAt(condition.columns.map(column)));
    const selected = tests.length > 0 ? await this.#select(tests, first, end) : undefined;
    let positions = selected?.positions;
    const isWhole = selected === undefined || selected.first === first;
    if (!isWhole) {
      // Entries with the same time are counted together.
      this.#since = keyAfter(keysIn(await read("timestamp"))(selected.first - 1));
      first = positionOf(await read("timestamp"), this.#since);
      positions = positions?.filter((at) => at >= first);
    }
    if ((isCut || !isWhole) && first < end) {
      const keyAt = keysIn(column("timestamp"));
      this.#look(keyAt(first), keyAt(end - 1));
    }
    await this.#counter.addColumns(segment, { column, positions, first, end }, this.#pause);
    return isWhole;
  }

  /** The positions of the entries that pass all tests, tested from the newest one to `first`. */
  async #select(
    tests: readonly ((index: number) => boolean)[],
    first: number,
    end: number,
  ): Promise<{ positions: Uint32Array; first: number }> {
    const [test, ...others] = tests;
    const positions = new Uint32Array(end - first);
    const size = blockSize(this.#question.conditions);
    let start = positions.length;
    let tested = end;
    while (tested > first && (tested === end || !this.#work.isOver)) {
      const from = Math.max(first, tested - size);
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

  /** Counts the late entries of a segment's time that it does not have, or all that are left. */
  async #addLate({ fromAt, seq }: Pick<Segment, "fromAt" | "seq"> = { fromAt: "", seq: 0 }): Promise<void> {
    const older = this.#late.findIndex(({ at }) => at < fromAt);
    for (const row of this.#late.splice(0, older === -1 ? this.#late.length : older)) {
      if (row.seq > seq) await this.#addRow(row);
    }
  }

  async #addRow({ at, entry }: EntryRow): Promise<void> {
    await this.#pause();
    this.#look(at, at);
    const parsed: ParsedEntry = JSON.parse(entry);
    if (this.#question.conditions.hold(parsed)) this.#counter.addEntry(at, parsed);
  }

  /** Notes between which sort keys there are entries that were looked at. */
  #look(first: string, last: string): void {
    this.#reached = earlier(this.#reached, first);
    this.#newest = later(this.#newest, last);
  }
}
