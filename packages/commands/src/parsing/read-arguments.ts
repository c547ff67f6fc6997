import type { Parameter } from "../grammar.js";
import { quote } from "../quote.js";
import { writeText } from "../words.js";
import { faultAt, placeOf } from "./fault.js";
import { type Bare, isFlag } from "./items.js";
import { leftoverFault, missingFault } from "./loose-ends.js";
import { namedFault } from "./named.js";
import { bareBehind, bareWords, type Finding, kindOf, type Reading, readValue, settle } from "./reading.js";

/** Reads the arguments that tell themselves, such as a kind, wherever they stand. */
export function readChoices(reading: Reading): void {
  for (const argument of reading.entry.arguments) {
    const finding = argument.value.telling && !reading.places.has(argument.member) && readChoice(reading, argument);
    if (finding) settle(reading, finding);
  }
}

function readChoice(reading: Reading, argument: Parameter): Finding | undefined {
  const { entry, draft, grammar } = reading;
  const words = bareWords(reading);
  const read = (word: Bare) => readValue(reading, argument, word, word, entry.spec.name);
  for (const word of words) {
    const found = read(word);
    if (found.read.ok) return { said: found.said, parameter: argument, value: found.read.value };
  }
  for (const word of words) {
    const { read: refused } = read(word);
    if (refused.ok || refused.nearest === undefined) continue;
    return { said: [word], fault: faultAt(draft, [word], refused.reason, writeText(refused.nearest)) };
  }
  if (!argument.required) return undefined;
  const missing = missingFault(reading, argument);
  const [first] = words;
  const refused = first && read(first).read;
  // logs summary: a command is no attempt at a kind.
  if (!refused || refused.ok || grammar.entryNamed(first.text)) return { said: [], fault: missing };
  return { said: [first], fault: { ...missing, reason: refused.reason, at: placeOf([first]) } };
}

/** Reads the other words that stand alone: into the arguments that take any text, in their order. */
export function readWords(reading: Reading): void {
  const { entry, draft } = reading;
  // Without a kind nobody can say what a word may mean.
  if (entry.spec.filters && !kindOf(reading)) return;
  for (const argument of entry.arguments) {
    if (argument.value.telling || reading.places.has(argument.member)) continue;
    const [first] = bareWords(reading);
    if (first) settle(reading, readText(reading, argument, first));
    else if (argument.required) settle(reading, { said: [], fault: missingFault(reading, argument) });
  }
  // Only the first fault is told.
  const [word] = bareWords(reading);
  if (!word) return;
  const fault = word.text.trim() === "" ? faultAt(draft, [word], EMPTY) : leftoverFault(reading, word);
  settle(reading, { said: [word], fault });
}

const EMPTY = "There is nothing between these quotes.";

function readText(reading: Reading, argument: Parameter, first: Bare): Finding {
  const { context, entry, draft } = reading;
  const { value: type, rest } = argument;
  const said = rest ? bareWords(reading) : [first];
  const refuse = (reason: string, nearest?: string): Finding => ({
    said,
    fault: faultAt(draft, said, reason, nearest && writeText(nearest)),
  });
  const text = said.map((word) => word.text).join(" ");
  // Leaving it out could mean more than was meant: a token for every channel.
  if (text.trim() === "") return refuse(EMPTY, rest ? undefined : type.example);
  if (!rest && isFlag(first)) {
    return refuse(`${entry.spec.name} takes no ${quote(text)}.`, /^-\p{L}/u.test(text) ? text.slice(1) : undefined);
  }
  // token for 10m: the word is the name of an option, and not of a channel.
  const unnamed = rest || !bareBehind(reading, first) ? undefined : namedFault(reading, first);
  if (unnamed) return { said: bareWords(reading), fault: unnamed };
  const read = type.parse(text, { ...context, subject: entry.spec.name });
  return read.ok ? { said, parameter: argument, value: read.value } : refuse(read.reason, read.nearest);
}
