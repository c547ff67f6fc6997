import { type LogKind, sortKey } from "../logs/log-store.js";
import type { ParsedEntry } from "./conditions.js";
import { type Field, failureFields, logFields } from "./fields.js";
import { fromMicros, toMicros } from "./moments.js";
import { buildIdPages, columnBytes, compress, failedBytes, PART } from "./segment-format.js";
import type { Column, EntryRow, FieldRange, Segment, TextColumn } from "./segments.js";
import { buildRollup } from "./tally.js";

// More values would make the segments' summaries larger than what they save.
const MAX_VALUES = 16;
const MAX_VALUES_LENGTH = 400;

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
  readonly #columns: readonly { readonly field: Field; readonly builder: ColumnBuilder }[];
  readonly #seqs = new NumberBuilder();
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
    if (failureFields[kind]) this.#failed = [];
    const builders = { number: NumberBuilder, text: TextBuilder, time: TimeBuilder };
    this.#columns = logFields[kind].map((field) => ({ field, builder: new builders[field.type]() }));
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
    this.#entries += 1;
    this.#seqs.add(seq);
    const entry: ParsedEntry = JSON.parse(text);
    for (const { field, builder } of this.#columns) {
      const value = entry[field.name];
      // The order of the entries, even if a text were stored under another time than its own.
      builder.add(field.name === "timestamp" ? at : field.type === "time" ? timeIn(value) : value);
    }
    const failure = failureFields[this.#kind];
    if (!this.#failed || !failure?.hasFailed(entry[failure.name])) return;
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
    await keep(PART.seqs, columnBytes(this.#seqs.column()));
    const fields: Record<string, FieldRange> = {};
    const columns = new Map<string, Column>();
    for (const [at, { field, builder }] of this.#columns.entries()) {
      const column = builder.column();
      columns.set(field.name, column);
      fields[field.name] = builder.range();
      await keep(PART.firstField + at, columnBytes(column));
    }
    const failure = failureFields[this.#kind];
    if (this.#failed && failure) {
      fields[failure.name] = { ...fields[failure.name], hasFailedTexts: true };
      await keep(PART.failed, failedBytes(this.#failed));
    }
    const columnOf = (name: string): Column => {
      const column = columns.get(name);
      if (!column) throw new Error(`The ${this.#kind} log has no field ${name}.`);
      return column;
    };
    parts.set(PART.rollup, buildRollup(this.#kind, this.#entries, columnOf));
    await pause();
    const ids = this.#columns.flatMap(({ field: { name, isId } }) => {
      const column = columns.get(name);
      return isId && column?.type === "text" ? [{ name, column }] : [];
    });
    const times = columnOf("timestamp");
    // Without pages, columns are read instead: the times may be too exact for the index.
    let pages = 0;
    if (ids.length > 0 && times.type === "number") {
      const index = await buildIdPages(ids, times.values, pause);
      for (const [page, bytes] of index.pages) parts.set(PART.firstPage + page, bytes);
      pages = index.count;
    }
    const { min: firstSeq = 0, max: lastSeq = 0 } = this.#seqs.range();
    const { entries } = this;
    return { entries, firstSeq, lastSeq, firstAt: this.#firstAt, lastAt: this.#lastAt, fields, pages, parts };
  }
}

/** Collects the values of a field. */
interface ColumnBuilder {
  /** A value of another type counts as absent. */
  add(value: unknown): void;
  column(): Column;
  range(): FieldRange;
}

const NO_BOUNDS = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY] as const;

/** The lowest and the highest of some numbers, apart from NaN. */
function boundsOf(values: readonly number[]): readonly [min: number, max: number] {
  let [min, max]: [number, number] = [...NO_BOUNDS];
  for (const value of values) {
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return [min, max];
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
    const [min, max] = boundsOf(this.#values);
    const values = new Set<number>();
    for (let at = 0; at < this.#values.length && values.size <= MAX_VALUES; at++) {
      values.add(this.#values[at] ?? Number.NaN);
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
    const [min, max] = this.#texts ? NO_BOUNDS : boundsOf(this.#micros);
    return min <= max ? { min, max } : {};
  }
}
