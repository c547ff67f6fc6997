import { cutArguments, cutText, type Word } from "../cut.js";
import { type Grammar, parametersNamed } from "../grammar.js";
import { harmless, isHarmless, quote, shorten } from "../quote.js";
import type { AnyCommand } from "../spec.js";
import { isClock } from "../times/read-moment.js";
import type { ReadContext } from "../values/value-type.js";
import { plain, writeText } from "../words.js";
import { type Chosen, chooseCommand, entryMeant, topicAsked } from "./choose-command.js";
import { type Fault, faultAt, faultWithHelp, type Item, itemsOf, textOf, withoutProgram } from "./items.js";
import { readChoices, readWords } from "./read-arguments.js";
import { readFilters } from "./read-filters.js";
import { readOptions } from "./read-options.js";
import type { Reading } from "./reading.js";

// More than anybody types, and room for what has become longer when it was written back.
const MOST_CHARACTERS = 20_000;
const MOST_WORDS = 200;
const LONGEST_REASON = 200;
const LONGEST_MESSAGE = 300;
// Each repair mends one fault; a text with more has little in common with any command.
const MOST_REPAIRS = 10;

/** Why a command was not understood. */
export interface CommandProblem {
  /** One line: what was wrong, where, and the nearest right command. */
  readonly message: string;
  /** The same without the nearest command, for whoever shows that in another way. */
  readonly reason: string;
  /** Which part of the input it is about; none where something is missing. An argv counts as joined by blanks. */
  readonly at?: { readonly start: number; readonly end: number };
  /** The nearest right command, as text that parses. */
  readonly nearest: string;
}

export type Parsed<C> =
  | { readonly ok: true; readonly command: C }
  | { readonly ok: false; readonly problem: CommandProblem };

/** Understands what was typed, or says why not. */
export function parseCommand(
  input: string | readonly string[],
  grammar: Grammar,
  context: ReadContext,
): Parsed<AnyCommand> {
  const attempt = tryInput(input, grammar, context);
  if (attempt.ok) return attempt;
  const reason = shorten(harmless(attempt.reason), LONGEST_REASON);
  const nearest = offered(nearestTo(attempt.repair, grammar, context), input, grammar, context);
  const message = nearest === "" ? reason : shorten(`${reason} Try: ${nearest}`, LONGEST_MESSAGE);
  return { ok: false, problem: { message, reason, ...(attempt.at && { at: attempt.at }), nearest } };
}

type Attempt = { readonly ok: true; readonly command: AnyCommand } | Fault;

function tryInput(input: string | readonly string[], grammar: Grammar, context: ReadContext): Attempt {
  const isText = typeof input === "string";
  const length = isText ? input.length : input.reduce((sum, word) => sum + word.length + 1, -1);
  if (length > MOST_CHARACTERS) return tooMany("characters", MOST_CHARACTERS, length, grammar);
  const cut = isText ? cutText(input) : cutArguments(input);
  if (cut.ok) return tryWords(cut.words, grammar, context);
  const at = { start: cut.start, end: length };
  return { ok: false, reason: `The quote ${cut.quote} is opened and never closed.`, at, repair: cut.repair };
}

function tryWords(words: readonly Word[], grammar: Grammar, context: ReadContext): Attempt {
  const items = withoutProgram(itemsOf(words, grammar.isKey));
  // What is written back begins with the command that may have been left out.
  if (items.length > MOST_WORDS + 1) return tooMany("words", MOST_WORDS, items.length, grammar);
  const topic = topicAsked(items, grammar);
  if (topic !== undefined) return { ok: true, command: { name: "help", topic } };
  const chosen = chooseCommand(items, grammar, context);
  if (!chosen.ok) return chosen;
  if (chosen.items.length > MOST_WORDS) return tooMany("words", MOST_WORDS, chosen.items.length, grammar);
  return readCommand(chosen, grammar, context);
}

function tooMany(what: string, most: number, many: number, grammar: Grammar): Fault {
  const [allowed, typed] = [most, many].map((count) => String(count).replace(/(?<=\d)(?=(?:\d{3})+$)/g, ","));
  return {
    ok: false,
    reason: `A command has at most ${allowed} ${what}; this has ${typed}.`,
    repair: grammar.fallback,
  };
}

/** Repairs one fault after the other until nothing is wrong. */
function nearestTo(repair: string, grammar: Grammar, context: ReadContext): string {
  let text = withoutHarm(repair);
  for (let repairs = 0; repairs < MOST_REPAIRS; repairs++) {
    const attempt = tryInput(text, grammar, context);
    if (attempt.ok) return text;
    text = withoutHarm(attempt.repair);
  }
  return grammar.fallback;
}

/** What is offered: nothing that makes or deletes, unless the command that does so was typed. */
function offered(nearest: string, input: string | readonly string[], grammar: Grammar, context: ReadContext): string {
  const attempt = tryInput(nearest, grammar, context);
  const entry = attempt.ok ? grammar.entryNamed(attempt.command.name) : undefined;
  if (!entry || entry.spec.effect === "reads") return nearest;
  const cut = typeof input === "string" ? cutText(input) : cutArguments(input);
  // A quote that is never closed is mended before a command is looked for.
  const words = cut.ok ? cut : cutText(cut.repair);
  const typed = words.ok ? entryMeant(withoutProgram(itemsOf(words.words, grammar.isKey)), grammar) : undefined;
  return typed === entry ? nearest : grammar.helpOn(entry.spec.name);
}

/** Without the words that cannot be shown as they are. */
function withoutHarm(text: string): string {
  if (isHarmless(text)) return text;
  const cut = cutText(text);
  if (!cut.ok) return harmless(text);
  return cut.words.flatMap(({ raw }) => (isHarmless(raw) ? raw : [])).join(" ");
}

/** Reads the words of a command. Of several faults, the first in the text is told. */
function readCommand(
  { entry, items }: Chosen,
  grammar: Grammar,
  context: ReadContext,
): { readonly ok: true; readonly command: AnyCommand } | Fault {
  const { name, effect } = entry.spec;
  const reading: Reading = {
    entry,
    grammar,
    context,
    draft: { head: name, items, help: effect === "reads" ? undefined : grammar.helpOn(name) },
    values: new Map(),
    places: new Map(),
    filters: [],
    faults: [],
    left: new Set(items),
  };
  readOptions(reading);
  readChoices(reading);
  readFilters(reading);
  readWords(reading);
  return firstOf(reading.faults) ?? periodFault(reading) ?? { ok: true, command: build(reading) };
}

function firstOf(faults: readonly Fault[]): Fault | undefined {
  // What is missing stands nowhere, and is told when all that is there is right.
  const place = ({ at }: Fault): number => at?.start ?? Number.MAX_SAFE_INTEGER;
  return faults.reduce<Fault | undefined>(
    (first, fault) => (first && place(first) <= place(fault) ? first : fault),
    undefined,
  );
}

function build({ entry, values, filters }: Reading): AnyCommand {
  const given = [...entry.arguments, ...entry.options].flatMap(({ member }) =>
    values.has(member) ? [[member, values.get(member)] as const] : [],
  );
  return { name: entry.spec.name, ...Object.fromEntries(given), ...(entry.spec.filters && { filters }) };
}

const DAY_MS = 86_400_000;

/** What is wrong where nothing lies between `since` and `until`. */
function periodFault(reading: Reading): Fault | undefined {
  const { values, places, draft } = reading;
  const since = values.get("since");
  const until = values.get("until");
  if (typeof since !== "number" || typeof until !== "number" || until > since) return undefined;
  const [begins = [], ends = []] = [places.get("since"), places.get("until")];
  const [first, last] = [begins, ends].map((items) => quote(items.map(textOf).join(" ")));
  if (until === since) {
    const reason = `${first} and ${last} are the same moment: nothing lies between. A day means its beginning; time:yesterday is the whole day.`;
    return faultWithHelp(reading.grammar, [...begins, ...ends], reason, "times");
  }
  const next = nextClock(reading, typedValue(ends), since);
  if (next !== undefined) {
    values.set("until", next);
    return undefined;
  }
  const swapped = `since:${writeText(typedValue(ends))} until:${writeText(typedValue(begins))}`;
  return faultAt(draft, [...begins, ...ends], `${first} is later than ${last}: nothing lies between.`, swapped);
}

/** Half past nine, `since:09:00 until:10:00` ends today, and not where the last ten o'clock was. */
function nextClock({ entry, context }: Reading, typed: string, since: number): number | undefined {
  const [until] = parametersNamed(entry, "until");
  if (!until || !isClock(typed)) return undefined;
  const read = until.value.parse(typed, { ...context, subject: until.word, now: since + DAY_MS });
  return read.ok && typeof read.value === "number" ? read.value : undefined;
}

/** The value as it was typed, be it in one word or in several, without the name before it. */
function typedValue([first, ...rest]: readonly Item[]): string {
  const start = first?.form === "keyed" ? [first.value.text] : [];
  return plain([...start, ...rest.map(textOf)].join(" "));
}
