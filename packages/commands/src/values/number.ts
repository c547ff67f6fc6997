import { takes } from "../quote.js";
import { refused, understood, type ValueType } from "./value-type.js";

/** A whole number within limits. */
export function wholeNumber({
  min,
  max,
  example,
}: {
  readonly min: number;
  readonly max: number;
  readonly example: string;
}): ValueType<number> {
  return {
    name: "number",
    example,
    telling: true,
    parse(text, { subject }) {
      const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
      if (value >= min && value <= max) return understood(value);
      const nearest = Number.isNaN(value) ? example : `${Math.min(Math.max(value, min), max)}`;
      return refused(takes(subject, `a whole number from ${min} to ${max}`, text), nearest);
    },
    complete: () => [
      [example, `from ${min} to ${max}`],
      [`${max}`, "the most"],
    ],
    write: String,
    describe: String,
  };
}
