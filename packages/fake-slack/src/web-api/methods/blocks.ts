import { type BlocksAnswer, checkBlocks } from "../../block-kit/check-blocks.js";
import { checkView } from "../../block-kit/check-view.js";
import { fieldOf } from "../../block-kit/json.js";
import { openMethod } from "../method.js";
import { parsed } from "../parsed.js";
import { Refusal } from "../refusal.js";

const checks: Readonly<Record<string, (given: unknown) => BlocksAnswer>> = {
  blocks: (blocks) => checkBlocks(blocks, "message"),
  message: (message) => checkBlocks(fieldOf(message, "blocks"), "message"),
  view: (view) => checkView(view, fieldOf(view, "type") === "home" ? "home" : "modal"),
};

/** Says what Slack objects to in blocks, a message or a view, without sending it. */
export const blocksValidate = openMethod(({ args }) => {
  const given = Object.keys(checks).filter((name) => args[name] !== undefined);
  const [name = ""] = given;
  const check = checks[name];
  if (!check || given.length > 1) {
    throw new Refusal("invalid_arguments", {
      response_metadata: { messages: ["[ERROR] exactly one of blocks, message and view must be given"] },
    });
  }
  const answer = check(parsed(args[name]));
  if (answer.ok) return {};
  // Slack's pointers begin at what was given.
  const root = { blocks: "/blocks", message: "", view: "/view" }[name] ?? "";
  throw new Refusal(`invalid_${name}`, {
    errors: answer.errors.map((fault) => {
      const [, message = fault, pointer = ""] = /^(.*) \[json-pointer:(.*)\]$/s.exec(fault) ?? [];
      return {
        pointer: pointer.startsWith(root) ? pointer.slice(root.length) : pointer,
        code: "failed_constraint",
        message,
      };
    }),
  });
});
