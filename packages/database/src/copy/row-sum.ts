import { hash } from "node:crypto";
import { withoutNul } from "../postgres/parameters.js";
import type { CopiedRow } from "./copied-table.js";

const MODULUS = 2n ** 64n;

/**
 * A sum over rows that differs as soon as a value of one of them does, whatever their order. A NUL in a text counts as
 * the sign for one: PostgreSQL keeps that in its place.
 */
export class RowSum {
  readonly #columns: readonly string[];
  #sum = 0n;
  #rows = 0;

  constructor(columns: readonly string[]) {
    this.#columns = columns;
  }

  add(row: CopiedRow): void {
    let text = "";
    for (const column of this.#columns) text += written(row[column]);
    this.#sum = (this.#sum + hash("sha256", text, "buffer").readBigUInt64BE()) % MODULUS;
    this.#rows += 1;
  }

  get rows(): number {
    return this.#rows;
  }

  /** The same for the same rows, in whatever order they were added. */
  get value(): string {
    return this.#sum.toString(16).padStart(16, "0");
  }
}

/** A value so that no two, and no two rows of them, are written alike. */
function written(value: unknown): string {
  if (value === null || value === undefined) return "null,";
  if (value instanceof Uint8Array) return `bytes ${Buffer.from(value).toString("hex")},`;
  if (typeof value !== "string") return `number ${value},`;
  const text = withoutNul(value);
  return `text ${text.length} ${text},`;
}
