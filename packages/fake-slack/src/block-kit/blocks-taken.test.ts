import { expect, it } from "vitest";
import { checkBlocks, type Surface } from "../index.js";
import { blocks } from "../test/blocks.js";
import { changed, gone } from "../test/change.js";
import { elements } from "../test/elements.js";
import { plain } from "../test/texts.js";

const input = (name: keyof typeof elements) => ({ type: "input", label: plain(1), element: elements[name].maximal });
const withButton = { type: "section", text: plain(1), accessory: elements.button.maximal };
const { alert, card, container, data_table, plan, rich_text, table, task_card } = blocks;

// Every word of which Slack takes some.
it.each<[string, object, string, string[], Surface?]>([
  ["button", withButton, "/accessory/style", ["primary", "danger"]],
  ["confirm", withButton, "/accessory/confirm/style", ["primary", "danger"]],
  ["alert", alert.maximal, "/level", ["default", "info", "warning", "error", "success"], "modal"],
  ["container", container.maximal, "/width", ["narrow", "standard", "wide", "full"]],
  ["conversations", input("conversations_select"), "/element/filter/include/0", ["im", "mpim", "private", "public"]],
  ["broadcast", rich_text.maximal, "/elements/0/elements/8/range", ["here", "channel", "everyone"]],
  ["list", rich_text.maximal, "/elements/1/style", ["bullet", "ordered"]],
  ["column", table.maximal, "/column_settings/0/align", ["left", "center", "right"]],
  ["task_card", task_card.maximal, "/status", ["pending", "in_progress", "complete", "error"]],
  ["plan", plan.maximal, "/tasks/0/status", ["pending", "in_progress", "complete", "error"]],
])("takes each word in a %s", (_, block, pointer, words, surface = "message") => {
  for (const word of words) expect(checkBlocks([changed(block, pointer, word)], surface)).toEqual({ ok: true });
});

it.each<[string, object, string, unknown, Surface?]>([
  ["a text without its flags", withButton, "/text", { type: "plain_text", text: "x" }],
  ["a formatted text without its flags", withButton, "/text", { type: "mrkdwn", text: "x" }],
  ["a text of a space", withButton, "/text/text", " "],
  ["a confirmation without a style", withButton, "/accessory/confirm/style", gone],
  ["a link to another app", withButton, "/accessory/url", "slack://open"],
  ["an input that begins empty", input("plain_text_input"), "/element/initial_value", ""],
  ["a dispatch that is left to Slack", input("plain_text_input"), "/element/dispatch_action_config", {}],
  ["a number that begins with a sign", input("number_input"), "/element/initial_value", "-3", "modal"],
  [
    "one choice of several",
    input("checkboxes"),
    "/element/initial_options",
    elements.checkboxes.maximal.options.slice(0, 1),
  ],
  ["a card of nothing but a hero image", card.maximal, "", { type: "card", hero_image: elements.image.minimal }],
  ["a data table without a page size", data_table.maximal, "/page_size", gone],
  ["a list that is not indented", rich_text.maximal, "/elements/1/indent", 0],
  ["a list that begins with the first", blocks["rich_text with newer fields"].maximal, "/elements/0/offset", 0],
  ["a plan without tasks", plan.maximal, "/tasks", []],
])("takes %s", (_, block, pointer, to, surface = "message") => {
  expect(checkBlocks([changed(block, pointer, to)], surface)).toEqual({ ok: true });
});
