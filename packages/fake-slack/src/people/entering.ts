import { fieldOf, type JsonObject } from "../block-kit/json.js";
import type { Json, Team } from "../world/model.js";
import { optionsOf, textIn } from "./elements.js";

/** What a person enters or chooses: by what she reads, by its value, or by its id. */
export type Entry = string | readonly string[];

/** The name under which Slack tells what stands in an element. */
const STATES: Readonly<Record<string, string>> = {
  plain_text_input: "value",
  number_input: "value",
  email_text_input: "value",
  url_text_input: "value",
  rich_text_input: "rich_text_value",
  static_select: "selected_option",
  external_select: "selected_option",
  radio_buttons: "selected_option",
  multi_static_select: "selected_options",
  multi_external_select: "selected_options",
  checkboxes: "selected_options",
  users_select: "selected_user",
  conversations_select: "selected_conversation",
  channels_select: "selected_channel",
  multi_users_select: "selected_users",
  multi_conversations_select: "selected_conversations",
  multi_channels_select: "selected_channels",
  datepicker: "selected_date",
  timepicker: "selected_time",
  datetimepicker: "selected_date_time",
  file_input: "files",
};

const INITIAL: Readonly<Record<string, string>> = {
  value: "initial_value",
  rich_text_value: "initial_value",
  selected_option: "initial_option",
  selected_options: "initial_options",
  selected_user: "initial_user",
  selected_users: "initial_users",
  selected_conversation: "initial_conversation",
  selected_conversations: "initial_conversations",
  selected_channel: "initial_channel",
  selected_channels: "initial_channels",
  selected_date: "initial_date",
  selected_time: "initial_time",
  selected_date_time: "initial_date_time",
};

const TEXTS = new Set(["plain_text_input", "number_input", "email_text_input", "url_text_input"]);

/** Whether it keeps what was entered, as a button does not. */
export function hasState(element: JsonObject): boolean {
  return STATES[textIn(element.type)] !== undefined;
}

/** What stands in an element as long as nobody has touched it. */
export function initialState(element: JsonObject): Json {
  const type = textIn(element.type);
  const state = STATES[type] ?? "value";
  const initial = element[INITIAL[state] ?? ""];
  return { type, [state]: initial ?? (isMany(state) ? [] : null) };
}

/**
 * What stands in an element when a person has entered something.
 *
 * @throws {Error} where Slack does not let her, or offers nothing of that name.
 */
export function enteredState(team: Team, element: JsonObject, entry: Entry): Json {
  const type = textIn(element.type);
  const state = STATES[type];
  if (state === undefined) throw new Error(`Nothing can be entered into a ${type}.`);
  const values = typeof entry === "string" ? [entry] : entry;
  const found = values.filter((value) => value !== "").map((value) => stateValue(team, element, state, value));
  if (isMany(state)) {
    const max = element.max_selected_items;
    if (typeof max === "number" && found.length > max) throw new Error(`No more than ${max} can be chosen.`);
    return { type, [state]: found };
  }
  if (found.length > 1) throw new Error(`Only one can be chosen in a ${type}.`);
  return { type, [state]: found[0] ?? null };
}

/** The option of a menu that nobody keeps: the person's click is all that is told. */
export function chosenOption(element: JsonObject, choice: string): JsonObject {
  const options = optionsOf(element);
  const chosen =
    options.find((option) => textIn(fieldOf(option.text, "text")) === choice) ??
    options.find(({ value }) => value === choice);
  if (chosen) return chosen;
  const offered = options.map((option) => `"${textIn(fieldOf(option.text, "text"))}"`).join(", ");
  throw new Error(`There is no option "${choice}"; offered: ${offered || "none"}.`);
}

export function isEmpty(state: Json): boolean {
  const { type: _, ...values } = state;
  return Object.values(values).every(
    (value) => value === null || value === "" || (Array.isArray(value) && value.length === 0),
  );
}

/** Why Slack does not let a person send what stands in an element; undefined where it does. */
export function complaint(element: JsonObject, state: Json): string | undefined {
  if (!TEXTS.has(textIn(element.type))) return undefined;
  const text = textIn(state.value);
  if (text === "") return undefined;
  if (element.type === "number_input") return numberComplaint(element, text);
  if (element.type === "url_text_input" && !URL.canParse(text)) return "is no address";
  if (element.type === "email_text_input" && !/^[^@\s]+@[^@\s]+$/.test(text)) return "is no e-mail address";
  const { min_length, max_length } = element;
  if (typeof min_length === "number" && text.length < min_length) return `has fewer than ${min_length} characters`;
  const max = typeof max_length === "number" ? max_length : 3000;
  return text.length > max ? `has more than ${max} characters` : undefined;
}

function numberComplaint({ is_decimal_allowed, min_value, max_value }: JsonObject, text: string): string | undefined {
  const number = Number(text);
  if (text.trim() === "" || !Number.isFinite(number)) return "is no number";
  if (is_decimal_allowed !== true && !Number.isInteger(number)) return "is no whole number";
  if (min_value !== undefined && number < Number(min_value)) return `is less than ${String(min_value)}`;
  if (max_value !== undefined && number > Number(max_value)) return `is more than ${String(max_value)}`;
  return undefined;
}

function stateValue(team: Team, element: JsonObject, state: string, value: string): unknown {
  if (state.startsWith("selected_option")) return chosenOption(element, value);
  if (state.startsWith("selected_user")) return idByName(team.users.values(), value);
  if (state.startsWith("selected_conversation") || state.startsWith("selected_channel")) {
    return idByName(team.channels.values(), value);
  }
  if (state === "selected_date_time") return Number(value);
  if (state === "rich_text_value") return richText(value);
  if (state === "files") throw new Error("Files can't be chosen here.");
  return value;
}

function idByName(all: Iterable<{ readonly id: string; readonly name: string }>, wanted: string): string {
  for (const { id, name } of all) if (id === wanted || name === wanted.replace(/^[#@]/, "")) return id;
  throw new Error(`There is no "${wanted}" to choose.`);
}

function richText(text: string): Json {
  return {
    type: "rich_text",
    elements: [{ type: "rich_text_section", elements: [{ type: "text", text }] }],
  };
}

function isMany(state: string): boolean {
  return state.endsWith("s");
}
