import { fieldOf, isObject, itemsOf, type JsonObject } from "../json.js";
import { actionElements, anyText, inputElements, mrkdwnShape, plainText, plainTextShape } from "./elements.js";
import { blockId, richText } from "./rich-text.js";
import {
  anything,
  checkUnique,
  eitherOf,
  type Fields,
  flag,
  integer,
  list,
  object,
  oneOf,
  optional,
  Position,
  type Shape,
  type ShapeRule,
  type Surface,
  string,
  uniqueIn,
  word,
} from "./rules.js";
import { dataTable, dataVisualization } from "./tables-and-charts.js";

/** Slack's word for refused blocks. */
export type BlocksError = "invalid_blocks" | "invalid_blocks_format" | "invalid_arguments";

/** Slack's answer to blocks that it refuses. */
export interface BlocksRefusal {
  ok: false;
  /**
   * For a message: `invalid_blocks_format` if the blocks are not a list of objects, `invalid_blocks` if one of them is
   * wrong. For a view it is always `invalid_arguments`.
   */
  error: BlocksError;
  /** What is wrong, and where: `must be less than 151 characters [json-pointer:/blocks/0/text/text]`. */
  errors: string[];
  /** The same, each with the prefix `[ERROR]`. */
  response_metadata: { messages: string[] };
}

/** Slack's answer to blocks. */
export type BlocksAnswer = { ok: true } | BlocksRefusal;

/** The blocks that are modelled: those that the bot sends. Every other type is refused by name. */
const blocks: Readonly<Record<string, Shape>> = {
  actions: {
    fields: { block_id: blockId, elements: list(oneOf(actionElements), { max: 25 }) },
    also: [uniqueIn("elements", "action_id")],
  },
  context: {
    fields: {
      block_id: blockId,
      elements: list(oneOf({ plain_text: plainTextShape(3000), mrkdwn: mrkdwnShape(3000) }), { max: 10 }),
    },
  },
  data_table: dataTable,
  data_visualization: dataVisualization,
  divider: { fields: { block_id: blockId } },
  header: { fields: { block_id: blockId, text: plainText(150), level: optional(integer({ max: 4 })) } },
  input: {
    fields: {
      block_id: blockId,
      label: plainText(2000),
      element: oneOf(inputElements),
      hint: optional(plainText(2000)),
      optional: optional(flag),
    },
  },
  rich_text: richText,
  section: {
    fields: {
      block_id: blockId,
      text: optional(anyText(3000)),
      fields: optional(list(anyText(2000), { max: 10 })),
      expand: optional(flag),
    },
    also: [eitherOf("text", "fields")],
  },
};

const block = oneOf(blocks);
const blocksOf: Readonly<Record<Surface, ReturnType<typeof list>>> = {
  message: list(block, { min: 0, max: 50 }),
  modal: list(block, { min: 0, max: 100 }),
  home: list(block, { min: 0, max: 100 }),
};

const MOST_TABLES = 1;
const MOST_CHARTS = 2;

/** The rules about all blocks of a message or a view together. */
function checkTogether(given: readonly unknown[], position: Position): void {
  const placed = given.map((block, index) => ({ block, position: position.at(index) }));
  const ofType = (type: string) => placed.filter(({ block }) => fieldOf(block, "type") === type);
  checkUnique(
    placed.map(({ block, position }) => ({ value: fieldOf(block, "block_id"), position: position.at("block_id") })),
    "block_id",
  );
  for (const { position } of ofType("data_table").slice(MOST_TABLES)) position.fault("only_one_table_allowed");
  for (const { position } of ofType("data_visualization").slice(MOST_CHARTS)) {
    position.fault(`no more than ${MOST_CHARTS} data_visualization blocks allowed`);
  }
  const elements = placed.flatMap(({ block, position }) => [
    { element: fieldOf(block, "element"), position: position.at("element") },
    ...itemsOf(fieldOf(block, "elements")).map((element, index) => ({
      element,
      position: position.at("elements", index),
    })),
  ]);
  const focused = elements.filter(({ element }) => fieldOf(element, "focus_on_load") === true);
  for (const { position } of focused.slice(1)) {
    position.at("focus_on_load").fault("only one element may have the focus");
  }
}

/**
 * Slack's answer to these blocks.
 *
 * If Slack adds that a value "failed to match all allowed schemas", only the cause is given. If Slack's message is not
 * known, the message is ours.
 *
 * @example checkBlocks([{ type: "divider" }], "message") // { ok: true }
 */
export function checkBlocks(blocks: unknown, surface: Surface): BlocksAnswer {
  const isMessage = surface === "message";
  const faults: string[] = [];
  const position = new Position(surface, isMessage ? "/blocks" : "/view/blocks", faults);

  blocksOf[surface](blocks, position);
  const isFormat = Array.isArray(blocks) && blocks.every(isObject);
  if (isFormat) checkTogether(blocks, position);
  return answerOf(faults, !isMessage ? "invalid_arguments" : isFormat ? "invalid_blocks" : "invalid_blocks_format");
}

const viewFields: Fields = {
  // checkBlocks checks them.
  blocks: anything,
  private_metadata: optional(string({ min: 0, max: 3000 })),
  callback_id: optional(string({ min: 0, max: 255 })),
};

const submitOfInputs: ShapeRule = (view, position) => {
  const hasInput = itemsOf(view.blocks).some((block) => fieldOf(block, "type") === "input");
  if (hasInput && view.submit === undefined) {
    position.fault("missing required field: submit, as there is an input block");
  }
};

const views = {
  modal: object({
    fields: {
      ...viewFields,
      type: word("modal"),
      title: plainText(24),
      submit: optional(plainText(24)),
      close: optional(plainText(24)),
      clear_on_close: optional(flag),
      notify_on_close: optional(flag),
    },
    also: [submitOfInputs],
  }),
  home: object({ fields: { ...viewFields, type: word("home") } }),
};

/**
 * Slack's answer to this view.
 *
 * @example checkView({ type: "home", blocks: [] }, "home") // { ok: true }
 */
export function checkView(view: unknown, surface: "modal" | "home"): BlocksAnswer {
  const faults: string[] = [];
  views[surface](isObject(view) ? withoutNulls(view) : view, new Position(surface, "/view", faults));
  const blocks = checkBlocks(fieldOf(view, "blocks"), surface);
  if (!blocks.ok && fieldOf(view, "blocks") !== undefined) faults.push(...blocks.errors);
  return answerOf(faults, "invalid_arguments");
}

/** In a view, Slack takes null for a missing field. */
function withoutNulls(view: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(view).filter(([, value]) => value !== null));
}

function answerOf(errors: string[], error: BlocksError): BlocksAnswer {
  if (errors.length === 0) return { ok: true };
  return { ok: false, error, errors, response_metadata: { messages: errors.map((fault) => `[ERROR] ${fault}`) } };
}
