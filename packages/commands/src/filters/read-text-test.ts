import { quote } from "../quote.js";
import { type Marked, splitAt, writeText, writeWord } from "../words.js";
import type { Pattern } from "./filter.js";
import { noTest, type ReadTest, type TypedTest, testIs } from "./read-test.js";
import type { TextType } from "./text-type.js";

const COMMA = /,/g;
// An ellipsis is what a shortened id has in its middle.
const WILDCARD = /[*…]/g;

/** Reads what a text is to be. */
export function readTextTest(type: TextType, { operator, compares, value }: TypedTest, subject: string): ReadTest {
  const parts = splitAt(value, COMMA);
  if (parts.some(({ text }) => text.trim() === "")) return noTest(emptyPart(value.text), listOf(operator, value.text));
  if (compares === "is") return readPatterns(type, parts.map(patternOf), subject);
  if (compares !== "containing") {
    return noTest(`${subject} is a text, and ${quote(operator)} compares numbers and times.`, `:${writeWord(value)}`);
  }
  if (parts.some((part) => splitAt(part, WILDCARD).length > 1)) {
    const bare = value.text.replaceAll(/[*…]+/g, "*").replaceAll(/^\*|\*$/g, "");
    return noTest(
      `${subject}${operator} looks for a text as it is; * stands for any characters after a colon only.`,
      bare && !bare.includes(",")
        ? `:*${bare
            .split("*")
            .map((part) => writeText(part))
            .join("*")}*`
        : undefined,
    );
  }
  return testIs({ is: "containing", any: parts.map(({ text }) => text) });
}

/** The texts between wildcards; of wildcards side by side, one is enough. */
function patternOf(part: Marked): Pattern {
  const texts = splitAt(part, WILDCARD).map(({ text }) => text);
  return texts.filter((text, index) => text !== "" || index === 0 || index === texts.length - 1);
}

function readPatterns({ leastKnown }: TextType, any: readonly Pattern[], subject: string): ReadTest {
  const isVague = any.some((pattern) => pattern.length > 1 && pattern.join("").length < leastKnown);
  if (!isVague) return testIs({ is: "like", any });
  return noTest(`${subject} needs at least ${leastKnown} characters beside the *, such as ${subject}:7N3D*.`);
}

/** The complaint about a comma with nothing on one of its sides. */
export function emptyPart(text: string): string {
  return `${quote(text)} has a comma with nothing beside it.`;
}

/** What is left of a list without its empty parts. */
export function listOf(operator: string, text: string): string | undefined {
  const full = text.split(",").filter((part) => part.trim() !== "");
  return full.length > 0 ? `${operator}${full.map((part) => writeText(part.trim())).join(",")}` : undefined;
}
