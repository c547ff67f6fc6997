import { kindNamed, kindNear, kinds, kindWords, type LogKind } from "../kinds.js";
import { oneOfThese, takes } from "../quote.js";
import { refused, understood, type ValueType } from "./value-type.js";

/** A kind of log, in any of its forms. */
export const kind: ValueType<LogKind> = {
  name: "kind",
  example: "webhooks",
  telling: true,
  choices: kinds,
  parse(text, { subject }) {
    const named = kindNamed(text);
    if (named) return understood(named);
    const nearest = kindNear(text);
    return refused(takes(subject, oneOfThese(kinds), text), nearest);
  },
  complete: () => kinds.map((name) => [name, kindWords(name).about]),
  write: (name) => name,
  describe: (name) => kindWords(name).one,
};
