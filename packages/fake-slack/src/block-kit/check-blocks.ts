import { blocks as shapes } from "./blocks.js";
import { isObject } from "./json.js";
import { Place, type Surface } from "./place.js";
import { list, oneOf } from "./rules.js";
import { checkWhole } from "./whole-rules.js";

/** What Slack calls it when it refuses blocks. */
export type BlocksError = "invalid_blocks" | "invalid_blocks_format" | "invalid_arguments";

/** Slack's answer to blocks that it refuses. */
export interface BlocksRefusal {
  ok: false;
  /**
   * Of a message: `invalid_blocks_format` where the blocks are no list of objects, `invalid_blocks` where one of them is
   * wrong. Of a view it is `invalid_arguments` either way.
   */
  error: BlocksError;
  /** What is wrong, and where: `must be less than 151 characters [json-pointer:/blocks/0/text/text]`. */
  errors: string[];
  /** The same once more, each with `[ERROR]` before it. */
  response_metadata: { messages: string[] };
}

/** What Slack answers to blocks. */
export type BlocksAnswer = { ok: true } | BlocksRefusal;

const block = oneOf(shapes);
const blocksOf = {
  message: list(block, { min: 0, max: 50 }),
  modal: list(block, { min: 0, max: 100 }),
  home: list(block, { min: 0, max: 100 }),
};

/**
 * Whether Slack would take these blocks, and if not, what it would answer.
 *
 * Where Slack adds that a value "failed to match all allowed schemas", only what it says of the cause is given. Where it
 * is not known what Slack says, the words are ours.
 *
 * @example checkBlocks([{ type: "divider" }], "message") // { ok: true }
 */
export function checkBlocks(blocks: unknown, surface: Surface): BlocksAnswer {
  const isMessage = surface === "message";
  const faults: string[] = [];
  const place = new Place(surface, isMessage ? "/blocks" : "/view/blocks", faults);

  blocksOf[surface](blocks, place);
  const isFormat = Array.isArray(blocks) && blocks.every(isObject);
  if (isFormat) checkWhole(blocks, place);

  if (faults.length === 0) return { ok: true };
  return {
    ok: false,
    error: !isMessage ? "invalid_arguments" : isFormat ? "invalid_blocks" : "invalid_blocks_format",
    errors: faults,
    response_metadata: { messages: faults.map((fault) => `[ERROR] ${fault}`) },
  };
}
