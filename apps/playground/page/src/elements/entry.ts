import type { Entry } from "@media-ops/fake-slack";
import { isObject, type Json, labelIn, listIn, stringIn } from "../json.js";

/** The element's field in which the app says what stands in it at first. */
const INITIAL = [
  "initial_value",
  "initial_option",
  "initial_options",
  "initial_user",
  "initial_users",
  "initial_conversation",
  "initial_conversations",
  "initial_channel",
  "initial_channels",
  "initial_date",
  "initial_time",
  "initial_date_time",
] as const;

/** Whether several can be chosen in it. */
function isMany({ type }: Json): boolean {
  return type === "checkboxes" || stringIn(type).startsWith("multi_");
}

/** What stands in an element that nobody has touched. */
export function initialEntry(element: Json): Entry {
  const given = INITIAL.map((name) => element[name]).find((value) => value !== undefined && value !== null);
  if (isMany(element)) return Array.isArray(given) ? given.map(entryOf) : [];
  return given === undefined ? "" : entryOf(given);
}

function entryOf(value: unknown): string {
  if (!isObject(value)) return value === undefined || value === null ? "" : String(value);
  if (value.type === "rich_text") return listIn(value.elements).map(textBelow).join("\n");
  return stringIn(value.value) || labelIn(value.text);
}

function textBelow(part: Json): string {
  return listIn(part.elements)
    .map(({ text }) => stringIn(text))
    .join("");
}

export function isEmpty(entry: Entry): boolean {
  return entry.length === 0;
}

/** As one text; of several, the first. */
export function oneOf(entry: Entry): string {
  return typeof entry === "string" ? entry : (entry[0] ?? "");
}

export function manyOf(entry: Entry): readonly string[] {
  if (typeof entry !== "string") return entry;
  return entry === "" ? [] : [entry];
}
