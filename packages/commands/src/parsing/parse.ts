import { type AnyCommand, type Entry, type Grammar, type Parameter, parametersNamed } from "../grammar.js";
import { fieldNamed } from "../kinds.js";
import { grouped, harmless, isHarmless, quote, shorten } from "../messages.js";
import { isClock } from "../times.js";
import { zoneIn } from "../values/time-types.js";
import type { ReadContext } from "../values/value-type.js";
import { plain, splitArguments, splitWords, writeText } from "../words.js";
import { DAY_MS, type Zone, zoneTyped } from "../zones.js";
import { type Chosen, chooseCommand, intendedEntry, requestedTopic } from "./choose-command.js";
import {
  absentFault,
  commandItems,
  type Fault,
  faultAt,
  faultWithHelp,
  type Item,
  kindAmong,
  rawOf,
  textOf,
} from "./items.js";
import { readChoices, readWords } from "./read-arguments.js";
import { readFilters, readOptions } from "./read-keyed.js";
import type { Reading } from "./reading.js";

// Longer than any typed command, with room for text that grows when it is written back.
const MOST_CHARACTERS = 20_000;
const MOST_WORDS = 200;
const LONGEST_REASON = 200;
const LONGEST_MESSAGE = 300;
// Each repair corrects one fault; text with more faults resembles no command.
const MOST_REPAIRS = 10;

/** Why a command was not understood. */
export interface CommandProblem {
  /** One line: the problem, its position, and the nearest valid command. */
  readonly message: string;
  /** The message without the nearest command. */
  readonly reason: string;
  /** The position in the input; absent if something is missing. The words of an argv count as joined by spaces. */
  readonly at?: { readonly start: number; readonly end: number };
  /** The nearest valid command. */
  readonly nearest: string;
}

export type Parsed<C> =
  | { readonly ok: true; readonly command: C }
  | { readonly ok: false; readonly problem: CommandProblem };

/** Parses a command, or explains why it cannot. */
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

/** Parses a command. The first fault in the text is reported. */
function tryInput(input: string | readonly string[], grammar: Grammar, context: ReadContext): Attempt {
  const isText = typeof input === "string";
  const length = isText ? input.length : input.reduce((sum, word) => sum + word.length + 1, -1);
  if (length > MOST_CHARACTERS) return tooMany("characters", MOST_CHARACTERS, length, grammar);
  const split = isText ? splitWords(input) : splitArguments(input);
  if (!split.ok) {
    const at = { start: split.start, end: length };
    return { ok: false, reason: `The quote ${split.quote} is never closed.`, at, repair: split.repair };
  }
  const items = commandItems(split.words, grammar);
  // Text that was written back begins with the command that may be omitted.
  if (items.length > MOST_WORDS + 1) return tooMany("words", MOST_WORDS, items.length, grammar);
  const absent = absentFault(items, grammar);
  if (absent) return absent;
  const topic = requestedTopic(items, grammar);
  if (topic !== undefined) return { ok: true, command: { name: "help", topic } };
  const chosen = chooseCommand(items, grammar, context);
  if (!chosen.ok) return chosen;
  if (chosen.items.length > MOST_WORDS) return tooMany("words", MOST_WORDS, chosen.items.length, grammar);
  return readCommand(chosen, grammar, context);
}

function tooMany(what: string, most: number, many: number, grammar: Grammar): Fault {
  return {
    ok: false,
    reason: `A command has at most ${grouped(most)} ${what}; this has ${grouped(many)}.`,
    repair: grammar.fallback,
  };
}

/** Repairs one fault after another until none is left. */
function nearestTo(repair: string, grammar: Grammar, context: ReadContext): string {
  let text = withoutHarm(repair);
  for (let repairs = 0; repairs < MOST_REPAIRS; repairs++) {
    const attempt = tryInput(text, grammar, context);
    if (attempt.ok) return text;
    text = withoutHarm(attempt.repair);
  }
  return grammar.fallback;
}

/** The suggestion: nothing that makes or deletes, unless that command was typed. */
function offered(nearest: string, input: string | readonly string[], grammar: Grammar, context: ReadContext): string {
  const attempt = tryInput(nearest, grammar, context);
  const entry = attempt.ok ? grammar.entryNamed(attempt.command.name) : undefined;
  if (!entry || entry.spec.effect === "reads") return nearest;
  const split = typeof input === "string" ? splitWords(input) : splitArguments(input);
  // A missing quote is repaired before the command is chosen.
  const words = split.ok ? split : splitWords(split.repair);
  const typed = words.ok ? intendedEntry(commandItems(words.words, grammar), grammar) : undefined;
  return typed === entry ? nearest : grammar.helpOn(entry.spec.name);
}

/** The text without words that cannot be shown unchanged. */
function withoutHarm(text: string): string {
  if (isHarmless(text)) return text;
  const split = splitWords(text);
  if (!split.ok) return harmless(text);
  return split.words.flatMap(({ raw }) => (isHarmless(raw) ? raw : [])).join(" ");
}

/** Reads the items of a command. */
function readCommand({ entry, items }: Chosen, grammar: Grammar, context: ReadContext): Attempt {
  const { name, effect } = entry.spec;
  const open = (more: Partial<ReadContext>): Reading => ({
    entry,
    grammar,
    context: { ...context, kind: kindAmong(items), ...more },
    draft: { head: name, items, help: effect === "reads" ? undefined : grammar.helpOn(name) },
    values: new Map(),
    sources: new Map(),
    filters: [],
    faults: [],
    unread: new Set(items),
  });
  const reading = open({ zone: zoneAmong(entry, items) ?? zoneOfTimes(entry, context, open) ?? context.zone });
  readOptions(reading);
  readChoices(reading);
  readFilters(reading);
  readWords(reading);
  // Faults about missing words have no position, and are sorted last.
  const place = ({ at }: Fault): number => at?.start ?? Number.MAX_SAFE_INTEGER;
  const [first] = reading.faults.sort((a, b) => place(a) - place(b));
  return (
    first ??
    periodFault(reading) ??
    sortFault(reading) ??
    problemFault(reading) ?? { ok: true, command: build(reading) }
  );
}

/** The values do not go together. What is meant is not guessed. */
function problemFault({ entry, values, draft, grammar }: Reading): Fault | undefined {
  const reason = entry.spec.problemIn?.(Object.fromEntries(values));
  return reason === undefined ? undefined : faultWithHelp(grammar, draft.items, reason, entry.spec.name);
}

function build(reading: Reading): AnyCommand {
  const { entry, values, filters } = reading;
  const given = [...entry.arguments, ...entry.options].flatMap(({ member }) =>
    values.has(member) ? [[member, values.get(member)] as const] : [],
  );
  const zone = values.has("zone") ? undefined : zoneOfPeriod(reading);
  const all = { ...Object.fromEntries(given), ...(zone !== undefined && { zone }) };
  return { name: entry.spec.name, ...all, ...(entry.spec.filters && { filters }) };
}

/** The zone that a command names for its times. */
function zoneAmong(entry: Entry, items: readonly Item[]): Zone | undefined {
  const item = items.find((one) => one.form === "keyed" && isZone(parametersNamed(entry, one.key)[0]));
  return item?.form === "keyed" ? zoneTyped(item.value.text) : undefined;
}

/** The zone of `since:"14:00 Tokyo"`, in which the other times of the command are read too. */
function zoneOfTimes(
  entry: Entry,
  { now }: ReadContext,
  open: (more: Partial<ReadContext>) => Reading,
): Zone | undefined {
  if (!entry.options.some(isZone)) return undefined;
  // What is in the future in one zone may be in the past in another.
  const reading = open({ now: now + DAY_MS });
  readOptions(reading);
  const name = zoneOfPeriod(reading);
  return name === undefined ? undefined : zoneTyped(name);
}

/** The zone that the start or the end of the period is typed with, so that a heading shows it in the same. */
function zoneOfPeriod({ entry, sources }: Reading): string | undefined {
  if (!entry.options.some(isZone)) return undefined;
  const times = ["since", "until"].map((end) => typedValue(sources.get(end) ?? []));
  return times.map(zoneIn).find((zone) => zone !== undefined);
}

const isZone = (parameter: Parameter | undefined): boolean => parameter?.member === "zone";

/** The period between `since` and `until` is empty. */
function periodFault(reading: Reading): Fault | undefined {
  const { values, sources, draft } = reading;
  const since = values.get("since");
  const until = values.get("until");
  if (typeof since !== "number" || typeof until !== "number" || until > since) return undefined;
  const [begins = [], ends = []] = [sources.get("since"), sources.get("until")];
  const [first, last] = [begins, ends].map((items) => quote(items.map(textOf).join(" ")));
  if (until === since) {
    const reason = `${first} and ${last} are the same moment, so the period is empty. A day means its beginning; use time:yesterday for the whole day.`;
    return faultWithHelp(reading.grammar, [...begins, ...ends], reason, "times");
  }
  const next = nextClock(reading, typedValue(ends), since);
  if (next !== undefined) {
    values.set("until", next);
    return undefined;
  }
  const swapped = `since:${writeText(typedValue(ends))} until:${writeText(typedValue(begins))}`;
  return faultAt(draft, [...begins, ...ends], `${first} is later than ${last}, so the period is empty.`, swapped);
}

/** `top:10` has no order, and `last:10` has another one. */
function sortFault({ values, sources, draft, entry, context: { kind } }: Reading): Fault | undefined {
  const [top, last] = [sources.get("top"), sources.get("last")];
  if (values.has("sort")) {
    const reason = "last: lists the newest entries; the first by sort: are listed by top:.";
    const count = values.get("top") ?? values.get("last");
    return last && faultAt(draft, top ? [...last, ...top] : last, reason, `top:${String(count)}`);
  }
  const [sort] = parametersNamed(entry, "sort");
  const [field] = ["bytes", "elapsed", "duration"].flatMap((name) => (kind && fieldNamed(kind, name)?.name) ?? []);
  if (!top || !sort || !field) return undefined;
  const reason = `top: needs a field to sort by, such as sort:${field}.`;
  return faultAt(draft, top, reason, `${top.map(rawOf).join(" ")} sort:${field}`);
}

/** At half past nine, `since:09:00 until:10:00` ends today, not at the last ten o'clock. */
function nextClock({ entry, context }: Reading, typed: string, since: number): number | undefined {
  const [until] = parametersNamed(entry, "until");
  if (!until || !isClock(typed)) return undefined;
  const read = until.value.parse(typed, { ...context, subject: until.word, now: since + DAY_MS });
  return read.ok && typeof read.value === "number" ? read.value : undefined;
}

/** The value as it was typed, without the name before it. */
function typedValue([first, ...rest]: readonly Item[]): string {
  const start = first?.form === "keyed" ? [first.value.text] : [];
  return plain([...start, ...rest.map(textOf)].join(" "));
}
