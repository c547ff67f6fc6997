import type { LogKind } from "../kinds.js";
import type { Edge } from "../values/moment.js";
import type { Choice, DescribeContext, Read, ReadContext } from "../values/value-type.js";

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

/** What was typed for a value that has an order. */
interface Span extends Range {
  /** What `<=` and `>` compare with: of a day its end, of `5xx` 599, else `from`. */
  readonly last: number;
  /** Whether it was told as a distance from now, so that no entry will ever lie right there. */
  readonly relative?: boolean;
}

/** How the values of a field are typed that can be compared. */
export interface OrderedType {
  readonly is: "ordered";
  /** What it is called in the help. */
  readonly name: string;
  /** What stands after the colon most often. */
  readonly examples: readonly Choice[];
  /** Whether it is read from a timestamp; from a number otherwise. */
  readonly isTime: boolean;
  /** How much one of the wire's units is in ours. */
  readonly scale: number;
  read(text: string, context: ReadContext): Read<Span>;
  write(value: number): string;
  /** A value for people; of a day, the edge is told as the day. */
  describe(value: number, context: DescribeContext, edge?: Edge): string;
  /** A range in fewer words than its two ends: `5xx`. */
  describeRange?(range: Range, context: DescribeContext): string | undefined;
}

/** A value that covers nothing but itself. */
export function exactly(value: number): Span {
  return { from: value, to: value, last: value };
}

/** How the values of a field are compared that are texts. */
export interface TextType {
  readonly is: "text";
  /** What it is called in the help. */
  readonly name: string;
  /** The part that is meant where what was typed has no `@`. */
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
