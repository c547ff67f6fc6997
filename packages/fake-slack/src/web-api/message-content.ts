import { checkBlocks } from "../block-kit/check-blocks.js";
import { isObject } from "../block-kit/json.js";
import type { MessageContent } from "../world/messages.js";
import type { Json, World } from "../world/model.js";
import { parsed } from "./parsed.js";
import { Refusal } from "./refusal.js";
import { faultsIn, unknownBlocks } from "./unknown-blocks.js";

// More is cut off by some methods and refused by others; 40,000 is where all of them refuse.
const TEXT_CHARACTERS = 40_000;

/**
 * What a message is to say, by the arguments of `chat.postMessage`, of `chat.update`, of a `response_url`, or of an
 * acknowledgement. Blocks may be given as their JSON.
 *
 * @throws {Refusal} where Slack would not take it.
 */
export function messageContent(world: World, args: Json): MessageContent {
  const text = typeof args.text === "string" ? args.text : "";
  const blocks = blocksOf(world, args.blocks);
  if (text === "" && blocks.length === 0) throw new Refusal("no_text");
  if (text.length > TEXT_CHARACTERS) throw new Refusal("msg_too_long");
  return { text, blocks };
}

/** Blocks as a message takes them. */
export function blocksOf(world: World, given: unknown): readonly Json[] {
  if (given === undefined || given === null || given === "") return [];
  const blocks = parsed(given);
  const answer = checkBlocks(blocks, "message");
  if (!answer.ok) {
    const { error, ...extra } = answer;
    throw new Refusal(error, extra);
  }
  const list = Array.isArray(blocks) ? blocks.filter(isObject) : [];
  const unknown = unknownBlocks(world, list, "/blocks");
  if (unknown.length > 0) throw new Refusal("invalid_blocks", faultsIn(unknown));
  return list;
}
