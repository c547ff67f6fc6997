import { expect, test } from "vitest";
import { elementKey } from "../elements/surface.js";
import { complaints, entriesOf } from "./form.js";

const blocks = [
  { type: "section", block_id: "about", text: { type: "plain_text", text: "Fill it in." } },
  { type: "input", block_id: "channel", optional: true, element: { type: "plain_text_input", action_id: "c" } },
  { type: "input", block_id: "role", element: { type: "static_select", action_id: "r" } },
  { type: "input", block_id: "limit", element: { type: "number_input", action_id: "l", initial_value: "5" } },
];

test("sends what stands in each input, touched or not, by its block", () => {
  const entered = new Map([[elementKey("role", "r"), "recvonly"]]);
  expect(entriesOf(blocks, entered)).toEqual({ channel: "", role: "recvonly", limit: "5" });
});

test("what was entered into another element of a block is not taken for this one's", () => {
  const entered = new Map([[elementKey("role", "an earlier one"), "recvonly"]]);
  expect(entriesOf(blocks, entered)).toMatchObject({ role: "" });
});

test("says what is to be mended first, by its block", () => {
  expect(Object.keys(complaints(blocks, new Map([[elementKey("limit", "l"), "x"]])))).toEqual(["role", "limit"]);
});
