import { describe, expect, it } from "vitest";
import { blocks } from "../test/blocks.js";
import { testBreaks } from "../test/broken.js";
import { gone } from "../test/change.js";
import { empty, missing, noEnum, noItems, unknownField, unsupported } from "../test/errors.js";
import { richCell } from "../test/parts.js";
import { link } from "../test/texts.js";
import { visibleLength } from "./rich-text.js";

const richText = blocks.rich_text.maximal;
const piece = "/elements/0/elements";

testBreaks("a rich_text", richText, [
  ["/elements", gone, missing("elements"), ""],
  ["/elements/0/type", "section", unsupported("section")],
  [`${piece}/0/text`, "", empty],
  [`${piece}/0/style/bold`, "yes", "must provide a boolean"],
  [`${piece}/0/style/blink`, true, unknownField("blink"), `${piece}/0/style`],
  [`${piece}/0/type`, "plain_text", unsupported("plain_text")],
  [`${piece}/1/url`, gone, missing("url"), `${piece}/1`],
  [`${piece}/1/url`, "media.example", "invalid url"],
  [`${piece}/1/text`, "", empty],
  [`${piece}/2/name`, "", empty],
  [`${piece}/3/timestamp`, "1720710212", "must provide a number"],
  [`${piece}/3/timestamp`, 1.5, "must provide an integer"],
  [`${piece}/3/timestamp`, -1, "must be greater than -1"],
  [`${piece}/3/format`, gone, missing("format"), `${piece}/3`],
  [`${piece}/4/user_id`, gone, missing("user_id"), `${piece}/4`],
  [`${piece}/5/usergroup_id`, gone, missing("usergroup_id"), `${piece}/5`],
  [`${piece}/6/channel_id`, gone, missing("channel_id"), `${piece}/6`],
  [`${piece}/7/team_id`, gone, missing("team_id"), `${piece}/7`],
  [`${piece}/8/range`, "all", noEnum],
  [`${piece}/9/value`, gone, missing("value"), `${piece}/9`],
  ["/elements/1/style", "roman", noEnum],
  ["/elements/1/indent", 9, "must be less than 9"],
  ["/elements/1/indent", -1, "must be greater than -1"],
  ["/elements/1/border", -1, "must be greater than -1"],
  ["/elements/1/border", 2, "must be less than 2"],
  ["/elements/1/elements", [], noItems],
  ["/elements/1/elements/0", { type: "text", text: "x" }, unsupported("text"), "/elements/1/elements/0/type"],
  ["/elements/3/elements/0", { type: "emoji", name: "x" }, unsupported("emoji"), "/elements/3/elements/0/type"],
]);

testBreaks("a list that begins later", blocks["rich_text with newer fields"].maximal, [
  ["/elements/0/offset", -1, "must be greater than -1"],
]);

describe("visibleLength", () => {
  it.each([
    ["nothing", richCell(), 0],
    ["a text", richCell({ type: "text", text: "abc" }, { type: "text", text: "🎥" }), 5],
    ["a link's text", richCell({ type: "link", url: link(30), text: "abc" }), 3],
    ["a link's url where it has no text", richCell({ type: "link", url: link(30) }), 30],
    [
      "a date's fallback if it is longer",
      richCell({ type: "date", timestamp: 0, format: "{ago}", fallback: "abcdef" }),
      6,
    ],
    ["a date's format if it is longer", richCell({ type: "date", timestamp: 0, format: "{ago}", fallback: "a" }), 5],
    ["an emoji's name", richCell({ type: "emoji", name: "wave" }), 4],
    ["a mention's id", richCell({ type: "user", user_id: "U1" }, { type: "channel", channel_id: "C1" }), 4],
  ])("counts %s", (_, given, expected) => {
    expect(visibleLength(given)).toBe(expected);
  });

  it("counts in lists, quotes and code too", () => {
    expect(visibleLength(richText)).toBeGreaterThan(3 * visibleLength(richCell({ type: "text", text: "x" })));
    const text = { type: "text", text: "abc" };
    const section = { type: "rich_text_section", elements: [text] };
    expect(
      visibleLength({
        type: "rich_text",
        elements: [
          { type: "rich_text_list", style: "bullet", elements: [section, section] },
          { type: "rich_text_quote", elements: [text] },
          { type: "rich_text_preformatted", elements: [text] },
        ],
      }),
    ).toBe(12);
  });
});
