import { expect, test } from "vitest";
import { initialEntry } from "./entry.js";

const option = (text: string, value?: string) => ({ text: { type: "plain_text", text }, ...(value && { value }) });

test.each([
  [{ type: "plain_text_input" }, ""],
  [{ type: "plain_text_input", initial_value: "lobby" }, "lobby"],
  [{ type: "static_select", initial_option: option("Ten minutes", "600") }, "600"],
  [{ type: "overflow" }, ""],
  [{ type: "checkboxes" }, []],
  [{ type: "checkboxes", initial_options: [option("A", "a"), option("B", "b")] }, ["a", "b"]],
  [{ type: "multi_users_select", initial_users: ["U1"] }, ["U1"]],
  [{ type: "users_select", initial_user: "U1" }, "U1"],
  [{ type: "datetimepicker", initial_date_time: 1795269928 }, "1795269928"],
  [{ type: "datepicker", initial_date: "2026-11-21" }, "2026-11-21"],
])("%j begins with %j", (element, entry) => {
  expect(initialEntry(element)).toEqual(entry);
});
