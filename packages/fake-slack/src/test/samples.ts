import type { InputBlockElement, KnownBlock, MrkdwnElement, PlainTextElement, RichTextElement } from "@slack/types";
import { expect, it } from "vitest";
import { checkBlocks, type Surface } from "../block-kit/check.js";

// Valid blocks and elements, each in its smallest and largest form.

export const letters = (count: number): string => "x".repeat(count);
export const plain = (count: number): PlainTextElement => ({ type: "plain_text", text: letters(count), emoji: true });
export const mrkdwn = (count: number): MrkdwnElement => ({ type: "mrkdwn", text: letters(count), verbatim: true });
export const link = (count: number): string => `https://media.example/${letters(count - 22)}`;
export const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

interface Pair<T> {
  minimal: T;
  maximal: T;
}

const block_id = letters(255);
const action_id = letters(255);
const placeholder = plain(150);
const confirm = {
  title: plain(100),
  text: mrkdwn(300),
  confirm: plain(30),
  deny: plain(30),
  style: "danger",
} as const;
const choosing = { action_id, confirm };
const typing = { action_id, placeholder };

export const option = { text: plain(1), value: "v" };
const menuOption = (index: number) => ({
  text: plain(75),
  value: String(index).padStart(150, "0"),
  description: plain(75),
});
const choiceOption = (index: number) => ({ text: mrkdwn(75), value: String(index), description: plain(75) });

export const button = (action_id: string) => ({ type: "button" as const, text: plain(1), action_id });

type ModelledInput =
  | "checkboxes"
  | "conversations_select"
  | "datetimepicker"
  | "number_input"
  | "plain_text_input"
  | "radio_buttons"
  | "static_select";

/** Fails to compile if @slack/types has another name for one of these fields. */
export const elements = {
  button: {
    minimal: { type: "button", text: plain(1) },
    maximal: {
      ...{ type: "button", text: plain(75), action_id, url: link(3000), value: letters(2000), style: "primary" },
      ...{ confirm },
    },
  },
  checkboxes: {
    minimal: { type: "checkboxes", options: [option] },
    maximal: {
      ...{ type: "checkboxes", ...choosing },
      ...{ options: times(10, choiceOption), initial_options: times(2, choiceOption) },
    },
  },
  conversations_select: {
    minimal: { type: "conversations_select" },
    maximal: {
      ...{ type: "conversations_select", ...choosing, placeholder },
      ...{ initial_conversation: "C1", default_to_current_conversation: true },
      filter: { include: ["im", "mpim", "private", "public"] },
    },
  },
  datetimepicker: {
    minimal: { type: "datetimepicker" },
    maximal: { type: "datetimepicker", ...choosing, initial_date_time: 9_999_999_999 },
  },
  number_input: {
    minimal: { type: "number_input", is_decimal_allowed: false },
    maximal: {
      ...{ type: "number_input", ...typing, is_decimal_allowed: true },
      ...{ initial_value: "0.25", min_value: "-10", max_value: "5.5" },
    },
  },
  plain_text_input: {
    minimal: { type: "plain_text_input" },
    maximal: {
      ...{ type: "plain_text_input", ...typing, initial_value: letters(3000), multiline: true },
      max_length: 3000,
    },
  },
  radio_buttons: {
    minimal: { type: "radio_buttons", options: [option] },
    maximal: {
      ...{ type: "radio_buttons", ...choosing },
      ...{ options: times(10, choiceOption), initial_option: choiceOption(9) },
    },
  },
  static_select: {
    minimal: { type: "static_select", options: [option] },
    maximal: {
      ...{ type: "static_select", ...choosing, placeholder },
      ...{ options: times(100, menuOption), initial_option: menuOption(99) },
    },
  },
} satisfies { [Type in ModelledInput]: Pair<Extract<InputBlockElement, { type: Type }>> } & { button: Pair<object> };

const style = { bold: true, italic: true, strike: true, code: true, underline: true };

const pieces: RichTextElement[] = [
  { type: "text", text: "x", style },
  { type: "link", url: link(30), text: "x", unsafe: false, style },
  { type: "date", timestamp: 1_720_710_212, format: "{time}", url: link(30), fallback: "14:03", style },
];

export const cell = (count: number) => ({ type: "raw_text" as const, text: letters(count) });
export const numberCell = { type: "raw_number" as const, value: -1.5, text: "−1.5" };
export const richCell = (...elements: RichTextElement[]) => ({
  type: "rich_text" as const,
  elements: [{ type: "rich_text_section" as const, elements }],
});

/** The maximum rows and columns of a table, with 10,000 characters. */
const fullRows = times(101, (row) =>
  times(20, (column) => {
    if (row === 1 && column === 0) return cell(10_000 - (101 * 20 - 1) * 4);
    return row === 100 && column === 19 ? numberCell : cell(4);
  }),
);

type ModelledBlock = "actions" | "context" | "data_table" | "divider" | "header" | "input" | "rich_text" | "section";

const typedBlocks = {
  actions: {
    minimal: { type: "actions", elements: [button("a")] },
    maximal: { type: "actions", block_id, elements: times(25, (index) => button(String(index))) },
  },
  context: {
    minimal: { type: "context", elements: [mrkdwn(1)] },
    maximal: { type: "context", block_id, elements: [mrkdwn(3000), ...times(9, () => plain(3000))] },
  },
  data_table: {
    minimal: { type: "data_table", caption: "x", rows: [[cell(1)], [cell(1)]] },
    maximal: {
      ...{ type: "data_table", block_id, caption: letters(300), rows: fullRows },
      page_size: 100,
    },
  },
  divider: { minimal: { type: "divider" }, maximal: { type: "divider", block_id } },
  header: {
    minimal: { type: "header", text: plain(1) },
    maximal: { type: "header", block_id, text: plain(150) },
  },
  input: {
    minimal: { type: "input", label: plain(1), element: elements.plain_text_input.minimal },
    maximal: {
      ...{ type: "input", block_id, label: plain(2000), element: elements.plain_text_input.maximal },
      ...{ hint: plain(2000), optional: true },
    },
  },
  rich_text: {
    minimal: { type: "rich_text", elements: [] },
    maximal: {
      type: "rich_text",
      block_id,
      elements: [
        { type: "rich_text_section", elements: pieces },
        {
          ...{ type: "rich_text_list", style: "ordered", indent: 8 },
          elements: [{ type: "rich_text_section", elements: pieces }],
        },
        {
          type: "rich_text_preformatted",
          elements: [
            { type: "text", text: "x" },
            { type: "link", url: link(30) },
          ],
        },
      ],
    },
  },
  section: {
    minimal: { type: "section", text: mrkdwn(1) },
    maximal: { type: "section", block_id, text: mrkdwn(3000), fields: times(10, () => plain(2000)), expand: true },
  },
} satisfies { [Type in ModelledBlock]: Pair<Extract<KnownBlock, { type: Type }>> };

const labels = times(20, (index) => String(index).padStart(20, "0"));
const series = times(6, (index) => ({
  name: String(index).padStart(20, "0"),
  data: labels.map((label, value) => ({ label, value: -value })),
}));
const chart = (type: string) => ({
  ...{ type, series },
  axis_config: { categories: [...labels].reverse(), x_label: letters(50), y_label: letters(50) },
});

export const blocks = {
  ...typedBlocks,
  // @slack/types does not support charts yet.
  data_visualization: {
    minimal: { type: "data_visualization", title: "x", chart: chart("line") },
    maximal: { type: "data_visualization", block_id, title: letters(50), chart: chart("bar") },
  },
};

/** Represents a missing field. */
export const gone = Symbol("gone");

/** A value after one change, at a JSON pointer. */
export function changed(value: unknown, pointer: string, to: unknown): unknown {
  if (pointer === "") return to;
  const [, key = "", ...rest] = pointer.split("/");
  const inner = ["", ...rest].join("/");
  if (Array.isArray(value)) {
    const copy: unknown[] = [...value];
    copy[Number(key)] = changed(copy[Number(key)], inner, to);
    return copy;
  }
  const copy: Record<string, unknown> = { ...(typeof value === "object" ? value : undefined) };
  copy[key] = changed(copy[key], inner, to);
  if (copy[key] === gone) delete copy[key];
  return copy;
}

/** Pointers to everything inside a value; of a long list, only to its first and its last item. */
export function* pointersIn(value: unknown, pointer = ""): Generator<{ pointer: string; value: unknown }> {
  yield { pointer, value };
  const entries = Object.entries(typeof value === "object" && value !== null ? value : {});
  for (const [index, [key, inner]] of entries.entries()) {
    if (!Array.isArray(value) || index === 0 || index === entries.length - 1) {
      yield* pointersIn(inner, `${pointer}/${key}`);
    }
  }
}

// Tests that Slack refuses blocks after a change, with one error.

export const empty = "must be more than 0 characters";
export const noEnum = "must be a valid enum value";
export const noItems = "no less than 1 items allowed";
export const notOffered = "must be one of the provided options";
export const missing = (name: string): string => `missing required field: ${name}`;
export const tooLong = (most: number): string => `must be less than ${most + 1} characters`;
export const tooMany = (most: number): string => `no more than ${most} items allowed`;
export const unknownField = (name: string): string => `invalid additional property: ${name}`;
export const unmodelled = (type: string): string => `unsupported type: ${type}, or fake-slack does not model it here`;

/** A change to a valid block, its one error, and the error's pointer if it differs. */
type Break = [at: string, to: unknown, error: string, errorAt?: string];

/** Tests that a block is accepted, and refused with exactly one error after each of the changes. */
export function testBreaks(name: string, block: object, breaks: readonly Break[], surface: Surface = "message"): void {
  const base = surface === "message" ? "/blocks/0" : "/view/blocks/0";
  it(`refuses every fault in ${name}`, () => {
    expect(checkBlocks([block], surface)).toEqual({ ok: true });
    for (const [at, to, error, errorAt = at] of breaks) {
      expect(checkBlocks([changed(block, at, to)], surface), `${at} ${error}`).toMatchObject({
        errors: [`${error} [json-pointer:${base}${errorAt}]`],
      });
    }
  });
}

/** The same for an element, in an input of a modal. */
export function testInput(name: keyof typeof elements, breaks: readonly Break[]): void {
  const block = { type: "input", label: plain(1), element: elements[name].maximal };
  const within = breaks.map(
    ([at, to, error, errorAt = at]): Break => [`/element${at}`, to, error, `/element${errorAt}`],
  );
  testBreaks(name, block, within, "modal");
}
