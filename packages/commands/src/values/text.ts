import { harmless, shorten } from "../quote.js";
import { understood, type ValueType } from "./value-type.js";

/** Any text, as it was typed. */
export function text({ name, example }: { readonly name: string; readonly example: string }): ValueType<string> {
  return {
    name,
    example,
    parse: (typed) => understood(typed),
    complete: () => [],
    write: (value) => value,
    describe: (value) => harmless(shorten(value, 80)),
  };
}
