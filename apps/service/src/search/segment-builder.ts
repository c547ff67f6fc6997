import type { LogKind } from "../logs/log-store.js";
import { type Column, ColumnsBuilder, type EntryRow, type FieldRange, SEQ_COLUMN } from "./columns.js";
import { failureFields, logFields } from "./fields.js";
import { buildIdPages, columnBytes, compress, failedBytes, PART } from "./segment-format.js";
import type { Segment } from "./segment-store.js";
import { buildRollup } from "./tally.js";

/** A segment that was built, with its parts by their numbers. */
export interface BuiltSegment extends Omit<Segment, "fromAt" | "untilAt" | "seq" | "build"> {
  readonly parts: ReadonlyMap<number, Uint8Array>;
}

/** Builds a segment of a log's entries, which are added in the order of their times. */
export class SegmentBuilder {
  readonly #kind: LogKind;
  readonly #maxFailed: number;
  readonly #columns: ColumnsBuilder;
  /** Those that failed; undefined if their texts are too long, or if nothing fails in the log. */
  #failed: EntryRow[] | undefined;
  #failedLength = 0;
  #entries = 0;
  #firstAt = "";
  #lastAt = "";

  constructor(kind: LogKind, maxFailed: number) {
    this.#kind = kind;
    this.#maxFailed = maxFailed;
    this.#columns = new ColumnsBuilder(kind);
    if (failureFields[kind]) this.#failed = [];
  }

  get entries(): number {
    return this.#entries;
  }

  get lastAt(): string {
    return this.#lastAt;
  }

  add(row: EntryRow): void {
    if (this.#entries === 0) this.#firstAt = row.at;
    this.#lastAt = row.at;
    this.#entries += 1;
    const entry = this.#columns.add(row);
    const failure = failureFields[this.#kind];
    if (!this.#failed || !failure?.hasFailed(entry[failure.name])) return;
    this.#failed.push(row);
    this.#failedLength += row.entry.length;
    if (this.#failedLength > this.#maxFailed) this.#failed = undefined;
  }

  async finish(pause: () => Promise<void>): Promise<BuiltSegment> {
    const parts = new Map<number, Uint8Array>();
    const keep = async (part: number, bytes: Uint8Array): Promise<void> => {
      parts.set(part, await compress(bytes));
      await pause();
    };
    await keep(PART.seqs, columnBytes(this.#columns.column(SEQ_COLUMN)));
    const fields: Record<string, FieldRange> = {};
    const columns = new Map<string, Column>();
    for (const [at, { name }] of logFields[this.#kind].entries()) {
      const column = this.#columns.column(name);
      columns.set(name, column);
      fields[name] = this.#columns.range(name);
      await keep(PART.firstField + at, columnBytes(column));
    }
    const failure = failureFields[this.#kind];
    if (this.#failed && failure) {
      fields[failure.name] = { ...fields[failure.name], hasFailedTexts: true };
      await keep(PART.failed, failedBytes(this.#failed));
    }
    const columnOf = (name: string): Column => columns.get(name) ?? this.#columns.column(name);
    parts.set(PART.rollup, buildRollup(this.#kind, this.#entries, columnOf));
    await pause();
    const ids = logFields[this.#kind].flatMap(({ name, isId }) => {
      const column = columnOf(name);
      return isId && column.type === "text" ? [{ name, column }] : [];
    });
    const times = columnOf("timestamp");
    // Without pages, columns are read instead: the times may be too exact for the index.
    const index = times.type === "number" && ids.length > 0 ? await buildIdPages(ids, times.values, pause) : undefined;
    for (const [page, bytes] of index?.pages ?? []) parts.set(PART.firstPage + page, bytes);
    const { min: firstSeq = 0, max: lastSeq = 0 } = this.#columns.range(SEQ_COLUMN);
    const [entries, firstAt, lastAt] = [this.#entries, this.#firstAt, this.#lastAt];
    return { entries, firstSeq, lastSeq, firstAt, lastAt, fields, pages: index?.count ?? 0, parts };
  }
}
