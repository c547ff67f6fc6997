import type { Entry } from "@media-ops/fake-slack";
import { isObject, type Json, labelIn, listIn, numberIn, stringIn } from "../json.js";
import { dateParts } from "../text/slack-date.js";

/** The members in which an app gives the initial entry of an element. */
const INITIAL = ["initial_value", "initial_option", "initial_options", "initial_date_time"] as const;

/** The entry of an element that nobody has touched. */
export function initialEntry(element: Json): Entry {
  const given = INITIAL.map((name) => element[name]).find((value) => value !== undefined && value !== null);
  if (element.type === "checkboxes") return Array.isArray(given) ? given.map(entryOf) : [];
  return given === undefined ? "" : entryOf(given);
}

function entryOf(value: unknown): string {
  return isObject(value) ? stringIn(value.value) || labelIn(value.text) : String(value);
}

/** One text; of several, the first. */
export function oneOf(entry: Entry): string {
  return typeof entry === "string" ? entry : (entry[0] ?? "");
}

export function manyOf(entry: Entry): readonly string[] {
  if (typeof entry !== "string") return entry;
  return entry === "" ? [] : [entry];
}

const LONGEST = 3000;

/** The message that Slack shows under an input before it submits anything; undefined if the entry is right. */
export function complaint(element: Json, entry: Entry, { isOptional }: { isOptional: boolean }): string | undefined {
  if (entry.length === 0) return isOptional ? undefined : "Please complete this required field.";
  const text = oneOf(entry);
  if (element.type === "number_input") return numberComplaint(element, text);
  return element.type === "plain_text_input" ? lengthComplaint(element, text) : undefined;
}

function lengthComplaint(element: Json, { length }: string): string | undefined {
  const least = numberIn(element.min_length) ?? 0;
  const most = numberIn(element.max_length) ?? LONGEST;
  if (length < least) return `Enter at least ${least} characters; there are ${length}.`;
  return length > most ? `Enter at most ${most} characters; there are ${length}.` : undefined;
}

function numberComplaint(element: Json, text: string): string | undefined {
  const number = Number(text);
  if (text.trim() === "" || !Number.isFinite(number)) return "Enter a number.";
  if (element.is_decimal_allowed !== true && !Number.isInteger(number)) return "Enter a whole number.";
  const least = stringIn(element.min_value);
  const most = stringIn(element.max_value);
  if (least !== "" && number < Number(least)) return `Enter a number that is at least ${least}.`;
  return most !== "" && number > Number(most) ? `Enter a number that is at most ${most}.` : undefined;
}

type Entered = ReadonlyMap<string, Entry>;

/** The key of an element within a surface. */
export function elementKey(blockId: string, actionId: string): string {
  return JSON.stringify([blockId, actionId]);
}

/** The entries that a modal submits, by block id. */
export function entriesOf(blocks: readonly unknown[], entered: Entered): Record<string, Entry> {
  return Object.fromEntries(inputsIn(blocks, entered).map(({ blockId, entry }) => [blockId, entry]));
}

/** What must be corrected before a modal is submitted, by block id. */
export function complaints(blocks: readonly unknown[], entered: Entered): Record<string, string> {
  const wrong: Record<string, string> = {};
  for (const { blockId, block, element, entry } of inputsIn(blocks, entered)) {
    const words = complaint(element, entry, { isOptional: block.optional === true });
    if (words !== undefined) wrong[blockId] = words;
  }
  return wrong;
}

function inputsIn(blocks: readonly unknown[], entered: Entered) {
  return listIn(blocks).flatMap((block) => {
    const { element } = block;
    if (block.type !== "input" || !isObject(element)) return [];
    const blockId = stringIn(block.block_id);
    const key = elementKey(blockId, stringIn(element.action_id));
    return [{ blockId, block, element, entry: entered.get(key) ?? initialEntry(element) }];
  });
}

/** A time in a time zone, in the format of `<input type="datetime-local">`: 2026-11-21T15:05. */
export function zonedTime(seconds: number, timeZone: string): string {
  const twoDigits = { month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit" } as const;
  const part = dateParts({ timeZone, hourCycle: "h23", year: "numeric", ...twoDigits }, seconds * 1000);
  return `${part("year").padStart(4, "0")}-${part("month")}-${part("day")}T${part("hour")}:${part("minute")}`;
}

/** The seconds since 1970 of such a time; undefined if it is invalid. In the hour that the clock skips, a later time. */
export function secondsAt(local: string, timeZone: string): number | undefined {
  // Date.parse accepts many other formats.
  const asUtc = /^\d{4,}-\d\d-\d\dT\d\d:\d\d$/.test(local) ? Date.parse(`${local}:00Z`) / 1000 : Number.NaN;
  if (Number.isNaN(asUtc)) return undefined;
  const offset = (seconds: number): number => Date.parse(`${zonedTime(seconds, timeZone)}:00Z`) / 1000 - seconds;
  // The offset at the wanted time is unknown until the first guess.
  const guess = asUtc - offset(asUtc);
  return asUtc - offset(guess);
}
