import { describe, expect, it } from "vitest";
import { checkBlocks, type Surface } from "../index.js";
import { blocks } from "../test/blocks.js";
import { testBreaks } from "../test/broken.js";
import { changed, gone, pointersIn } from "../test/change.js";
import { elements } from "../test/elements.js";
import { empty, missing, noEnum, noItems, tooLong, tooMany, unknownField, unsupported } from "../test/errors.js";
import { letters, link, mrkdwn, plain, times } from "../test/texts.js";

const text = plain(1);
const image = elements.image.maximal;
const button = elements.button.minimal;
const divider = { type: "divider" };

testBreaks("a block", { type: "divider", block_id: "a" }, [
  ["/type", gone, missing("type"), ""],
  ["/type", 1, "must provide a string"],
  ["/type", "constructor", unsupported("constructor")],
  ["/block_id", "", empty],
  ["/block_id", letters(256), tooLong(255)],
  ["/text", text, unknownField("text"), ""],
]);

testBreaks("a section", blocks.section.maximal, [
  ["", { type: "section" }, "must define either `text` or `fields`"],
  ["/text", "x", "must provide an object"],
  ["/text/type", "markdown", unsupported("markdown"), "/text/type"],
  ["/text/text", "", empty],
  ["/text/text", letters(3001), tooLong(3000)],
  ["/text/text", gone, missing("text"), "/text"],
  ["/text/emoji", true, unknownField("emoji"), "/text"],
  ["/fields/0/verbatim", true, unknownField("verbatim"), "/fields/0"],
  ["/fields", [], noItems],
  ["/fields", times(11, () => text), tooMany(10)],
  ["/fields/9/text", letters(2001), tooLong(2000)],
  ["/accessory/type", "datetimepicker", unsupported("datetimepicker")],
  ["/expand", "yes", "must provide a boolean"],
]);

testBreaks("a header", { type: "header", text: plain(150), level: 4 }, [
  ["/text", gone, missing("text"), ""],
  ["/text/type", "mrkdwn", unsupported("mrkdwn")],
  ["/text/text", letters(151), tooLong(150)],
  ["/level", 0, "must be greater than 0"],
  ["/level", 5, "must be less than 5"],
  ["/level", 1.5, "must provide an integer"],
]);

testBreaks("a context", { type: "context", elements: times(10, () => text) }, [
  ["/elements", gone, missing("elements"), ""],
  ["/elements", [], noItems],
  ["/elements", times(11, () => text), tooMany(10)],
  ["/elements/0", button, unsupported("button"), "/elements/0/type"],
  ["/elements/0/text", letters(3001), tooLong(3000)],
  ["/elements/0", mrkdwn(3001), tooLong(3000), "/elements/0/text"],
]);

testBreaks("actions", { type: "actions", elements: times(25, () => button) }, [
  ["/elements", [], noItems],
  ["/elements", times(26, () => button), tooMany(25)],
  ["/elements/0", image, unsupported("image"), "/elements/0/type"],
  [
    "/elements",
    times(2, () => ({ ...button, action_id: "a" })),
    '`action_id` "a" already exists',
    "/elements/1/action_id",
  ],
]);

testBreaks("context_actions", { type: "context_actions", elements: times(5, () => elements.icon_button.minimal) }, [
  ["/elements", [], noItems],
  ["/elements", times(6, () => elements.icon_button.minimal), tooMany(5)],
  ["/elements/0", button, unsupported("button"), "/elements/0/type"],
  [
    "/elements",
    times(2, () => elements.icon_button.maximal),
    `\`action_id\` "${letters(255)}" already exists`,
    "/elements/1/action_id",
  ],
]);

testBreaks("an image", { type: "image", image_url: link(3000), alt_text: "x", title: plain(2000) }, [
  ["/alt_text", gone, missing("alt_text"), ""],
  ["/alt_text", "", empty],
  ["/alt_text", letters(2001), tooLong(2000)],
  ["/image_url", gone, "must define either `image_url` or `slack_file`", ""],
  ["/image_url", link(3001), tooLong(3000)],
  ["/image_url", "/cat.png", "invalid url"],
  ["/slack_file", { id: "F1" }, "must define only one of `image_url` and `slack_file`", ""],
  ["/title/text", letters(2001), tooLong(2000)],
]);

testBreaks("an image of Slack", { type: "image", slack_file: { id: "F1" }, alt_text: "x" }, [
  ["/slack_file", {}, "must define either `id` or `url`"],
  ["/slack_file/url", link(30), "must define only one of `id` and `url`", "/slack_file"],
]);

testBreaks("an input", { type: "input", label: plain(2000), element: elements.plain_text_input.minimal, hint: text }, [
  ["/label", gone, missing("label"), ""],
  ["/label", mrkdwn(1), unsupported("mrkdwn"), "/label/type"],
  ["/label/text", letters(2001), tooLong(2000)],
  ["/hint/text", letters(2001), tooLong(2000)],
  ["/element", gone, missing("element"), ""],
  ["/element", button, unsupported("button"), "/element/type"],
  ["/optional", 1, "must provide a boolean"],
]);

testBreaks(
  "an input of files",
  { type: "input", label: text, element: elements.file_input.minimal, dispatch_action: false },
  [["/dispatch_action", true, unsupported("file_input"), "/element/type"]],
  "modal",
);

testBreaks("markdown", { type: "markdown", text: letters(12_000) }, [
  ["/text", text, "must provide a string"],
  ["/text", "", empty],
  ["/text", letters(12_001), tooLong(12_000)],
]);

testBreaks(
  "an alert",
  { type: "alert", text: mrkdwn(200), level: "info" },
  [
    ["/text/text", letters(201), tooLong(200)],
    ["/level", "danger", noEnum],
  ],
  "modal",
);

testBreaks("a video", blocks.video.maximal, [
  ["/video_url", "http://media.example", "must be an https url"],
  ["/video_url", link(3001), tooLong(3000)],
  ["/title_url", "http://media.example", "must be an https url"],
  ["/thumbnail_url", gone, missing("thumbnail_url"), ""],
  ["/title/text", letters(200), tooLong(199)],
  ["/description/text", letters(200), tooLong(199)],
  ["/author_name", letters(50), tooLong(49)],
]);

testBreaks("a file", { type: "file", external_id: "F1", source: "remote" }, [
  ["/source", "local", noEnum],
  ["/external_id", gone, missing("external_id"), ""],
]);

testBreaks("a card", blocks.card.maximal, [
  ["", { type: "card", subtitle: text }, "must define either `hero_image`, `title`, `actions` or `body`"],
  ["/title", "x", "must provide an object"],
  ["/title/text", letters(151), tooLong(150)],
  ["/subtitle/text", letters(151), tooLong(150)],
  ["/body/text", letters(201), tooLong(200)],
  ["/subtext", plain(201), tooLong(200), "/subtext/text"],
  ["/actions", times(4, () => button), tooMany(3)],
  ["/actions/0", elements.overflow.minimal, unsupported("overflow"), "/actions/0/type"],
  ["/actions/1/action_id", "a", '`action_id` "a" already exists'],
  ["/slack_icon", { type: "icon", name: "sparkle" }, "must define only one of `icon` and `slack_icon`", ""],
  ["/slack_icon", { type: "icon", name: "sparkles" }, noEnum, "/slack_icon/name"],
]);

testBreaks("a carousel", blocks.carousel.maximal, [
  ["/elements", [], noItems],
  ["/elements", times(11, () => ({ type: "card", title: text })), tooMany(10)],
  ["/elements/0", divider, unsupported("divider"), "/elements/0/type"],
]);

testBreaks("a container", blocks.container.maximal, [
  ["", { type: "container", child_blocks: [divider] }, "must define either `title` or `rich_text_title`"],
  ["/child_blocks", times(11, () => divider), tooMany(10)],
  ["/child_blocks/0/type", "container", unsupported("container")],
  ["/title/text", letters(151), tooLong(150)],
  ["/subtitle/text", letters(151), tooLong(150)],
  ["/width", "huge", noEnum],
]);

testBreaks("a task_card", blocks.task_card.maximal, [
  ["/title", text, "must provide a string"],
  ["/task_id", gone, missing("task_id"), ""],
  ["/status", "done", noEnum],
  ["/sources/0/type", "link", unsupported("link")],
]);

testBreaks("a plan", blocks.plan.maximal, [
  ["/title", text, "must provide a string"],
  ["/tasks/0/status", "done", noEnum],
  ["/tasks/0/type", "section", noEnum],
]);

describe("in every block", () => {
  const samples = Object.entries(blocks).flatMap(([name, pair]) =>
    Object.entries({ ...pair }).map(([size, block]) => ({ name: `${size} ${name}`, block })),
  );
  const surfaceOf = (block: object): Surface => ("type" in block && block.type === "alert" ? "modal" : "message");
  const errorsOf = (block: unknown, surface: Surface): string[] => {
    const answer = checkBlocks([block], surface);
    return answer.ok ? [] : answer.errors.map((error) => error.replace("/view", ""));
  };

  it.each(samples)("a field that Slack does not know is refused, wherever it is: $name", ({ block }) => {
    for (const { pointer, value } of pointersIn(block)) {
      if (typeof value !== "object" || value === null || Array.isArray(value)) continue;
      expect(errorsOf(changed(block, `${pointer}/foo`, 1), surfaceOf(block))).toEqual([
        `invalid additional property: foo [json-pointer:/blocks/0${pointer}]`,
      ]);
    }
  });

  it.each(samples)("null is refused, wherever it is: $name", ({ block }) => {
    for (const { pointer } of pointersIn(block)) {
      if (/\/column_settings\/\d+$/.test(pointer)) continue;
      expect(errorsOf(changed(block, pointer, null), surfaceOf(block))).toEqual([
        expect.stringMatching(/^must provide an? (string|object|array|boolean|number|integer) /),
      ]);
    }
  });
});
