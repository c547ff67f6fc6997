import { answerOf, type BlocksAnswer, checkBlocks, checkView } from "../block-kit/check.js";
import { faultAt } from "../block-kit/schema.js";
import { Refusal } from "../http.js";
import { fieldOf, isObject, itemsOf, parsed, textIn } from "../json.js";
import type { Json, MessageContent, View, ViewContent } from "../world/model.js";
import type { World } from "../world/world.js";

// Some methods truncate shorter texts, others refuse them; at 40,000 all of them refuse.
const TEXT_CHARACTERS = 40_000;
const VIEW_BYTES = 250_000;

/**
 * The content of a message, from the arguments of `chat.postMessage` or `chat.update`, a `response_url`, or an
 * acknowledgement. Blocks may be passed as JSON.
 *
 * @throws {Refusal} if Slack would refuse it.
 */
export function messageContent(world: World, args: Json): MessageContent {
  const text = textIn(args.text);
  const blocks = blocksOf(world, args.blocks);
  if (text === "" && blocks.length === 0) throw new Refusal("no_text");
  if (text.length > TEXT_CHARACTERS) throw new Refusal("msg_too_long");
  return { text, blocks };
}

/** @throws {Refusal} if Slack would refuse these blocks in a message. */
export function blocksOf(world: World, given: unknown): readonly Json[] {
  if (given === undefined || given === null || given === "") return [];
  const blocks = parsed(given);
  refuseWrong(checkBlocks(blocks, "message"));
  const list = itemsOf(blocks).filter(isObject);
  refuseUnknown(world, list, "/blocks", "invalid_blocks");
  return list;
}

/**
 * Reads a view, passed as an object or as JSON.
 *
 * @throws {Refusal} if Slack would refuse it.
 */
export function viewContent(world: World, given: unknown, type: View["type"]): ViewContent {
  const view = parsed(given);
  refuseWrong(checkView(view, type));
  if (!isObject(view)) throw new Refusal("invalid_arguments");
  const blocks = itemsOf(view.blocks).filter(isObject);
  refuseUnknown(world, blocks, "/view/blocks", "invalid_arguments");
  if (Buffer.byteLength(JSON.stringify(view)) > VIEW_BYTES) throw new Refusal("view_too_large");
  return {
    type,
    callbackId: textIn(view.callback_id),
    privateMetadata: textIn(view.private_metadata),
    title: textIn(fieldOf(view.title, "text")),
    submit: textIn(fieldOf(view.submit, "text")) || undefined,
    close: textIn(fieldOf(view.close, "text")) || undefined,
    notifyOnClose: view.notify_on_close === true,
    clearOnClose: view.clear_on_close === true,
    blocks,
    payload: view,
  };
}

function refuseWrong(answer: BlocksAnswer): void {
  if (answer.ok) return;
  const { error, ok: _, ...extra } = answer;
  throw new Refusal(error, extra);
}

/** Refuses blocks of types that `refuseBlocks` has disabled. */
function refuseUnknown(
  world: World,
  blocks: readonly Json[],
  pointer: string,
  error: Parameters<typeof answerOf>[1],
): void {
  const faults = blocks.flatMap(({ type }, index) =>
    typeof type === "string" && world.refusedBlocks.has(type)
      ? [faultAt(`unsupported type: ${type}`, pointer, [index, "type"])]
      : [],
  );
  refuseWrong(answerOf(faults, error));
}
