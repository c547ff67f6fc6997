import { fieldOf, isObject, itemsOf, textIn } from "../json.js";
import type { Channel, Json, Team, User } from "../world/model.js";

/** Something in a block that a person can press, choose from or fill in. */
export interface FoundElement {
  readonly block: Json;
  readonly element: Json;
  readonly blockId: string;
  readonly actionId: string;
  /** The label above an input. */
  readonly label: string;
}

/** Exactly one element, by the ids that Slack sends to the app. */
export interface ElementReference {
  readonly blockId: string;
  readonly actionId: string;
}

/** The elements of blocks, from top to bottom. */
export function elementsIn(blocks: readonly unknown[]): FoundElement[] {
  return blocks.filter(isObject).flatMap((block) =>
    [block.element, ...itemsOf(block.elements)].filter(isObject).flatMap((element) => {
      if (typeof element.action_id !== "string") return [];
      const label = textIn(fieldOf(block.label, "text"));
      return [{ block, element, blockId: textIn(block.block_id), actionId: element.action_id, label }];
    }),
  );
}

/** Whether it is a button, which can only be pressed. */
export function isButton({ type }: Json): boolean {
  return type === "button";
}

/** The text of a button. */
export function buttonText(element: Json): string {
  return textIn(fieldOf(element.text, "text"));
}

/** The element with these ids, or the first that matches a name, in the order of `readings`. */
export function findElement(
  elements: readonly FoundElement[],
  name: string | ElementReference,
  what: string,
  readings: readonly ((found: FoundElement) => unknown)[],
): FoundElement {
  const isMeant = (found: FoundElement): boolean =>
    typeof name !== "string" && found.blockId === name.blockId && found.actionId === name.actionId;
  const byName = readings.map((read) => elements.find((found) => read(found) === name));
  const element = elements.find(isMeant) ?? byName.find((found) => found !== undefined);
  if (element) return element;
  const wanted = typeof name === "string" ? `"${name}"` : `"${name.actionId}" in the block "${name.blockId}"`;
  const offered = elements.map((found) => `"${String(readings[0]?.(found))}"`).join(", ");
  throw new Error(`There is no ${what} ${wanted}; there are: ${offered || "none"}.`);
}

/** A person's entry or choice: a text, or options by their text or value. */
export type Entry = string | readonly string[];

/** For each element with a state, the members with its current and its initial value. */
const STATES: Readonly<Record<string, readonly [state: string, initial: string]>> = {
  plain_text_input: ["value", "initial_value"],
  number_input: ["value", "initial_value"],
  static_select: ["selected_option", "initial_option"],
  radio_buttons: ["selected_option", "initial_option"],
  checkboxes: ["selected_options", "initial_options"],
  conversations_select: ["selected_conversation", "initial_conversation"],
  datetimepicker: ["selected_date_time", "initial_date_time"],
};

/** Whether an element has a state, which a button does not. */
export function hasState({ type }: Json): boolean {
  return STATES[textIn(type)] !== undefined;
}

/**
 * The state of an element before any entry.
 *
 * @param channelId The conversation that the person was viewing when the form was opened.
 */
export function initialState(viewer: Viewer, element: Json, channelId: string | undefined): Json {
  const type = textIn(element.type);
  const [state, initial] = STATES[type] ?? ["value", "initial_value"];
  const current =
    element.default_to_current_conversation === true
      ? offeredConversations(viewer, element).find(({ id }) => id === channelId)?.id
      : undefined;
  return { type, [state]: element[initial] ?? current ?? (isMultiple(state) ? [] : null) };
}

const isMultiple = (state: string): boolean => state === "selected_options";

/** The state of an element after an entry. */
export function enteredState(viewer: Viewer, element: Json, entry: Entry): Json {
  const type = textIn(element.type);
  const [state] = STATES[type] ?? [];
  if (state === undefined) throw new Error(`Nothing can be entered into a ${type}.`);
  const values = (typeof entry === "string" ? [entry] : entry).filter((value) => value !== "");
  const found = values.map((value) => {
    if (state.startsWith("selected_option")) return optionOf(element, value);
    if (type === "conversations_select") return conversationNamed(viewer, element, value).id;
    return type === "datetimepicker" ? Number(value) : value;
  });
  if (found.length > 1 && !isMultiple(state)) throw new Error(`Only one can be chosen in a ${type}.`);
  return { type, [state]: isMultiple(state) ? found : (found[0] ?? null) };
}

function optionOf(element: Json, choice: string): Json {
  const options = itemsOf(element.options).filter(isObject);
  const textOf = (option: Json): string => textIn(fieldOf(option.text, "text"));
  const chosen = options.find((option) => textOf(option) === choice) ?? options.find(({ value }) => value === choice);
  if (chosen) return chosen;
  const offered = options.map((option) => `"${textOf(option)}"`).join(", ");
  throw new Error(`There is no option "${choice}"; offered: ${offered || "none"}.`);
}

/** Whether the state is empty. */
export function isEmpty({ type: _, ...values }: Json): boolean {
  return Object.values(values).every(
    (value) => value === null || value === "" || (Array.isArray(value) && value.length === 0),
  );
}

/** Why Slack would refuse to submit a state; undefined if it would not. */
export function complaint(element: Json, state: Json): string | undefined {
  const text = textIn(state.value);
  if (text === "") return undefined;
  const { type, is_decimal_allowed, min_value, max_value, max_length } = element;
  if (type === "number_input") {
    const number = Number(text);
    if (text.trim() === "" || !Number.isFinite(number)) return "must be a number";
    if (is_decimal_allowed !== true && !Number.isInteger(number)) return "must be a whole number";
    if (min_value !== undefined && number < Number(min_value)) return `is less than ${String(min_value)}`;
    return max_value !== undefined && number > Number(max_value) ? `is more than ${String(max_value)}` : undefined;
  }
  const max = typeof max_length === "number" ? max_length : 3000;
  return text.length > max ? `has more than ${max} characters` : undefined;
}

/** A person who looks at a menu. */
interface Viewer {
  readonly team: Team;
  readonly user: User;
}

/** The conversations that a `conversations_select` offers to a person. */
function offeredConversations({ team, user }: Viewer, { filter }: Json): Channel[] {
  const kinds = fieldOf(filter, "include");
  return [...team.channels.values()].filter((channel) => {
    if (channel.isArchived || (channel.kind !== "public" && !channel.members.has(user.id))) return false;
    return kinds === undefined || itemsOf(kinds).includes(channel.kind);
  });
}

/** An offered conversation, by its id or its name, with or without `#`. */
function conversationNamed(viewer: Viewer, element: Json, given: string): Channel {
  const offered = offeredConversations(viewer, element);
  const name = given.replace(/^#/, "");
  const found = offered.find(({ id }) => id === given) ?? offered.find((one) => one.kind !== "im" && one.name === name);
  if (found) return found;
  const names = offered.map((one) => `"${one.name}"`).join(", ");
  throw new Error(`There is no conversation "${given}"; offered: ${names || "none"}.`);
}
