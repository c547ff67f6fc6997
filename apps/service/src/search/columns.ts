import { logKinds as contractKinds, type FieldContent, type LogField, typeOf } from "@media-ops/contract";
import { type LogKind, logKindNames, sortKey } from "../logs/log-store.js";
import { fromMicros, microsOf, secondOf, toMicros } from "./moments.js";

/** A field of a log's entries. */
export interface Field {
  readonly name: string;
  /** Times are compared with all of their digits. */
  readonly type: "number" | "text" | "time";
  /** Whether entries are found by the field's exact value, through the index of ids. */
  readonly isId: boolean;
}

/** The field that shows whether an entry failed. */
export interface FailureField {
  readonly name: string;
  /** Whether an entry with this value failed; undefined if the value doesn't show it. */
  hasFailed(value: unknown): boolean | undefined;
}

const failures: { readonly [Content in FieldContent]?: FailureField["hasFailed"] } = {
  // A call or a delivery failed if nothing answered, or an error did.
  status: (value) => (typeof value === "number" && !Number.isNaN(value) ? value === 0 || value >= 400 : undefined),
  outcome: (value) => (typeof value === "string" ? value !== "ok" : undefined),
};

const storedFields = (kind: LogKind): (readonly [name: string, field: LogField])[] =>
  Object.entries<LogField>(contractKinds[kind].fields).filter(([, { isDerived }]) => !isDerived);

const byKind = <Value>(of: (kind: LogKind) => Value): Readonly<Record<LogKind, Value>> =>
  Object.fromEntries(logKindNames.map((kind) => [kind, of(kind)])) as Record<LogKind, Value>;

/** The fields of each log's entries. `timestamp` is always the first. Segments store their columns in this order. */
export const logFields = byKind((kind): readonly Field[] =>
  storedFields(kind).map(([name, { holds, isId = false }]) => ({ name, type: typeOf(holds), isId })),
);

/** Whether a log's entries have a field. */
export const hasField = (kind: LogKind, name: string): boolean => logFields[kind].some((field) => field.name === name);

/** For each log, the field that shows whether an entry failed; undefined if its entries can't fail. */
export const failureFields = byKind((kind): FailureField | undefined => {
  const [found] = storedFields(kind).flatMap(([name, { holds }]) => {
    const hasFailed = failures[holds];
    return hasFailed ? [{ name, hasFailed }] : [];
  });
  return found;
});

/** A stored entry, with its sort key (see `sortKey`) and its JSON text. */
export interface EntryRow {
  readonly at: string;
  readonly seq: number;
  readonly entry: string;
}

/** An entry as parsed from its JSON text. */
export type ParsedEntry = Readonly<Record<string, unknown>>;

/** The values of a field in some entries, in the order of `at` and `seq`. */
export type Column = NumberColumn | TextColumn;

/** Numbers; NaN for an entry without the field. Times are in µs since 1970. */
export interface NumberColumn {
  readonly type: "number";
  readonly values: Float64Array | Uint32Array | Uint16Array | Uint8Array;
}

/** Texts: an entry has `dictionary[codes[i]]`; null is an entry without the field. */
export interface TextColumn {
  readonly type: "text";
  readonly dictionary: readonly (string | null)[];
  readonly codes: Uint32Array | Uint16Array | Uint8Array;
}

/** The values of a field in a segment's entries, by which segments that cannot match are skipped. */
export interface FieldRange {
  /** The lowest and highest number, or time in µs since 1970; absent for texts, and if it is unknown. */
  readonly min?: number;
  readonly max?: number;
  /** Every value, if there are few; null stands for entries without the field. */
  readonly values?: readonly (string | number | null)[];
  /** Of the field that shows whether an entry failed: whether the segment has the texts of those that did. */
  readonly hasFailedTexts?: true;
}

/** The name of the column with the entries' seqs, beside those of the fields. */
export const SEQ_COLUMN = "seq";

const UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;
// So few entries are parsed within a millisecond.
const ROWS_PER_PIECE = 16;
// More values would make the segments' summaries larger than what they save.
const MAX_VALUES = 16;
const MAX_VALUES_LENGTH = 400;

/** Builds columns of a log's entries, which are added in the order of their times. */
export class ColumnsBuilder {
  readonly #builders = new Map<
    string,
    { valueIn(row: EntryRow, entry: ParsedEntry): unknown; builder: ColumnBuilder }
  >();

  /** @param names The columns to build. @default those of all fields, and that of the seqs */
  constructor(kind: LogKind, names?: readonly string[]) {
    const isWanted = (name: string): boolean => names === undefined || names.includes(name);
    if (isWanted(SEQ_COLUMN)) {
      this.#builders.set(SEQ_COLUMN, { valueIn: ({ seq }) => seq, builder: new NumberBuilder() });
    }
    const builders = { number: NumberBuilder, text: TextBuilder, time: TimeBuilder };
    for (const { name, type } of logFields[kind].filter((field) => isWanted(field.name))) {
      const valueIn = type === "time" ? timeIn(name) : (_: EntryRow, entry: ParsedEntry) => entry[name];
      this.#builders.set(name, { valueIn, builder: new builders[type]() });
    }
  }

  add(row: EntryRow): ParsedEntry {
    const entry: ParsedEntry = JSON.parse(row.entry);
    for (const { valueIn, builder } of this.#builders.values()) builder.add(valueIn(row, entry));
    return entry;
  }

  column(name: string): Column {
    return this.#builderOf(name).column();
  }

  range(name: string): FieldRange {
    return this.#builderOf(name).range();
  }

  #builderOf(name: string): ColumnBuilder {
    const found = this.#builders.get(name);
    if (!found) throw new Error(`The column ${name} is not built.`);
    return found.builder;
  }
}

/** Builds columns of rows that have the same order. `pause` is called between short pieces of work. */
export async function columnsOf(
  kind: LogKind,
  { rows, names }: { rows: readonly EntryRow[]; names: readonly string[] },
  pause: () => Promise<void>,
): Promise<(name: string) => Column> {
  const builder = new ColumnsBuilder(kind, names);
  for (const [at, row] of rows.entries()) {
    if (at % ROWS_PER_PIECE === 0) await pause();
    builder.add(row);
  }
  return (name) => builder.column(name);
}

function timeIn(name: string): (row: EntryRow, entry: ParsedEntry) => string | undefined {
  // The order of the entries, even if a text were stored under another time than its own.
  if (name === "timestamp") return ({ at }) => at;
  return (_, { [name]: value }) => (typeof value === "string" && UTC.test(value) ? sortKey(value) : undefined);
}

interface ColumnBuilder {
  /** A value of another type counts as absent. */
  add(value: unknown): void;
  column(): Column;
  range(): FieldRange;
}

function boundsOf(values: readonly number[]): { min: number; max: number } {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return { min, max };
}

class NumberBuilder implements ColumnBuilder {
  readonly #values: number[] = [];

  add(value: unknown): void {
    this.#values.push(typeof value === "number" ? value : Number.NaN);
  }

  column(): NumberColumn {
    return { type: "number", values: new Float64Array(this.#values) };
  }

  range(): FieldRange {
    const { min, max } = boundsOf(this.#values);
    // A number like 1e999 is infinite, which JSON cannot express.
    if (!Number.isFinite(min) || !Number.isFinite(max)) return min <= max ? {} : { values: [null] };
    const values = new Set<number>();
    for (const value of this.#values) {
      if (values.size > MAX_VALUES) return { min, max };
      values.add(value);
    }
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
    const micros = typeof key === "string" ? toMicros(key) : Number.NaN;
    if (!this.#texts && typeof key === "string" && Number.isNaN(micros)) {
      this.#texts = new TextBuilder();
      for (const earlier of this.#micros) this.#texts.add(Number.isNaN(earlier) ? undefined : fromMicros(earlier));
    }
    if (this.#texts) this.#texts.add(key);
    else this.#micros.push(micros);
  }

  column(): Column {
    return this.#texts?.column() ?? { type: "number", values: new Float64Array(this.#micros) };
  }

  range(): FieldRange {
    const { min, max } = boundsOf(this.#texts ? [] : this.#micros);
    return min <= max ? { min, max } : {};
  }
}

/** The sort keys of entries by their positions, from the column of their timestamps. */
export function keysIn(timestamps: Column): (position: number) => string {
  if (timestamps.type === "number") return (at) => fromMicros(timestamps.values[at] ?? 0);
  return (at) => timestamps.dictionary[timestamps.codes[at] ?? 0] ?? "";
}

const MICROS = 1e6;

/** The whole seconds since 1970 of entries by their positions, from the column of their timestamps. */
export function secondsIn(timestamps: Column): (position: number) => number {
  if (timestamps.type === "number") return (at) => Math.floor((timestamps.values[at] ?? 0) / MICROS);
  const keyAt = keysIn(timestamps);
  return (at) => secondOf(keyAt(at));
}

/** The position of the first entry that is not before a sort key, by the column of the timestamps. */
export function positionOf(timestamps: Column, key: string): number {
  // A sort key followed by a space is just after its time.
  const micros = microsOf(key.trimEnd()) + (key.endsWith(" ") ? 0.5 : 0);
  const isNumber = timestamps.type === "number";
  const keyAt = keysIn(timestamps);
  let [low, high] = [0, isNumber ? timestamps.values.length : timestamps.codes.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (isNumber ? (timestamps.values[middle] ?? 0) < micros : keyAt(middle) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
