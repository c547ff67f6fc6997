// The elements that people press, choose from or fill in, and the text objects that everything is composed of.
import { isDeepStrictEqual } from "node:util";
import { itemsOf } from "../json.js";
import {
  flag,
  inOrder,
  integer,
  list,
  object,
  oneOf,
  optional,
  type Rule,
  type Shape,
  type ShapeRule,
  string,
  stringLike,
  url,
  word,
} from "./rules.js";

export const plainTextShape = (max: number): Shape => ({ fields: { text: string({ max }), emoji: optional(flag) } });
export const mrkdwnShape = (max: number): Shape => ({ fields: { text: string({ max }), verbatim: optional(flag) } });

export const plainText = (max: number): Rule => oneOf({ plain_text: plainTextShape(max) });
export const anyText = (max: number): Rule => oneOf({ plain_text: plainTextShape(max), mrkdwn: mrkdwnShape(max) });

const colorScheme = word("primary", "danger");

const confirm = object({
  fields: {
    title: plainText(100),
    text: anyText(300),
    confirm: plainText(30),
    deny: plainText(30),
    style: optional(colorScheme),
  },
});

const option = (text: (max: number) => Rule): Rule =>
  object({ fields: { text: text(75), value: string({ max: 150 }), description: optional(text(75)) } });

const menuOption = option(plainText);
// Only options with a box or a button before them can be formatted.
const choiceOption = option(anyText);

const focus = { focus_on_load: optional(flag) };
const placeholder = { placeholder: optional(plainText(150)) };
const actionId = optional(string({ max: 255 }));
const choosing = { action_id: actionId, confirm: optional(confirm), ...focus };
const typing = { action_id: actionId, ...focus, ...placeholder };

const decimal = optional(stringLike((text) => /^-?\d+(\.\d+)?$/.test(text), "must be a number"));

/** The initial choice must be among the options; an empty list is refused, though it chooses nothing. */
const initialIsOffered: ShapeRule = (element, position) => {
  const isOffered = (given: unknown): boolean => itemsOf(element.options).some((one) => isDeepStrictEqual(given, one));
  for (const name of ["initial_option", "initial_options"]) {
    const initial = element[name];
    if (initial === undefined) continue;
    const isRight = Array.isArray(initial) ? initial.length > 0 && initial.every(isOffered) : isOffered(initial);
    if (!isRight) position.at(name).fault("must be one of the provided options");
  }
};

const button: Shape = {
  fields: {
    text: plainText(75),
    action_id: actionId,
    url: optional(url),
    value: optional(string({ max: 2000 })),
    style: optional(colorScheme),
    confirm: optional(confirm),
    accessibility_label: optional(string({ max: 75 })),
  },
};

const choices: Readonly<Record<string, Shape>> = {
  checkboxes: {
    fields: {
      ...choosing,
      options: list(choiceOption, { max: 10 }),
      initial_options: optional(list(choiceOption, { min: 0 })),
    },
    also: [initialIsOffered],
  },
  radio_buttons: {
    fields: { ...choosing, options: list(choiceOption, { max: 10 }), initial_option: optional(choiceOption) },
    also: [initialIsOffered],
  },
  static_select: {
    fields: {
      ...choosing,
      ...placeholder,
      options: list(menuOption, { max: 100 }),
      initial_option: optional(menuOption),
    },
    also: [initialIsOffered],
  },
  datetimepicker: {
    on: ["message", "modal"],
    // A time of ten digits.
    fields: { ...choosing, initial_date_time: optional(integer({ min: 1_000_000_000, max: 9_999_999_999 })) },
  },
};

/** The elements of an `actions` block. */
export const actionElements: Readonly<Record<string, Shape>> = { button, ...choices };

/** The elements of an `input` block. */
export const inputElements: Readonly<Record<string, Shape>> = {
  ...choices,
  plain_text_input: {
    fields: {
      ...typing,
      initial_value: optional(string({ min: 0, max: 3000 })),
      multiline: optional(flag),
      min_length: optional(integer({ min: 0, max: 3000 })),
      max_length: optional(integer({ max: 3000 })),
    },
    also: [inOrder("min_length", "max_length")],
  },
  number_input: {
    on: ["modal"],
    fields: { ...typing, is_decimal_allowed: flag, initial_value: decimal, min_value: decimal, max_value: decimal },
    also: [inOrder("min_value", "max_value")],
  },
};
