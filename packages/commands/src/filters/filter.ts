import type { Edge } from "../values/moment.js";
import type { Choice, DescribeContext, Read, ReadContext } from "../values/value-type.js";

/** A range with both ends included. Times are milliseconds since 1970, durations milliseconds. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** The texts between wildcards: `["connection.", ""]` is `connection.*`; a single one is the whole text. */
export type Pattern = readonly string[];

/** The condition of a filter. */
export type Test =
  | { readonly is: "like"; readonly any: readonly Pattern[] }
  | { readonly is: "containing"; readonly any: readonly string[] }
  | { readonly is: "within"; readonly any: readonly Range[] }
  | { readonly is: ">" | ">=" | "<" | "<="; readonly value: number };

/** One filter, as plain data that can be compared, stored and written back. */
export interface Filter {
  /** The field's name in a filter: `status`. */
  readonly field: string;
  /** Whether it selects the entries that fail the test, including those without the field. */
  readonly negated: boolean;
  readonly test: Test;
}

/** A typed value that has an order. */
interface Span extends Range {
  /** The value that `<=` and `>` compare with: the end of a day, 599 of `5xx`, else `from`. */
  readonly last: number;
  /** Whether it was typed as a distance from now, so that no entry lies exactly there. */
  readonly relative?: boolean;
}

/** A field type with an order: numbers, durations, times. */
export interface OrderedType {
  readonly is: "ordered";
  /** The name in the help. */
  readonly name: string;
  /** Values to suggest. */
  readonly examples: readonly Choice[];
  /** Whether the field holds a timestamp; otherwise it holds a number. */
  readonly isTime: boolean;
  /** The size of the API's unit in ours. */
  readonly scale: number;
  read(text: string, context: ReadContext): Read<Span>;
  write(value: number): string;
  /** A value for people; the edge of a day reads as the day. */
  describe(value: number, context: DescribeContext, edge?: Edge): string;
  /** A range in a shorter form than its two ends: `5xx`. */
  describeRange?(range: Range, context: DescribeContext): string | undefined;
}

/** A value that covers only itself. */
export function exactly(value: number): Span {
  return { from: value, to: value, last: value };
}

/** A field type that is text. */
export interface TextType {
  readonly is: "text";
  /** The name in the help. */
  readonly name: string;
  /** The part that is compared if the typed text has no `@`. */
  part(text: string): string;
}

export const plainText: TextType = { is: "text", name: "text", part: (text) => text };

export const id: TextType = { ...plainText, name: "id" };

/** `<channel_name>@<project_id>`: the name alone is enough. */
export const channelId: TextType = {
  ...plainText,
  name: "channel",
  part(text) {
    const at = text.lastIndexOf("@");
    return at < 0 ? text : text.slice(0, at);
  },
};
