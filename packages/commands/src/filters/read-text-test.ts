import { quote, shorten } from "../quote.js";
import { type Read, type Refused, refused, understood } from "../values/value-type.js";
import { type Marked, splitAtCommas, splitAtStars, writeText, writeWord } from "../words.js";
import type { Pattern, Test } from "./filter.js";
import type { TypedTest } from "./typed-test.js";

/** Reads what a text is to be. The nearest right one is given with its operator: `~hooks`. */
export function readTextTest(typed: TypedTest): Read<Test> {
  const { operator, compares, value, subject } = typed;
  const parts = splitAtCommas(value);
  if (parts.some(({ text }) => text.trim() === "")) return emptyPart(typed);
  if (compares === "is") return understood({ is: "like", any: parts.map(patternOf) });
  if (compares !== "containing") {
    return refused(`${quote(operator)} compares numbers and times; ${subject} is text.`, `:${writeWord(value)}`);
  }
  if (parts.some((part) => splitAtStars(part).length > 1)) {
    const any = parts.map((part) => ["", ...patternOf(part).filter(Boolean), ""]);
    const nearest = any.some(({ length }) => length < 3) ? undefined : `:${any.map(writePattern).join(",")}`;
    const example = nearest ? `: ${subject}${shorten(nearest, 50)}` : "";
    return refused(`A * stands for any characters only after a colon${example}.`, nearest);
  }
  return understood({ is: "containing", any: parts.map(({ text }) => text) });
}

/** The texts between wildcards; of wildcards side by side, one is enough. */
function patternOf(part: Marked): Pattern {
  const texts = splitAtStars(part).map(({ text }) => text);
  return texts.filter((text, index) => text !== "" || index === 0 || index === texts.length - 1);
}

/** A pattern as it would be typed. */
export function writePattern(pattern: Pattern): string {
  return pattern.map((part) => part && writeText(part)).join("*");
}

/** The complaint about a comma with nothing on one of its sides. */
export function emptyPart({ operator, value }: TypedTest): Refused {
  const full = splitAtCommas(value).filter(({ text }) => text.trim() !== "");
  const nearest = full.length > 0 ? `${operator}${full.map(writeWord).join(",")}` : undefined;
  return refused(`${quote(value.text)} has a comma with nothing on one side.`, nearest);
}
