import type { Parameter } from "../grammar.js";
import { writeText } from "../words.js";
import { faultAt, placeOf } from "./fault.js";
import type { Bare } from "./items.js";
import { leftoverFault, missingFault, namedFault } from "./loose-ends.js";
import { kindOf } from "./read-filters.js";
import { type Finding, type Reading, readLongest, settle } from "./reading.js";

/** Reads the arguments that tell themselves, such as a kind, wherever they stand. */
export function readChoices(reading: Reading): void {
  for (const argument of reading.entry.arguments) {
    const finding = argument.value.telling && !reading.places.has(argument.member) && readChoice(reading, argument);
    if (finding) settle(reading, finding);
  }
}

function readChoice(reading: Reading, argument: Parameter): Finding | undefined {
  const { context, entry, draft } = reading;
  const words = bareWords(reading);
  const parse = (text: string) => argument.value.parse(text, { ...context, subject: entry.spec.name });

  for (const word of words) {
    const { read, said } = readLongest(reading, word, word, ({ text }) => parse(text));
    if (read.ok) return { said, parameter: argument, value: read.value };
  }
  for (const word of words) {
    const read = parse(word.text);
    if (read.ok || read.nearest === undefined) continue;
    return { said: [word], fault: faultAt(draft, [word], read.reason, writeText(read.nearest)) };
  }
  if (!argument.required) return undefined;
  const missing = missingFault(reading, argument);
  const [word] = words;
  const read = word && parse(word.text);
  if (!word || !read || read.ok) return { said: [], fault: missing };
  return { said: [word], fault: { ...missing, reason: read.reason, at: placeOf([word]) } };
}

/** Reads the other words that stand alone: into the arguments that take any text, in their order. */
export function readWords(reading: Reading): void {
  const { entry, draft } = reading;
  // Without a kind nobody can say what a word may mean.
  if (entry.spec.filters && !kindOf(reading)) return;
  for (const argument of entry.arguments) {
    if (argument.value.telling || reading.places.has(argument.member)) continue;
    const words = bareWords(reading);
    const [first, second] = words;
    // token for 10m: the word is the name of an option, and not of a channel.
    const unnamed = first && second && !argument.rest ? namedFault(reading, first) : undefined;
    if (unnamed) settle(reading, { said: words, fault: unnamed });
    else if (first) settle(reading, readText(reading, argument, argument.rest ? words : [first]));
    else if (argument.required) settle(reading, { said: [], fault: missingFault(reading, argument) });
  }
  // Only the first fault is told.
  const [word] = bareWords(reading);
  if (!word) return;
  const fault = word.text.trim() === "" ? faultAt(draft, [word], EMPTY) : leftoverFault(reading, word);
  settle(reading, { said: [word], fault });
}

const EMPTY = "There is nothing between these quotes.";

function readText({ context, entry, draft }: Reading, argument: Parameter, said: readonly Bare[]): Finding {
  const text = said.map((word) => word.text).join(" ");
  if (text.trim() === "") return { said, fault: faultAt(draft, said, EMPTY) };
  const read = argument.value.parse(text, { ...context, subject: entry.spec.name });
  if (read.ok) return { said, parameter: argument, value: read.value };
  return { said, fault: faultAt(draft, said, read.reason, read.nearest && writeText(read.nearest)) };
}

function bareWords({ draft, left }: Reading): Bare[] {
  return draft.items.filter((item): item is Bare => item.form === "bare" && left.has(item));
}
