import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkBlocks, type Surface } from "../index.js";
import { blocks } from "../test/blocks.js";
import { elements } from "../test/elements.js";
import { tooLong } from "../test/errors.js";
import { cell } from "../test/parts.js";
import { letters, plain } from "../test/texts.js";

const divider = (block_id: string) => ({ type: "divider", block_id });
const container = (...child_blocks: object[]) => ({ type: "container", title: plain(1), child_blocks });
const carousel = (...ids: string[]) => ({
  type: "carousel",
  elements: ids.map((block_id) => ({ type: "card", block_id, title: plain(1) })),
});
const table = { type: "table", rows: [[cell(1)]] };
const dataTable = { type: "data_table", caption: "x", rows: [[cell(1)], [cell(1)]] };
const chart = blocks.data_visualization.minimal;
const markdown = (count: number) => ({ type: "markdown", text: letters(count) });
const focused = { ...elements.plain_text_input.minimal, focus_on_load: true };
const input = { type: "input", label: plain(1), element: focused };
const section = {
  type: "section",
  text: plain(1),
  accessory: { ...elements.users_select.minimal, focus_on_load: true },
};
const actions = { type: "actions", elements: [{ ...elements.users_select.minimal, focus_on_load: true }] };

const taken = '`block_id` "a" already exists [json-pointer:/blocks';
const onlyOneFocus = "only one element may have the focus [json-pointer:/view/blocks";

const refused: [string, Surface, object[], string[]][] = [
  ["a block_id twice", "message", [divider("a"), divider("b"), divider("a")], [`${taken}/2/block_id]`]],
  [
    "a block_id thrice",
    "message",
    [divider("a"), divider("a"), divider("a")],
    [`${taken}/1/block_id]`, `${taken}/2/block_id]`],
  ],
  [
    "a block_id again in a container",
    "message",
    [divider("a"), container(divider("a"))],
    [`${taken}/1/child_blocks/0/block_id]`],
  ],
  ["a block_id again in a carousel", "message", [carousel("a", "b", "a")], [`${taken}/0/elements/2/block_id]`]],
  ["two tables", "message", [table, table], ["only_one_table_allowed [json-pointer:/blocks/1]"]],
  ["two tables of either kind", "message", [dataTable, table], ["only_one_table_allowed [json-pointer:/blocks/1]"]],
  [
    "a table beside one in a container",
    "message",
    [table, container(table)],
    ["only_one_table_allowed [json-pointer:/blocks/1/child_blocks/0]"],
  ],
  [
    "three charts",
    "message",
    [chart, chart, chart],
    ["no more than 2 data_visualization blocks allowed [json-pointer:/blocks/2]"],
  ],
  [
    "12,001 characters of markdown",
    "message",
    [markdown(6000), markdown(6000), markdown(1)],
    [`${tooLong(12_000)} [json-pointer:/blocks/2/text]`],
  ],
  ["two inputs with the focus", "modal", [input, input], [`${onlyOneFocus}/1/element/focus_on_load]`]],
  ["a focus in a section too", "home", [input, section], [`${onlyOneFocus}/1/accessory/focus_on_load]`]],
  ["a focus in actions too", "home", [input, actions], [`${onlyOneFocus}/1/elements/0/focus_on_load]`]],
];

describe("blocks together are refused for", () => {
  it.each(refused)("%s", (_, surface, given, errors) => {
    if (given.length > 1) for (const block of given) expect(checkBlocks([block], surface)).toEqual({ ok: true });
    expect(checkBlocks(given, surface)).toMatchObject({ ok: false, errors });
  });
});

describe("blocks together are taken", () => {
  it.each<[string, Surface, object[]]>([
    ["with a table beside other blocks", "message", [divider("a"), dataTable, divider("b")]],
    ["with two charts and a table", "message", [chart, table, chart]],
    ["with 12,000 characters of markdown", "message", [markdown(6000), markdown(6000)]],
    ["with one focus", "modal", [input, { ...section, accessory: elements.users_select.minimal }]],
    ["with an action_id in two blocks", "message", [actionBlock("a"), actionBlock("a")]],
  ])("%s", (_, surface, given) => {
    expect(checkBlocks(given, surface)).toEqual({ ok: true });
  });

  it("in any order and number, as long as their ids differ and the rare ones are few", () => {
    const { data_table, table: _, data_visualization, markdown: fullMarkdown, ...others } = blocks;
    const rare = [data_table.maximal, data_visualization.maximal, data_visualization.minimal, fullMarkdown.maximal];
    const common = Object.entries(others)
      .filter(([name]) => !/^(alert|data_visualization|table) ?/.test(name))
      .flatMap(([, { minimal, maximal }]) => [minimal, maximal]);
    const many = fc.array(fc.constantFrom<object>(...common), { maxLength: 46 });
    fc.assert(
      fc.property(many, fc.subarray<object>(rare), (many, few) => {
        const given = [...many, ...few].map(withOwnIds);
        expect(checkBlocks(given, "message")).toEqual({ ok: true });
      }),
    );
  });
});

function actionBlock(action_id: string): object {
  return { type: "actions", elements: [{ ...elements.button.minimal, action_id }] };
}

/** The block with ids that no other one has, and without the focus. */
function withOwnIds(block: object, index: number): unknown {
  return JSON.parse(JSON.stringify(block), (key, value) => {
    if (key === "focus_on_load") return undefined;
    return key === "block_id" ? `${index} ${value}`.slice(0, 255) : value;
  });
}
