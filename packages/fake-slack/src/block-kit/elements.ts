// The interactive elements, and the text objects that all blocks use.
import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { fieldOf, itemsOf } from "../json.js";
import { also, flag, id, list, text, typed, url } from "./schema.js";

const plain = (max: number) => typed("plain_text", { text: text(max), emoji: flag });
const mrkdwn = (max: number) => typed("mrkdwn", { text: text(max), verbatim: flag });

/** A text object without formatting. */
export const plainText = (max: number) => z.discriminatedUnion("type", [plain(max)]);

/** A text object, formatted or not. */
export const anyText = (max: number) => z.discriminatedUnion("type", [plain(max), mrkdwn(max)]);

const style = z.enum(["primary", "danger"]).optional();

const confirm = z
  .strictObject({ title: plainText(100), text: anyText(300), confirm: plainText(30), deny: plainText(30), style })
  .optional();

const option = <Text extends z.ZodType>(words: Text) =>
  z.strictObject({ text: words, value: text(150), description: words.optional() });

const menuOption = option(plainText(75));
// Only options with a checkbox or radio button can be formatted.
const choiceOption = option(anyText(75));

const placeholder = plainText(150).optional();
const choosing = { action_id: id, confirm, focus_on_load: flag };
const typing = { action_id: id, focus_on_load: flag, placeholder };

const decimal = z
  .string()
  .regex(/^-?\d+(\.\d+)?$/, "must be a number")
  .optional();

/** The initial choice must be among the options; an empty list is refused, although it chooses nothing. */
const initialIsOffered = also<object>((element, fault) => {
  const options = itemsOf(fieldOf(element, "options"));
  const isOffered = (given: unknown): boolean => options.some((one) => isDeepStrictEqual(given, one));
  for (const name of ["initial_option", "initial_options"]) {
    const initial = fieldOf(element, name);
    if (initial === undefined) continue;
    const isRight = Array.isArray(initial) ? initial.length > 0 && initial.every(isOffered) : isOffered(initial);
    if (!isRight) fault("must be one of the provided options", name);
  }
});

/** One number may not exceed another, whether they are numbers or texts. */
const inOrder = (low: string, high: string) =>
  also<object>((element, fault) => {
    const [least, most] = [fieldOf(element, low), fieldOf(element, high)];
    if (least === undefined || most === undefined || Number(least) <= Number(most)) return;
    fault(`\`${low}\` cannot be greater than \`${high}\``);
  });

const button = typed("button", {
  text: plainText(75),
  action_id: id,
  url: url.optional(),
  value: text(2000).optional(),
  style,
  confirm,
  accessibility_label: text(75).optional(),
});

const conversationFilter = z
  .strictObject({
    include: z
      .array(z.enum(["im", "mpim", "private", "public"]))
      .min(1)
      .optional(),
    exclude_external_shared_channels: flag,
    exclude_bot_users: flag,
  })
  .check(
    also((filter, fault) => {
      if (Object.keys(filter).length === 0) fault("must define at least one field");
    }),
  );

/** A time of day, as Slack writes it. */
export const TIME_OF_DAY = /^([01]\d|2[0-3]):[0-5]\d$/;

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}

const conversationsSelect = {
  ...choosing,
  placeholder,
  initial_conversation: text().optional(),
  default_to_current_conversation: flag,
  filter: conversationFilter.optional(),
};

const choices = [
  typed("checkboxes", {
    ...choosing,
    options: list(choiceOption, 10),
    initial_options: z.array(choiceOption).optional(),
  }).check(initialIsOffered),
  typed("radio_buttons", {
    ...choosing,
    options: list(choiceOption, 10),
    initial_option: choiceOption.optional(),
  }).check(initialIsOffered),
  typed("static_select", {
    ...choosing,
    placeholder,
    options: list(menuOption, 100),
    initial_option: menuOption.optional(),
  }).check(initialIsOffered),
  typed("timepicker", {
    ...choosing,
    placeholder,
    initial_time: z.string().regex(TIME_OF_DAY, "must be a time in the format HH:mm").optional(),
    timezone: z.string().refine(isTimeZone, "invalid timezone").optional(),
  }),
  typed("datetimepicker", {
    ...choosing,
    // A timestamp of ten digits.
    initial_date_time: z.int().min(1_000_000_000).max(9_999_999_999).optional(),
  }),
] as const;

/** The elements of an `actions` block. */
export const actionElement = z.discriminatedUnion("type", [
  button,
  ...choices,
  typed("conversations_select", conversationsSelect),
]);

/** The elements of an `input` block. */
export const inputElement = z.discriminatedUnion("type", [
  ...choices,
  typed("conversations_select", { ...conversationsSelect, response_url_enabled: flag }),
  typed("plain_text_input", {
    ...typing,
    initial_value: text(3000, 0).optional(),
    multiline: flag,
    min_length: z.int().min(0).max(3000).optional(),
    max_length: z.int().min(1).max(3000).optional(),
  }).check(inOrder("min_length", "max_length")),
  typed("number_input", {
    ...typing,
    is_decimal_allowed: z.boolean(),
    initial_value: decimal,
    min_value: decimal,
    max_value: decimal,
  }).check(inOrder("min_value", "max_value")),
]);
