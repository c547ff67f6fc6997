import * as z from "zod";
import { fieldOf, isObject, itemsOf } from "../json.js";
import { dataTable, dataVisualization, richText } from "./content.js";
import { actionElement, anyText, inputElement, plainText } from "./elements.js";
import { also, faultAt, faultsOf, flag, id, list, refuseRepeated, text, typed, uniqueIn } from "./schema.js";

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
  typed("header", { block_id: id, text: plainText(150), level: z.int().min(1).max(4).optional() }),
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
  const focused = elements.filter(({ item }) => fieldOf(item, "focus_on_load") === true);
  for (const { path } of focused.slice(1)) fault("only one element may have the focus", ...path, "focus_on_load");
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
