import type { LogCounts } from "../generated/extensions.js";
import { type LogKind, type LogName, sortKey } from "../logs/log-store.js";
import type { Conditions } from "./conditions.js";
import { Counter, type Grouping, secondOf } from "./counter.js";
import { earlier, later, microsOf, momentOf } from "./moments.js";
import type { ParsedEntry } from "./rollups.js";
import type { Column, EntryRow, KeyRange, LatePart, Position, Segment, SegmentReader } from "./segments.js";
import { keysIn } from "./walk.js";

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

/** The turns of a long task among the others of its thread. */
export interface Work {
  /** Whether it has taken as long as it may. */
  readonly isOver: boolean;
  /** Lets others continue if this piece has taken long enough. Throws if the caller has gone. */
  pause(): Promise<void>;
}

// Some milliseconds of work.
const ROWS = 500;
// Tests with many texts take up to 0.1 ms each.
const TESTS = 64;
// Enough that asking the database costs little for each; few enough that little is read in vain when the time is over.
const SEGMENTS = 64;
// Some 20 MB, and 120 MB if each group has many different values.
const MAX_GROUPS = 50_000;

/** Counts a log's entries from the newest to the oldest, until its work is over or it has too many groups. */
export function count(
  reader: SegmentReader,
  question: CountQuestion,
  work: Work,
  maxGroups: number = MAX_GROUPS,
): Promise<LogCounts> {
  return new Count(reader, question, { work, maxGroups }).run();
}

interface CountLimits {
  readonly work: Work;
  readonly maxGroups: number;
}

class Count {
  readonly #reader: SegmentReader;
  readonly #question: CountQuestion;
  readonly #work: Work;
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
        else if (this.#mayHold(segment)) await this.#addColumns(segment);
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

  async #addColumns(segment: Segment): Promise<void> {
    const { log, conditions } = this.#question;
    const { from } = this.#part;
    const isCut = this.#isCut(segment);
    const names = new Set([
      ...this.#counter.columnsOf(segment),
      ...conditions.all.flatMap(({ columns }) => columns),
      ...(isCut ? ["timestamp"] : []),
    ]);
    const columns = new Map<string, Column>();
    for (const name of names) {
      columns.set(name, await this.#reader.column(log, segment, name));
      await this.#pause();
    }
    const column = (name: string): Column => {
      const found = columns.get(name);
      if (!found) throw new Error(`The column ${name} was not read.`);
      return found;
    };
    const [first, end] = isCut
      ? [positionOf(column("timestamp"), from), positionOf(column("timestamp"), this.#since)]
      : [0, segment.entries];
    if (isCut && first < end) {
      const keyAt = keysIn(column("timestamp"));
      this.#look(keyAt(first), keyAt(end - 1));
    }
    const tests = conditions.all.map((condition) => condition.holdsAt(condition.columns.map(column)));
    const positions = tests.length > 0 ? await this.#select(tests, first, end) : undefined;
    await this.#counter.addColumns(segment, { column, positions, first, end }, this.#pause);
  }

  /** The positions of the entries that pass all tests. */
  async #select(tests: readonly ((index: number) => boolean)[], first: number, end: number): Promise<Uint32Array> {
    const [test, ...others] = tests;
    const positions = new Uint32Array(end - first);
    let found = 0;
    for (let at = first; at < end; at++) {
      if (at % TESTS === 0) await this.#pause();
      if (test?.(at) && others.every((other) => other(at))) positions[found++] = at;
    }
    return positions.subarray(0, found);
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

/** The position of the first entry that is not before a sort key. */
function positionOf(times: Column, key: string): number {
  const isBefore =
    times.type === "number"
      ? (micros: number) => (at: number) => (times.values[at] ?? 0) < micros
      : () => (at: number) => (times.dictionary[times.codes[at] ?? 0] ?? "") < key;
  // A sort key followed by a space is just after its time.
  const test = isBefore(microsOf(key.trimEnd()) + (key.endsWith(" ") ? 0.5 : 0));
  let [low, high] = [0, times.type === "number" ? times.values.length : times.codes.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (test(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
