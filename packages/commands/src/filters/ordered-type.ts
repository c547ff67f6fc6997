import type { Edge } from "../times/describe-moment.js";
import type { Choice, DescribeContext, Read, ReadContext } from "../values/value-type.js";
import type { Range } from "./filter.js";

/** What was typed for a value that has an order. */
export interface Span extends Range {
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
