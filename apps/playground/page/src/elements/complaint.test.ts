import { expect, test } from "vitest";
import { complaint } from "./complaint.js";

test.each([
  [{ type: "plain_text_input" }, "", "required"],
  [{ type: "checkboxes" }, [], "required"],
  [{ type: "plain_text_input", min_length: 3 }, "ab", "at least 3"],
  [{ type: "plain_text_input", max_length: 3 }, "abcd", "at most 3"],
  [{ type: "number_input", is_decimal_allowed: false }, "1.5", "whole number"],
  [{ type: "number_input", is_decimal_allowed: false }, "many", "a number"],
  [{ type: "number_input", is_decimal_allowed: false, min_value: "0" }, "-1", "at least 0"],
  [{ type: "number_input", is_decimal_allowed: false, max_value: "10" }, "11", "at most 10"],
  [{ type: "url_text_input" }, "media.example", "valid URL"],
  [{ type: "email_text_input" }, "ann", "valid email"],
  [{ type: "multi_static_select", max_selected_items: 1 }, ["a", "b"], "at most 1"],
])("of %j, %j is complained about: %s", (element, entry, words) => {
  expect(complaint(element, entry, { isOptional: false })).toContain(words);
});

test.each([
  [{ type: "plain_text_input", min_length: 2, max_length: 3 }, "abc"],
  [{ type: "number_input", is_decimal_allowed: true, min_value: "0" }, "1.5"],
  [{ type: "url_text_input" }, "https://media.example"],
  [{ type: "email_text_input" }, "ann@acme.example"],
  [{ type: "static_select" }, "a"],
])("of %j, %j is right", (element, entry) => {
  expect(complaint(element, entry, { isOptional: false })).toBeUndefined();
});

test("what is optional may be empty, but not wrong", () => {
  expect(complaint({ type: "number_input" }, "", { isOptional: true })).toBeUndefined();
  expect(complaint({ type: "number_input" }, "x", { isOptional: true })).toBeDefined();
});
