// Elements that offer a choice.
import { isDeepStrictEqual } from "node:util";
import { actionId } from "./buttons.js";
import {
  choiceOption,
  confirm,
  conversationFilter,
  menuOption,
  optionGroup,
  overflowOption,
  plainText,
} from "./composition.js";
import { fieldOf, itemsOf } from "./json.js";
import { flag, integer, list, optional, type Shape, type ShapeRule, string } from "./rules.js";
import { exactlyOneOf } from "./shape-rules.js";

const choosing = {
  action_id: optional(actionId),
  confirm: optional(confirm),
  focus_on_load: optional(flag),
};
const menu = { ...choosing, placeholder: optional(plainText(150)) };
const multiMenu = { ...menu, max_selected_items: optional(integer()) };

const choices = { options: list(choiceOption, { max: 10 }) };
const staticOptions = {
  options: optional(list(menuOption, { max: 100 })),
  option_groups: optional(list(optionGroup, { max: 100 })),
};
const conversations = { default_to_current_conversation: optional(flag), filter: optional(conversationFilter) };
const ids = optional(list(string()));
const minQueryLength = { min_query_length: optional(integer({ min: 0 })) };
const responseUrl = { response_url_enabled: optional(flag) };

/** What is chosen at first must be offered; an empty list is not, though it chooses nothing. */
const initialIsOffered: ShapeRule = (object, place) => {
  const groups = itemsOf(object.option_groups).flatMap((group) => itemsOf(fieldOf(group, "options")));
  const offered = [...itemsOf(object.options), ...groups];
  const isOffered = (option: unknown): boolean => offered.some((other) => isDeepStrictEqual(option, other));
  for (const name of ["initial_option", "initial_options"]) {
    const initial = object[name];
    if (initial === undefined) continue;
    const isRight = Array.isArray(initial) ? initial.length > 0 && initial.every(isOffered) : isOffered(initial);
    if (!isRight) place.at(name).fault("must be one of the provided options");
  }
};

const anyNumberOf = { min: 0 };
const offersStatic = [exactlyOneOf("options", "option_groups"), initialIsOffered];

export const overflow: Shape = {
  fields: {
    options: list(overflowOption, { max: 5 }),
    action_id: optional(actionId),
    confirm: optional(confirm),
  },
};

export const checkboxes: Shape = {
  fields: { ...choosing, ...choices, initial_options: optional(list(choiceOption, anyNumberOf)) },
  also: [initialIsOffered],
};

export const radioButtons: Shape = {
  fields: { ...choosing, ...choices, initial_option: optional(choiceOption) },
  also: [initialIsOffered],
};

export const selects = {
  static_select: {
    fields: { ...menu, ...staticOptions, initial_option: optional(menuOption) },
    also: offersStatic,
  },
  external_select: { fields: { ...menu, ...minQueryLength, initial_option: optional(menuOption) } },
  users_select: { fields: { ...menu, initial_user: optional(string()) } },
  conversations_select: {
    fields: { ...menu, ...conversations, ...responseUrl, initial_conversation: optional(string()) },
  },
  channels_select: { fields: { ...menu, ...responseUrl, initial_channel: optional(string()) } },

  multi_static_select: {
    fields: { ...multiMenu, ...staticOptions, initial_options: optional(list(menuOption, anyNumberOf)) },
    also: offersStatic,
  },
  multi_external_select: { fields: { ...multiMenu, ...minQueryLength, initial_options: optional(list(menuOption)) } },
  multi_users_select: { fields: { ...multiMenu, initial_users: ids } },
  multi_conversations_select: { fields: { ...multiMenu, ...conversations, initial_conversations: ids } },
  multi_channels_select: { fields: { ...multiMenu, initial_channels: ids } },
} satisfies Record<string, Shape>;
