import { describe, expect, it } from "vitest";
import { actions, button, plain, section, seen, startAcme } from "../test/acme.js";
import { buttonsOf, textOf } from "./seen.js";

const rich = (...elements: object[]) => ({
  type: "rich_text",
  elements: [{ type: "rich_text_section", elements }],
});
const cell = (text: string) => ({ type: "raw_text", text });
const options = ["One", "Two"].map((text) => ({ text: plain(text), value: text }));

describe("the text that a person reads", () => {
  it.each<[string, object, string]>([
    ["a header", { type: "header", text: plain("Logs") }, "Logs"],
    ["fields", { type: "section", text: plain("all"), fields: [plain("one"), plain("two")] }, "all\none\ntwo"],
    ["buttons", actions(button("Older", "a"), button("Newer", "b")), "[Older]\n[Newer]"],
    ["a context", { type: "context", elements: [plain("small"), plain("print")] }, "small\nprint"],
    ["a link", section("see <https://a.example|the page> & <https://b.example>"), "see the page & https://b.example"],
    ["a date", section("ends <!date^1775035815^{time}|at 9:30>"), "ends at 9:30"],
    ["references", section("<@U1> <@U2|bob> <#C1|general> <!here>"), "@U1 @bob #general @here"],
    ["escaped text", section("1 &lt; 2 &amp;amp; 3"), "1 < 2 &amp; 3"],
    [
      "rich text",
      rich(
        { type: "text", text: "by " },
        { type: "link", url: "https://a.example" },
        { type: "date", timestamp: 1, format: "{time}", fallback: "now" },
      ),
      "by https://a.examplenow",
    ],
    [
      "a data table",
      { type: "data_table", caption: "Calls", rows: [[cell("n")], [{ type: "raw_number", value: 7, text: "7" }]] },
      "Calls\nn\n7",
    ],
    [
      "a chart",
      {
        type: "data_visualization",
        title: "Calls",
        chart: {
          type: "line",
          series: [
            {
              name: "failed",
              data: [
                { label: "Mon", value: 1 },
                { label: "Tue", value: 2 },
              ],
            },
          ],
          axis_config: { categories: ["Mon", "Tue"] },
        },
      },
      "Calls\nfailed: Mon 1, Tue 2",
    ],
    [
      "a menu",
      actions({ type: "static_select", action_id: "a", placeholder: plain("Which"), options }),
      "Which\nOne\nTwo",
    ],
    [
      "an input",
      {
        type: "input",
        label: plain("Name"),
        hint: plain("short"),
        element: { type: "plain_text_input", initial_value: "x" },
      },
      "Name\nx\nshort",
    ],
    ["a divider", { type: "divider" }, ""],
  ])("in %s", (_, block, text) => {
    expect(textOf([block])).toBe(text);
  });

  it("in a message consists of its blocks, or its text if it has none, and its files", async () => {
    const { client, general, ann } = await startAcme();
    await client.chat.postMessage({ channel: general.id, text: "fallback", blocks: [section("block")] });
    await client.filesUploadV2({
      channel_id: general.id,
      content: "x",
      filename: "a.csv",
      title: "Table",
      initial_comment: "here &amp; now",
    });
    expect(ann.sees(general).map(textOf)).toEqual(["block", "here & now\nTable"]);
  });
});

describe("buttons", () => {
  it("are found in any position", async () => {
    const { client, ann } = await startAcme();
    const blocks = [
      actions(button("One", "one", { value: "1" })),
      actions(button("Two", "two", { style: "danger" }), { type: "static_select", action_id: "menu", options }),
    ];
    await client.apiCall("views.publish", { user_id: ann.id, view: { type: "home", blocks } });
    expect(buttonsOf(seen(ann.home))).toEqual([
      { text: "One", actionId: "one", value: "1", style: undefined },
      { text: "Two", actionId: "two", value: undefined, style: "danger" },
    ]);
  });
});
