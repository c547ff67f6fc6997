import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { fieldOf, isObject, itemsOf, textIn } from "../json.js";

/** Records the fault of an object, at a path inside it. */
type Fault = (message: string, ...path: PropertyKey[]) => void;

/**
 * A text of `min` to `max` characters. Slack does not document how it counts an emoji. UTF-16 units are the largest
 * count in question: a text that fits by them fits by any other.
 */
const text = (max = Number.POSITIVE_INFINITY, min = 1) =>
  z
    .string()
    .refine(({ length }) => length >= min, { error: `must be more than ${min - 1} characters`, abort: true })
    .refine(({ length }) => length <= max, { error: `must be less than ${max + 1} characters`, abort: true });

/** An optional boolean. */
const flag = z.boolean().optional();

/** A URL, up to Slack's limit. */
const url = text(3000).refine((given) => URL.canParse(given), "invalid url");

/** An optional `block_id` or `action_id`. */
const id = text(255).optional();

/** A list of 1 to `max` items. */
const list = <Item extends z.ZodType>(item: Item, max: number) => z.array(item).min(1).max(max);

/** An object with this `type`, without any other fields. */
const typed = <Type extends string, Fields extends z.ZodRawShape>(type: Type, fields: Fields) =>
  z.strictObject({ type: z.literal(type), ...fields });

/** A rule about several fields of one object; runs only if each field is valid. */
function also<T>(rule: (object: T, fault: Fault) => void): z.core.CheckFn<T> {
  return ({ value, issues }) => {
    if (issues.length > 0) return;
    rule(value, (message, ...path) => issues.push({ code: "custom", message, path, input: value, continue: true }));
  };
}

/** No two items of a list may have the same text in a field. */
function uniqueIn(listName: string, name: string) {
  return also<object>((object, fault) => {
    const values = itemsOf(fieldOf(object, listName)).map((item) => fieldOf(item, name));
    refuseRepeated(values, name, (message, index) => fault(message, listName, index, name));
  });
}

/** Records each text that equals an earlier one, with its index. */
function refuseRepeated(
  values: readonly unknown[],
  name: string,
  fault: (message: string, index: number) => void,
): void {
  for (const [index, value] of values.entries()) {
    if (typeof value !== "string" || values.indexOf(value) === index) continue;
    fault(`\`${name}\` "${value}" already exists`, index);
  }
}

/** A fault as Slack reports it. */
export function faultAt(message: string, pointer: string, path: readonly PropertyKey[]): string {
  return `${message} [json-pointer:${[pointer, ...path].join("/")}]`;
}

/** The faults of a value at a JSON pointer. */
function faultsOf(schema: z.ZodType, value: unknown, pointer: string): string[] {
  const { error } = schema.safeParse(value, { reportInput: true });
  return (error?.issues ?? []).flatMap((issue) => {
    const { path, input } = issue;
    const name = path.at(-1);
    // An unknown type is reported with the whole object as its input.
    const given = issue.code === "invalid_union" ? fieldOf(input, "type") : input;
    if (given === undefined && name !== undefined && issue.code !== "custom") {
      return [faultAt(`missing required field: ${String(name)}`, pointer, path.slice(0, -1))];
    }
    return messagesOf(issue, given).map((message) => faultAt(message, pointer, path));
  });
}

function messagesOf(issue: z.core.$ZodIssue, given: unknown): string[] {
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys.map((key) => `invalid additional property: ${key}`);
    case "invalid_type": {
      const expected = issue.expected === "int" ? "integer" : issue.expected;
      return [`must provide ${/^[aeiou]/.test(expected) ? "an" : "a"} ${expected}`];
    }
    case "invalid_value":
      return [typeof given === "string" ? "must be a valid enum value" : "must provide a string"];
    case "invalid_union":
      return [typeof given === "string" ? unmodelled(given) : "must provide a string"];
    case "too_small":
      if (issue.origin === "array") return [`no less than ${issue.minimum} items allowed`];
      return [`must be greater than ${issue.inclusive ? Number(issue.minimum) - 1 : issue.minimum}`];
    case "too_big":
      if (issue.origin === "array") return [`no more than ${issue.maximum} items allowed`];
      return [`must be less than ${Number(issue.maximum) + 1}`];
    default:
      return [issue.message];
  }
}

/** The message for a type that is unknown in some position. */
function unmodelled(type: string): string {
  return `unsupported type: ${type}, or fake-slack does not model it here`;
}

const plain = (max: number) => typed("plain_text", { text: text(max), emoji: flag });
const mrkdwn = (max: number) => typed("mrkdwn", { text: text(max), verbatim: flag });

/** A text object without formatting. */
const plainText = (max: number) => z.discriminatedUnion("type", [plain(max)]);

/** A text object, formatted or not. */
const anyText = (max: number) => z.discriminatedUnion("type", [plain(max), mrkdwn(max)]);

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
const choosing = { action_id: id, confirm };
const typing = { action_id: id, placeholder };

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

/** The least number may not exceed the largest. */
const inOrder = also<{ min_value?: string | undefined; max_value?: string | undefined }>((element, fault) => {
  const { min_value: least, max_value: most } = element;
  if (least === undefined || most === undefined || Number(least) <= Number(most)) return;
  fault("`min_value` cannot be greater than `max_value`");
});

const button = typed("button", {
  text: plainText(75),
  action_id: id,
  url: url.optional(),
  value: text(2000).optional(),
  style,
  confirm,
});

const conversationFilter = z.strictObject({
  include: z.array(z.enum(["im", "mpim", "private", "public"])).min(1),
});

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
  typed("datetimepicker", {
    ...choosing,
    // A timestamp of ten digits.
    initial_date_time: z.int().min(1_000_000_000).max(9_999_999_999).optional(),
  }),
] as const;

/** The elements of an `actions` block. */
const actionElement = z.discriminatedUnion("type", [
  button,
  ...choices,
  typed("conversations_select", conversationsSelect),
]);

/** The elements of an `input` block. */
const inputElement = z.discriminatedUnion("type", [
  ...choices,
  typed("conversations_select", { ...conversationsSelect, response_url_enabled: flag }),
  typed("plain_text_input", {
    ...typing,
    initial_value: text(3000, 0).optional(),
    multiline: flag,
    max_length: z.int().min(1).max(3000).optional(),
  }),
  typed("number_input", {
    ...typing,
    is_decimal_allowed: z.boolean(),
    initial_value: decimal,
    min_value: decimal,
    max_value: decimal,
  }).check(inOrder),
]);

const textStyle = z.strictObject({ bold: flag, italic: flag, strike: flag, code: flag, underline: flag }).optional();

const words = typed("text", { text: text(), style: textStyle });
const link = typed("link", { url, text: text().optional(), unsafe: flag, style: textStyle });
const piece = z.discriminatedUnion("type", [
  words,
  link,
  typed("date", {
    timestamp: z.int().min(0),
    format: text(),
    timezone: text().optional(),
    url: url.optional(),
    fallback: text().optional(),
    style: textStyle,
  }),
]);

const section = typed("rich_text_section", { elements: z.array(piece) });

/** A rich text, as a block or as the cell of a table. */
const richText = typed("rich_text", {
  block_id: id,
  elements: z.array(
    z.discriminatedUnion("type", [
      section,
      typed("rich_text_list", {
        elements: z.array(z.discriminatedUnion("type", [section])).min(1),
        style: z.enum(["bullet", "ordered"]),
        indent: z.int().min(0).max(8).optional(),
      }),
      typed("rich_text_preformatted", { elements: z.array(z.discriminatedUnion("type", [words, link])) }),
    ]),
  ),
});

/** The fields of a piece that Slack may show; if it may show several, the longest is counted. */
const SHOWN = new Map<unknown, readonly string[]>(
  Object.entries({
    text: ["text"],
    link: ["text", "url"],
    date: ["fallback", "format"],
  }),
);

/** The number of visible characters in a rich text. */
export function visibleLength(richText: unknown): number {
  let length = 0;
  for (const part of itemsOf(fieldOf(richText, "elements"))) {
    const names = SHOWN.get(fieldOf(part, "type"));
    length += names ? Math.max(...names.map((name) => textIn(fieldOf(part, name)).length)) : visibleLength(part);
  }
  return length;
}

// Some of Slack's pages list twice these limits, and home tabs as a surface for tables; these values satisfy every
// page.
const TABLE_ROWS = 101;
const TABLE_CHARACTERS = 10_000;
const CHART_PARTS = 6;
const CHART_POINTS = 20;

const cell = z.discriminatedUnion("type", [
  typed("raw_text", { text: text() }),
  typed("raw_number", { value: z.number(), text: text() }),
  richText.check(
    also((rich, fault) => {
      if (visibleLength(rich) === 0) fault("must be more than 0 characters");
    }),
  ),
]);

/** A table in a message. */
const dataTable = typed("data_table", {
  block_id: id,
  caption: text(),
  rows: z.array(list(cell, 20)).min(2).max(TABLE_ROWS),
  page_size: z.int().min(1).max(100).optional(),
}).check(
  also(({ rows }, fault) => {
    const [header = [], ...others] = rows;
    for (const [at, { type }] of header.entries()) {
      if (type === "rich_text") fault(unmodelled(type), "rows", 0, at, "type");
    }
    for (const [at, { length }] of others.entries()) {
      if (length !== header.length) fault(`must have ${header.length} cells, as the first row has`, "rows", at + 1);
    }
  }),
  // Slack's limit applies to all cells together. How it counts rich text is undocumented: every visible character
  // counts.
  also(({ rows }, fault) => {
    const lengths = rows.flat().map((cell) => ("text" in cell ? cell.text.length : visibleLength(cell)));
    const characters = lengths.reduce((sum, length) => sum + length, 0);
    if (characters > TABLE_CHARACTERS) fault(`must be less than ${TABLE_CHARACTERS + 1} characters`, "rows");
  }),
);

const label = text(20);
const points = list(z.strictObject({ label, value: z.number() }), CHART_POINTS);

const series = {
  series: list(z.strictObject({ name: label, data: points }).check(uniqueIn("data", "label")), CHART_PARTS),
  axis_config: z
    .strictObject({
      categories: list(label, CHART_POINTS),
      x_label: text(50).optional(),
      y_label: text(50).optional(),
    })
    .check(
      also(({ categories }, fault) =>
        refuseRepeated(categories, "category", (message, index) => fault(message, "categories", index)),
      ),
    ),
};

/** Each series has one point for each category, in any order. */
const noGaps = also<z.infer<z.ZodObject<typeof series>>>(({ series, axis_config: { categories } }, fault) => {
  for (const [index, { data }] of series.entries()) {
    const labels = data.map((point) => point.label);
    const unknown = labels.findIndex((label) => !categories.includes(label));
    const missing = categories.find((category) => !labels.includes(category));
    const path = ["series", index, "data"];
    if (unknown >= 0) fault("must be one of the provided categories", ...path, unknown, "label");
    else if (missing !== undefined) fault(`missing data point: ${missing}`, ...path);
  }
});

const withAxes = <Type extends string>(type: Type) => typed(type, series).check(uniqueIn("series", "name"), noGaps);

/** A chart in a message. */
const dataVisualization = typed("data_visualization", {
  block_id: id,
  title: text(50),
  chart: z.discriminatedUnion("type", [withAxes("line"), withAxes("bar")]),
});

/** Where blocks are shown. */
export type Surface = "message" | "modal" | "home";

/** Slack's response to blocks. */
export type BlocksAnswer =
  | { ok: true }
  | {
      ok: false;
      /**
       * For a message: `invalid_blocks_format` if the blocks are not a list of objects, `invalid_blocks` if one of them
       * is wrong. For a view it is always `invalid_arguments`.
       */
      error: "invalid_blocks" | "invalid_blocks_format" | "invalid_arguments";
      /** The fault and its position: `must be less than 151 characters [json-pointer:/blocks/0/text/text]`. */
      errors: string[];
      /** The same, each with the prefix `[ERROR]`. */
      response_metadata: { messages: string[] };
    };

/** The supported blocks: those that the bot sends. Every other type is refused by name. */
const block = z.discriminatedUnion("type", [
  typed("actions", { block_id: id, elements: list(actionElement, 25) }).check(uniqueIn("elements", "action_id")),
  typed("context", { block_id: id, elements: list(anyText(3000), 10) }),
  dataTable,
  dataVisualization,
  typed("divider", { block_id: id }),
  typed("header", { block_id: id, text: plainText(150) }),
  typed("input", {
    block_id: id,
    label: plainText(2000),
    element: inputElement,
    hint: plainText(2000).optional(),
    optional: flag,
  }),
  richText,
  typed("section", {
    block_id: id,
    text: anyText(3000).optional(),
    fields: list(anyText(2000), 10).optional(),
    expand: flag,
  }).check(
    also(({ text, fields }, fault) => {
      if (text === undefined && fields === undefined) fault("must define either `text` or `fields`");
    }),
  ),
]);

const messageBlocks = z.array(block).max(50);
const viewBlocks = z.array(block).max(100);

/** The surfaces of blocks and elements that are not shown everywhere. */
const SURFACES = new Map<unknown, readonly Surface[]>([
  ["data_table", ["message"]],
  ["data_visualization", ["message"]],
  ["datetimepicker", ["message", "modal"]],
  ["number_input", ["modal"]],
]);

const MOST_TABLES = 1;
const MOST_CHARTS = 2;

/** The faults of the blocks of a message or a view as a whole. */
function faultsTogether(blocks: unknown, surface: Surface, pointer: string): string[] {
  const faults: string[] = [];
  const fault = (message: string, ...path: (string | number)[]) => faults.push(faultAt(message, pointer, path));
  const placed = itemsOf(blocks).map((item, index) => ({ item, path: [index] }));
  const ofType = (type: string) => placed.filter(({ item }) => fieldOf(item, "type") === type);
  const ids = placed.map(({ item }) => fieldOf(item, "block_id"));
  refuseRepeated(ids, "block_id", (message, index) => fault(message, index, "block_id"));
  for (const { path } of ofType("data_table").slice(MOST_TABLES)) fault("only_one_table_allowed", ...path);
  for (const { path } of ofType("data_visualization").slice(MOST_CHARTS)) {
    fault(`no more than ${MOST_CHARTS} data_visualization blocks allowed`, ...path);
  }
  const elements = placed.flatMap(({ item, path }) => [
    { item: fieldOf(item, "element"), path: [...path, "element"] },
    ...itemsOf(fieldOf(item, "elements")).map((element, at) => ({ item: element, path: [...path, "elements", at] })),
  ]);
  for (const { item, path } of [...placed, ...elements]) {
    const type = fieldOf(item, "type");
    if (SURFACES.get(type)?.includes(surface) === false) fault(`unsupported type: ${String(type)}`, ...path, "type");
  }
  return faults;
}

/**
 * Slack's response to these blocks.
 *
 * If Slack adds that a value "failed to match all allowed schemas", only the cause is returned. If Slack's message is
 * not known, the message is ours.
 *
 * @example checkBlocks([{ type: "divider" }], "message") // { ok: true }
 */
export function checkBlocks(blocks: unknown, surface: Surface): BlocksAnswer {
  const isMessage = surface === "message";
  const pointer = isMessage ? "/blocks" : "/view/blocks";
  const faults = faultsOf(isMessage ? messageBlocks : viewBlocks, blocks, pointer);
  const isFormat = Array.isArray(blocks) && blocks.every(isObject);
  if (isFormat) faults.push(...faultsTogether(blocks, surface, pointer));
  if (!isMessage) return answerOf(faults, "invalid_arguments");
  return answerOf(faults, isFormat ? "invalid_blocks" : "invalid_blocks_format");
}

const viewFields = {
  private_metadata: text(3000, 0).optional(),
  callback_id: text(255, 0).optional(),
  blocks: viewBlocks,
};

const views = {
  modal: z
    .strictObject({
      type: z.literal("modal"),
      title: plainText(24),
      submit: plainText(24).optional(),
      close: plainText(24).optional(),
      clear_on_close: flag,
      notify_on_close: flag,
      ...viewFields,
    })
    .check(
      also(({ blocks, submit }, fault) => {
        if (submit === undefined && blocks.some(({ type }) => type === "input")) {
          fault("missing required field: submit, as there is an input block");
        }
      }),
    ),
  home: z.strictObject({ type: z.literal("home"), ...viewFields }),
};

/**
 * Slack's response to this view.
 *
 * @example checkView({ type: "home", blocks: [] }, "home") // { ok: true }
 */
export function checkView(view: unknown, surface: "modal" | "home"): BlocksAnswer {
  // In a view, Slack treats null as a missing field.
  const given = isObject(view) ? Object.fromEntries(Object.entries(view).filter(([, value]) => value !== null)) : view;
  const together = faultsTogether(fieldOf(given, "blocks"), surface, "/view/blocks");
  return answerOf([...faultsOf(views[surface], given, "/view"), ...together], "invalid_arguments");
}

/** Slack's response to these faults. */
export function answerOf(errors: string[], error: Extract<BlocksAnswer, { ok: false }>["error"]): BlocksAnswer {
  if (errors.length === 0) return { ok: true };
  return { ok: false, error, errors, response_metadata: { messages: errors.map((fault) => `[ERROR] ${fault}`) } };
}
