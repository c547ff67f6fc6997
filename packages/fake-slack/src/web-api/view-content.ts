import { checkView } from "../block-kit/check-view.js";
import { fieldOf, isObject, itemsOf } from "../block-kit/json.js";
import type { View, World } from "../world/model.js";
import { parsed } from "./parsed.js";
import { Refusal } from "./refusal.js";
import { faultsIn, unknownBlocks } from "./unknown-blocks.js";

/** What a view is to be, as the app has it. */
export type ViewContent = Omit<View, "id" | "teamId" | "userId" | "rootId" | "previousId" | "hash">;

const BYTES = 250_000;

/**
 * Reads a view, be it given as an object or as its JSON.
 *
 * @throws {Refusal} where Slack would not take it.
 */
export function viewContent(world: World, given: unknown, type: View["type"]): ViewContent {
  const view = parsed(given);
  const answer = checkView(view, type);
  if (!answer.ok) {
    const { error, ...extra } = answer;
    throw new Refusal(error, extra);
  }
  if (!isObject(view)) throw new Refusal("invalid_arguments");
  const blocks = itemsOf(view.blocks).filter(isObject);
  const unknown = unknownBlocks(world, blocks, "/view/blocks");
  if (unknown.length > 0) throw new Refusal("invalid_arguments", faultsIn(unknown));
  if (Buffer.byteLength(JSON.stringify(view)) > BYTES) throw new Refusal("view_too_large");
  return {
    type,
    callbackId: textIn(view.callback_id),
    privateMetadata: textIn(view.private_metadata),
    externalId: textIn(view.external_id),
    title: textIn(fieldOf(view.title, "text")),
    submit: labelIn(view.submit),
    close: labelIn(view.close),
    notifyOnClose: view.notify_on_close === true,
    clearOnClose: view.clear_on_close === true,
    blocks,
    payload: view,
  };
}

function textIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function labelIn(label: unknown): string | undefined {
  const text = textIn(fieldOf(label, "text"));
  return text === "" ? undefined : text;
}
