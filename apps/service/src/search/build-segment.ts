import { type LogKind, sortKey } from "../logs/log-store.js";
import { columnBytes, compress, failedBytes } from "./columns.js";
import { type Failure, failureOf } from "./failures.js";
import { type Field, logFields } from "./fields.js";
import { buildIdPages } from "./id-index.js";
import { fromMicros, toMicros } from "./moments.js";
import { buildRollup, type ParsedEntry } from "./rollups.js";
import type { Column, EntryRow, FieldRange, NumberColumn, Segment, TextColumn } from "./segments.js";

// More values would make the segments' summaries larger than what they save.
const MAX_VALUES = 16;
const MAX_VALUES_LENGTH = 400;

/** The parts of a segment that are not columns of fields. */
export const PART = { seqs: 0, rollup: 1, firstField: 2, failed: 31, firstPage: 32 } as const;

/** A segment that was built, with its parts by their numbers. */
export interface BuiltSegment extends Omit<Segment, "fromAt" | "untilAt" | "seq" | "build"> {
  readonly parts: ReadonlyMap<number, Uint8Array>;
}

/** A value as a text that sorts by time, if it is a UTC timestamp. */
const timeIn = (value: unknown): string | undefined =>
  typeof value === "string" && UTC.test(value) ? sortKey(value) : undefined;

const UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

/** Builds a segment of a log's entries, which are added in the order of their times. */
export class SegmentBuilder {
  readonly #kind: LogKind;
  readonly #fields: readonly { readonly field: Field; readonly column: ColumnBuilder }[];
  readonly #seqs = new NumberBuilder();
  readonly #failure: Failure | undefined;
  readonly #maxFailed: number;
  /** Those that failed; undefined if their texts are too long, or if nothing fails in the log. */
  #failed: EntryRow[] | undefined;
  #failedLength = 0;
  #entries = 0;
  #firstAt = "";
  #lastAt = "";

  /** @param maxFailed The texts of failed entries are kept if they have no more characters in all. */
  constructor(kind: LogKind, maxFailed: number) {
    this.#kind = kind;
    this.#maxFailed = maxFailed;
    this.#failure = failureOf(kind);
    if (this.#failure) this.#failed = [];
    const newColumn = {
      number: () => new NumberBuilder(),
      text: () => new TextBuilder(),
      time: () => new TimeBuilder(),
    };
    this.#fields = logFields[kind].map((field) => ({ field, column: newColumn[field.type]() }));
  }

  /** How many entries were added. */
  get entries(): number {
    return this.#entries;
  }

  /** The sort key of the last one. */
  get lastAt(): string {
    return this.#lastAt;
  }

  add(row: EntryRow): void {
    const { at, seq, entry: text } = row;
    if (this.#entries === 0) this.#firstAt = at;
    this.#lastAt = at;
    this.#seqs.add(seq);
    const entry: ParsedEntry = JSON.parse(text);
    for (const { field, column } of this.#fields) {
      // The order of the entries, even if a text were stored under another time than its own.
      column.add(
        field.name === "timestamp" ? at : field.type === "time" ? timeIn(entry[field.name]) : entry[field.name],
      );
    }
    this.#entries += 1;
    if (!this.#failed || !this.#failure?.hasFailed(entry[this.#failure.field])) return;
    this.#failed.push(row);
    this.#failedLength += text.length;
    if (this.#failedLength > this.#maxFailed) this.#failed = undefined;
  }

  /** Builds the segment of all added entries. `pause` is called between short pieces of work. */
  async finish(pause: () => Promise<void>): Promise<BuiltSegment> {
    const parts = new Map<number, Uint8Array>();
    const keep = async (part: number, bytes: Uint8Array): Promise<void> => {
      parts.set(part, await compress(bytes));
      await pause();
    };
    const seqs = this.#seqs.column();
    await keep(PART.seqs, columnBytes(seqs));
    const fields: Record<string, FieldRange> = {};
    const columns = new Map<string, Column>();
    for (const [at, { field, column: builder }] of this.#fields.entries()) {
      const column = builder.column();
      columns.set(field.name, column);
      fields[field.name] = builder.range();
      await keep(PART.firstField + at, columnBytes(column));
    }
    if (this.#failed && this.#failure) {
      const { field } = this.#failure;
      fields[field] = { ...fields[field], hasFailedTexts: true };
      await keep(PART.failed, failedBytes(this.#failed));
    }
    parts.set(PART.rollup, buildRollup(this.#kind, countedEntries(columns, this.#failure, this.#entries)));
    await pause();
    const pages = await this.#addIdPages(columns, parts, pause);
    const { min: firstSeq = 0, max: lastSeq = 0 } = this.#seqs.range();
    const { entries } = this;
    return { entries, firstSeq, lastSeq, firstAt: this.#firstAt, lastAt: this.#lastAt, fields, pages, parts };
  }

  /** Returns the number of pages; none if the entries' times are too exact for them. */
  async #addIdPages(
    columns: ReadonlyMap<string, Column>,
    parts: Map<number, Uint8Array>,
    pause: () => Promise<void>,
  ): Promise<number> {
    const ids = logFields[this.#kind].flatMap(({ name, isId }) => {
      const column = columns.get(name);
      return isId && column?.type === "text" ? [{ name, column }] : [];
    });
    const times = columns.get("timestamp");
    if (ids.length === 0 || times?.type !== "number") return 0;
    const { pages, count } = await buildIdPages(ids, times.values, pause);
    for (const [page, bytes] of pages) parts.set(PART.firstPage + page, bytes);
    return count;
  }
}

const MICROS_PER_HOUR = 3_600_000_000;

/** A segment's entries, with what the counts by hour read of them: each time the same object. */
function* countedEntries(
  columns: ReadonlyMap<string, Column>,
  failure: Failure | undefined,
  entries: number,
): Generator<ParsedEntry> {
  const entry: Record<string, unknown> = {};
  const numbers: { readonly name: string; readonly values: NumberColumn["values"] }[] = [];
  for (const [name, column] of columns) if (column.type === "number") numbers.push({ name, values: column.values });
  const times = columns.get("timestamp");
  const outcomes = failure && columns.get(failure.field);
  let hour = Number.NaN;
  let timestamp: string | null | undefined;
  for (let at = 0; at < entries; at++) {
    for (const { name, values } of numbers) entry[name] = values[at];
    if (failure && outcomes?.type === "text") entry[failure.field] = outcomes.dictionary[outcomes.codes[at] ?? 0];
    if (times?.type === "text") timestamp = times.dictionary[times.codes[at] ?? 0];
    else if (Math.floor((times?.values[at] ?? 0) / MICROS_PER_HOUR) !== hour) {
      hour = Math.floor((times?.values[at] ?? 0) / MICROS_PER_HOUR);
      timestamp = fromMicros(hour * MICROS_PER_HOUR);
    }
    entry.timestamp = timestamp;
    yield entry;
  }
}

/** Collects the values of a field. */
interface ColumnBuilder {
  /** A value of another type counts as absent. */
  add(value: unknown): void;
  column(): Column;
  range(): FieldRange;
}

class NumberBuilder implements ColumnBuilder {
  readonly #values: number[] = [];

  add(value: unknown): void {
    this.#values.push(typeof value === "number" ? value : Number.NaN);
  }

  column(): Column {
    return { type: "number", values: new Float64Array(this.#values) };
  }

  range(): FieldRange {
    const values = new Set<number>();
    let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const value of this.#values) {
      if (values.size <= MAX_VALUES) values.add(value);
      if (value < min) min = value;
      if (value > max) max = value;
    }
    // A number like 1e999 is infinite, which JSON cannot express.
    if (!Number.isFinite(min) || !Number.isFinite(max)) return min <= max ? {} : { values: [null] };
    if (values.size > MAX_VALUES) return { min, max };
    return { min, max, values: [...values].map((value) => (Number.isNaN(value) ? null : value)) };
  }
}

class TextBuilder implements ColumnBuilder {
  readonly #codes: number[] = [];
  readonly #codeOf = new Map<string | null, number>();

  add(value: unknown): void {
    const text = typeof value === "string" ? value : null;
    let code = this.#codeOf.get(text);
    if (code === undefined) {
      code = this.#codeOf.size;
      this.#codeOf.set(text, code);
    }
    this.#codes.push(code);
  }

  column(): TextColumn {
    return { type: "text", dictionary: [...this.#codeOf.keys()], codes: new Uint32Array(this.#codes) };
  }

  range(): FieldRange {
    if (this.#codeOf.size > MAX_VALUES) return {};
    const values = [...this.#codeOf.keys()];
    return JSON.stringify(values).length > MAX_VALUES_LENGTH ? {} : { values };
  }
}

/** Collects sort keys as numbers, or as texts if one needs more digits. */
class TimeBuilder implements ColumnBuilder {
  readonly #micros: number[] = [];
  #texts: TextBuilder | undefined;

  add(key: unknown): void {
    if (typeof key === "string" && this.#texts === undefined) {
      const micros = toMicros(key);
      if (Number.isNaN(micros)) {
        this.#texts = new TextBuilder();
        for (const earlier of this.#micros) this.#texts.add(Number.isNaN(earlier) ? undefined : fromMicros(earlier));
      } else {
        this.#micros.push(micros);
        return;
      }
    }
    if (this.#texts) this.#texts.add(key);
    else this.#micros.push(Number.NaN);
  }

  column(): Column {
    return this.#texts?.column() ?? { type: "number", values: new Float64Array(this.#micros) };
  }

  range(): FieldRange {
    if (this.#texts) return {};
    let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const micros of this.#micros) {
      if (micros < min) min = micros;
      if (micros > max) max = micros;
    }
    return min <= max ? { min, max } : {};
  }
}
