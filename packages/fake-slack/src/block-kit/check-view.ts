import type { BlocksAnswer } from "./check-blocks.js";
import { checkBlocks } from "./check-blocks.js";
import { plainText } from "./composition.js";
import { fieldOf, isObject, itemsOf, type JsonObject } from "./json.js";
import { Place } from "./place.js";
import { anything, type Fields, flag, object, optional, type ShapeRule, string, word } from "./rules.js";

const noText = { min: 0 };

const common: Fields = {
  // What stands in them is looked at by itself.
  blocks: anything,
  private_metadata: optional(string({ ...noText, max: 3000 })),
  callback_id: optional(string({ ...noText, max: 255 })),
  external_id: optional(string({ ...noText, max: 255 })),
};

const submitOfInputs: ShapeRule = (view, place) => {
  const hasInput = itemsOf(view.blocks).some((block) => fieldOf(block, "type") === "input");
  if (hasInput && view.submit === undefined) {
    place.fault("missing required field: submit, as there is an input block");
  }
};

const shapes = {
  modal: object({
    fields: {
      ...common,
      type: word("modal"),
      title: plainText(24),
      submit: optional(plainText(24)),
      close: optional(plainText(24)),
      clear_on_close: optional(flag),
      notify_on_close: optional(flag),
      submit_disabled: optional(flag),
    },
    also: [submitOfInputs],
  }),
  home: object({ fields: { ...common, type: word("home") } }),
};

/**
 * Whether Slack would take this view, and if not, what it would answer.
 *
 * @example checkView({ type: "home", blocks: [] }, "home") // { ok: true }
 */
export function checkView(view: unknown, surface: "modal" | "home"): BlocksAnswer {
  const faults: string[] = [];
  shapes[surface](isObject(view) ? sent(view) : view, new Place(surface, "/view", faults));
  const blocks = checkBlocks(fieldOf(view, "blocks"), surface);
  if (!blocks.ok && fieldOf(view, "blocks") !== undefined) faults.push(...blocks.errors);
  if (faults.length === 0) return { ok: true };
  return {
    ok: false,
    error: "invalid_arguments",
    errors: faults,
    response_metadata: { messages: faults.map((fault) => `[ERROR] ${fault}`) },
  };
}

/** What is null is as good as not sent. */
function sent(view: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(view).filter(([, value]) => value !== null));
}
