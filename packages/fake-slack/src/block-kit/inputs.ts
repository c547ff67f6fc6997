// Elements into which something is entered.
import { actionId } from "./buttons.js";
import { confirm, dispatchActionConfig, plainText } from "./composition.js";
import { richText } from "./rich-text.js";
import { flag, integer, list, oneOf, optional, type Shape, string, stringLike } from "./rules.js";
import { inOrder } from "./shape-rules.js";

const focus = { focus_on_load: optional(flag) };
const placeholder = { placeholder: optional(plainText(150)) };
const picker = { action_id: optional(actionId), confirm: optional(confirm), ...focus };
const input = {
  action_id: optional(actionId),
  dispatch_action_config: optional(dispatchActionConfig),
  ...focus,
  ...placeholder,
};

const date = stringLike(isDate, "must be a date in the format YYYY-MM-DD");
const time = stringLike((text) => /^([01]\d|2[0-3]):[0-5]\d$/.test(text), "must be a time in the format HH:mm");
const decimal = optional(stringLike((text) => /^-?\d+(\.\d+)?$/.test(text), "must be a number"));
const initialText = { initial_value: optional(string({ min: 0, max: 3000 })) };
const lines = optional(integer({ max: 100 }));

export const datepicker: Shape = { fields: { ...picker, ...placeholder, initial_date: optional(date) } };

export const timepicker: Shape = {
  fields: { ...picker, ...placeholder, initial_time: optional(time), timezone: optional(string()) },
};

export const datetimepicker: Shape = {
  on: ["message", "modal"],
  // A time of ten digits.
  fields: { ...picker, initial_date_time: optional(integer({ min: 1_000_000_000, max: 9_999_999_999 })) },
};

export const textInputs = {
  plain_text_input: {
    fields: {
      ...input,
      ...initialText,
      multiline: optional(flag),
      min_length: optional(integer({ min: 0, max: 3000 })),
      max_length: optional(integer({ max: 3000 })),
    },
    also: [inOrder("min_length", "max_length")],
  },
  number_input: {
    on: ["modal"],
    fields: {
      ...input,
      is_decimal_allowed: flag,
      initial_value: decimal,
      min_value: decimal,
      max_value: decimal,
    },
    also: [inOrder("min_value", "max_value")],
  },
  email_text_input: { on: ["modal"], fields: { ...input, ...initialText } },
  url_text_input: { on: ["modal"], fields: { ...input, ...initialText } },
  rich_text_input: {
    on: ["modal", "home"],
    fields: {
      ...input,
      action_id: actionId,
      initial_value: optional(oneOf({ rich_text: richText })),
      min_lines: lines,
      max_lines: lines,
    },
  },
} satisfies Record<string, Shape>;

export const fileInput: Shape = {
  on: ["modal"],
  fields: {
    action_id: optional(actionId),
    filetypes: optional(list(string())),
    max_files: optional(integer({ max: 10 })),
  },
};

function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const parsed = new Date(`${text}T00:00:00Z`);
  // A day that the month does not have is read as one of the next month, or not at all.
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(text);
}
