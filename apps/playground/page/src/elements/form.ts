import type { Entry } from "@media-ops/fake-slack";
import { isObject, type Json, labelIn, listIn, stringIn } from "../json.js";
import { dateWriter } from "../text/slack-date.js";

/** The entry of an element that nobody has touched. */
export function initialEntry(element: Json): Entry {
  if (element.type === "checkboxes") return [];
  const option = element.initial_option;
  return isObject(option) ? optionValue(option) : stringIn(element.initial_value);
}

/** The value of an option; its label if it has none. */
export function optionValue(option: Json): string {
  return stringIn(option.value) || labelIn(option.text);
}

type Entered = ReadonlyMap<string, Entry>;

/** The key of an element within a surface. */
export function elementKey(blockId: string, actionId: string): string {
  return JSON.stringify([blockId, actionId]);
}

/** The entries that a modal submits, by block id. */
export function entriesOf(blocks: readonly unknown[], entered: Entered): Record<string, Entry> {
  const entries: Record<string, Entry> = {};
  for (const { type, element, block_id } of listIn(blocks)) {
    if (type !== "input" || !isObject(element)) continue;
    const blockId = stringIn(block_id);
    entries[blockId] = entered.get(elementKey(blockId, stringIn(element.action_id))) ?? initialEntry(element);
  }
  return entries;
}

/** What the browser finds wrong in a form, by block id. */
export function complaintsIn(form: HTMLFormElement): Record<string, string> {
  const complaints: Record<string, string> = {};
  for (const input of form.querySelectorAll<HTMLInputElement>(INVALID)) {
    const blockId = input.closest<HTMLElement>("[data-input]")?.dataset.input;
    if (blockId !== undefined) complaints[blockId] = input.validationMessage;
  }
  return complaints;
}

const INVALID = ":is(input, select, textarea):invalid";

/** A time in a time zone, in the format of `<input type="datetime-local">`: 2026-11-21T15:05. */
export function zonedTime(seconds: number, timeZone: string): string {
  // Swedish times are almost ISO times.
  const writer = dateWriter("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short" });
  return writer.format(seconds * 1000).replace(" ", "T");
}

/** The seconds since 1970 of such a time; undefined if it is empty. In the hour that the clock skips, a later time. */
export function secondsAt(local: string, timeZone: string): number | undefined {
  if (local === "") return undefined;
  const asUtc = Date.parse(`${local}Z`) / 1000;
  const offset = (seconds: number): number => Date.parse(`${zonedTime(seconds, timeZone)}Z`) / 1000 - seconds;
  // The offset at the wanted time is unknown until the first guess.
  const guess = asUtc - offset(asUtc);
  return asUtc - offset(guess);
}
