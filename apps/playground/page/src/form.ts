import type { Entry } from "@media-ops/fake-slack";
import { isObject } from "../../src/json.js";
import type { PlaceInfo } from "../../src/window/protocol.js";
import { type Json, labelIn, listIn, stringIn } from "./json.js";
import { dateWriter } from "./slack-date.js";
import { titleOf } from "./stage.js";

/** Returns the initial value of an element, or an empty text if it has none. */
export function initialValue({ initial_option, initial_value }: Json): string {
  return isObject(initial_option) ? optionValue(initial_option) : stringIn(initial_value);
}

/** Returns whether an option of radio buttons or checkboxes is chosen initially. */
export function isInitial({ initial_option, initial_options }: Json, option: Json): boolean {
  const initial = isObject(initial_option) ? [initial_option] : listIn(initial_options);
  return initial.some((one) => optionValue(one) === optionValue(option));
}

/** Returns the value of an option, or its label if it has none. */
export function optionValue(option: Json): string {
  return stringIn(option.value) || labelIn(option.text);
}

/** Returns what a menu offers, and its initial value. One of conversations may begin with the open one: `here`. */
export function menuOf(element: Json, places: readonly PlaceInfo[], here: string | undefined) {
  const { type, options, filter, initial_conversation, default_to_current_conversation } = element;
  if (type !== "conversations_select") {
    const offered = listIn(options).map((option) => ({ value: optionValue(option), label: labelIn(option.text) }));
    return { options: offered, initial: initialValue(element) };
  }
  const kinds = isObject(filter) && Array.isArray(filter.include) ? filter.include : ["public", "im"];
  const offered = places.filter(({ kind }) => kinds.includes(kind === "channel" ? "public" : "im"));
  const current = default_to_current_conversation === true ? offered.find(({ id }) => id === here)?.id : undefined;
  return {
    options: offered.map((place) => ({ value: place.id, label: titleOf(place) })),
    initial: stringIn(initial_conversation) || (current ?? ""),
  };
}

/** Returns the entries that a modal submits, by block id. Times are in the person's time zone. */
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

/** Returns the browser's validation messages of a form, by block id. */
export function complaintsIn(form: HTMLFormElement): Record<string, string> {
  const complaints: Record<string, string> = {};
  for (const input of form.querySelectorAll<HTMLInputElement>(":is(input, select, textarea):invalid")) {
    const blockId = input.closest<HTMLElement>("[data-input]")?.dataset.input;
    if (blockId !== undefined) complaints[blockId] = input.validationMessage;
  }
  return complaints;
}

/**
 * Returns the Unix time in seconds of a local time such as 2026-11-21T15:05, or undefined if it is empty. A time in the
 * hour that the clock skips becomes a later one.
 */
export function secondsAt(local: string, timeZone: string): number | undefined {
  if (local === "") return undefined;
  // Swedish times are almost ISO times.
  const writer = dateWriter("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short" });
  const offset = (seconds: number): number => Date.parse(`${writer.format(seconds * 1000)}Z`) / 1000 - seconds;
  const asUtc = Date.parse(`${local}Z`) / 1000;
  // The offset at the target time is unknown until the first guess.
  const guess = asUtc - offset(asUtc);
  return asUtc - offset(guess);
}
