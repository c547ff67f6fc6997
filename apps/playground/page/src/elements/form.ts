import type { Entry } from "@media-ops/fake-slack";
import { isObject, type Json, labelIn, stringIn } from "../json.js";
import { dateWriter } from "../text/slack-date.js";

/** The initial value of an element; an empty text if it has none. */
export function initialValue({ initial_option, initial_value }: Json): string {
  return isObject(initial_option) ? optionValue(initial_option) : stringIn(initial_value);
}

/** The value of an option; its label if it has none. */
export function optionValue(option: Json): string {
  return stringIn(option.value) || labelIn(option.text);
}

/** The entries that a modal submits, by block id. Times are in the time zone of the person. */
export function entriesOf(blocks: readonly Json[], data: FormData, timeZone: string): Record<string, Entry> {
  const entries: Record<string, Entry> = {};
  for (const { type, element, block_id } of blocks) {
    if (type !== "input" || !isObject(element)) continue;
    const blockId = stringIn(block_id);
    const all = data.getAll(blockId).map(String);
    const [first = ""] = all;
    if (element.type === "checkboxes") entries[blockId] = all;
    else if (element.type === "datetimepicker") entries[blockId] = String(secondsAt(first, timeZone) ?? "");
    else entries[blockId] = first;
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

/**
 * The seconds since 1970 of a time such as 2026-11-21T15:05; undefined if it is empty. In the hour that the clock skips,
 * a later time.
 */
export function secondsAt(local: string, timeZone: string): number | undefined {
  if (local === "") return undefined;
  // Swedish times are almost ISO times.
  const writer = dateWriter("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short" });
  const offset = (seconds: number): number => Date.parse(`${writer.format(seconds * 1000)}Z`) / 1000 - seconds;
  const asUtc = Date.parse(`${local}Z`) / 1000;
  // The offset at the wanted time is unknown until the first guess.
  const guess = asUtc - offset(asUtc);
  return asUtc - offset(guess);
}
