import type { LogKind } from "../kinds.js";

/** From one number to another, both included. Times are milliseconds since 1970, lengths of time milliseconds. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** The texts between wildcards: `["connection.", ""]` is `connection.*`; a single one is the whole text. */
export type Pattern = readonly string[];

/** What a filter asks of a field. */
export type Test =
  | { readonly is: "like"; readonly any: readonly Pattern[] }
  | { readonly is: "containing"; readonly any: readonly string[] }
  | { readonly is: "within"; readonly any: readonly Range[] }
  | { readonly is: ">" | ">=" | "<" | "<="; readonly value: number };

/** One filter. It is plain data: it can be compared, kept and written back. */
export interface Filter {
  /** The field's name in the filter field table: `status`. */
  readonly field: string;
  /** Whether the entries are meant for which the test does not hold: also those that lack the field. */
  readonly negated: boolean;
  readonly test: Test;
}

/** The parts of a command that say which entries are meant. */
export interface Selection {
  readonly kind: LogKind;
  readonly filters: readonly Filter[];
  /** Milliseconds since 1970, included. */
  readonly since?: number | undefined;
  /** Milliseconds since 1970, not included. */
  readonly until?: number | undefined;
}
