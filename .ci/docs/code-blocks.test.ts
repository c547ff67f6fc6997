import { expect, it } from "vitest";
import { codeBlocksOf } from "./code-blocks.js";

it("every block is found with its language, its text, its line and its section", () => {
  const markdown = [
    "# Title",
    "```sh",
    "one",
    "",
    "two # ## no heading",
    "```",
    "## First",
    "1. In a list:",
    "   ```json",
    "   {",
    "     }",
    "   ```",
    "````",
    "```js",
    "## no heading",
    "```",
    "````",
  ].join("\n");
  expect(codeBlocksOf(markdown)).toEqual([
    { language: "sh", text: "one\n\ntwo # ## no heading", line: 2, section: "" },
    { language: "json", text: "{\n  }", line: 9, section: "First" },
    { language: "", text: "```js\n## no heading\n```", line: 13, section: "First" },
  ]);
});

it("a block that does not end is told", () => {
  expect(() => codeBlocksOf("text\n```sh\nls")).toThrow("The block that begins at line 2 does not end.");
});
