import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { modal, section, plain as words } from "../test/acme.js";
import {
  blocks,
  button,
  cell,
  changed,
  elements,
  empty,
  gone,
  letters,
  link,
  missing,
  mrkdwn,
  noEnum,
  noItems,
  notOffered,
  numberCell,
  option,
  plain,
  pointersIn,
  richCell,
  testBreaks,
  testInput,
  times,
  tooLong,
  tooMany,
  unknownField,
  unmodelled,
} from "../test/samples.js";
import { checkBlocks, checkView, type Surface, visibleLength } from "./check.js";

const ok = { ok: true };
const surfaces: Surface[] = ["message", "modal", "home"];

const rows = (count: number, columns: number) => times(count, () => times(columns, () => cell(1)));
const rich = richCell({ type: "text", text: "x" });
const point = (label: string, value = 1) => ({ label, value });
const one = (name: string) => ({ name, data: [point("a"), point("b")] });
const piece = "/elements/0/elements";

describe("checkBlocks", () => {
  testBreaks("a block", { type: "divider", block_id: "a" }, [
    ["/type", gone, missing("type"), ""],
    ["/type", 1, "must provide a string"],
    ["/type", "constructor", unmodelled("constructor")],
    ["/type", "video", unmodelled("video")],
    ["/block_id", "", empty],
    ["/block_id", letters(256), tooLong(255)],
    ["/text", plain(1), unknownField("text"), ""],
  ]);

  testBreaks("a section", blocks.section.maximal, [
    ["", { type: "section" }, "must define either `text` or `fields`"],
    ["/text", "x", "must provide an object"],
    ["/text/type", "markdown", unmodelled("markdown"), "/text/type"],
    ["/text/text", "", empty],
    ["/text/text", letters(3001), tooLong(3000)],
    ["/text/text", gone, missing("text"), "/text"],
    ["/text/emoji", true, unknownField("emoji"), "/text"],
    ["/fields/0/verbatim", true, unknownField("verbatim"), "/fields/0"],
    ["/fields", [], noItems],
    ["/fields", times(11, () => plain(1)), tooMany(10)],
    ["/fields/9/text", letters(2001), tooLong(2000)],
    ["/expand", "yes", "must provide a boolean"],
  ]);

  testBreaks("a header", { type: "header", text: plain(150) }, [
    ["/text", gone, missing("text"), ""],
    ["/text/type", "mrkdwn", unmodelled("mrkdwn")],
    ["/text/text", letters(151), tooLong(150)],
  ]);

  testBreaks("a context", { type: "context", elements: times(10, () => plain(1)) }, [
    ["/elements", gone, missing("elements"), ""],
    ["/elements", [], noItems],
    ["/elements", times(11, () => plain(1)), tooMany(10)],
    ["/elements/0", button("a"), unmodelled("button"), "/elements/0/type"],
    ["/elements/0", mrkdwn(3001), tooLong(3000), "/elements/0/text"],
  ]);

  testBreaks("an input", blocks.input.maximal, [
    ["/label", gone, missing("label"), ""],
    ["/label", mrkdwn(1), unmodelled("mrkdwn"), "/label/type"],
    ["/label/text", letters(2001), tooLong(2000)],
    ["/hint/text", letters(2001), tooLong(2000)],
    ["/element", gone, missing("element"), ""],
    ["/element", button("a"), unmodelled("button"), "/element/type"],
    ["/optional", 1, "must provide a boolean"],
  ]);

  testBreaks("a rich_text", blocks.rich_text.maximal, [
    ["/elements", gone, missing("elements"), ""],
    ["/elements/0/type", "section", unmodelled("section")],
    [`${piece}/0/text`, "", empty],
    [`${piece}/0/style/bold`, "yes", "must provide a boolean"],
    [`${piece}/0/style/blink`, true, unknownField("blink"), `${piece}/0/style`],
    [`${piece}/0/type`, "broadcast", unmodelled("broadcast")],
    [`${piece}/1/url`, "media.example", "invalid url"],
    [`${piece}/2/timestamp`, 1.5, "must provide an integer"],
    [`${piece}/2/timestamp`, -1, "must be greater than -1"],
    [`${piece}/2/format`, gone, missing("format"), `${piece}/2`],
    ["/elements/1/style", "roman", noEnum],
    ["/elements/1/indent", 9, "must be less than 9"],
    ["/elements/1/elements", [], noItems],
    ["/elements/1/elements/0", { type: "text", text: "x" }, unmodelled("text"), "/elements/1/elements/0/type"],
    ["/elements/2/elements/0", { type: "emoji", name: "x" }, unmodelled("emoji"), "/elements/2/elements/0/type"],
  ]);

  const table = {
    type: "data_table",
    caption: "x",
    rows: [
      [cell(1), numberCell],
      [rich, cell(1)],
    ],
    page_size: 5,
  };
  testBreaks("a data_table", table, [
    ["/caption", gone, missing("caption"), ""],
    ["/caption", "", empty],
    ["/rows", rows(1, 2), "no less than 2 items allowed"],
    ["/rows", rows(102, 2), tooMany(101)],
    ["/rows/0", [], noItems],
    ["/rows/1", times(21, () => cell(1)), tooMany(20)],
    ["/rows/1", [cell(1)], "must have 2 cells, as the first row has"],
    ["/rows/0/0", rich, unmodelled("rich_text"), "/rows/0/0/type"],
    ["/rows/1/0/text", "x", unknownField("text"), "/rows/1/0"],
    ["/rows/1/0", "x", "must provide an object"],
    ["/rows/1/1/text", "", empty],
    ["/rows/1/0", richCell(), empty],
    ["/rows/0/1/value", gone, missing("value"), "/rows/0/1"],
    ["/rows/0/1/value", Number.NaN, "must provide a number"],
    ["/rows/0/1/text", "", empty],
    ["/page_size", 101, "must be less than 101"],
    ["/page_size", 5.5, "must provide an integer"],
  ]);
  testBreaks("a full data_table", blocks.data_table.maximal, [
    ["/rows/0/0/text", letters(5), tooLong(10_000), "/rows"],
    ["/rows/100/0", richCell({ type: "link", url: link(30) }), tooLong(10_000), "/rows"],
  ]);

  testBreaks(
    "a chart",
    {
      type: "data_visualization",
      title: letters(50),
      chart: {
        type: "line",
        series: [one("first"), one("second")],
        axis_config: { categories: ["b", "a"], x_label: letters(50), y_label: letters(50) },
      },
    },
    [
      ["/title", "", empty],
      ["/title", letters(51), tooLong(50)],
      ["/chart", gone, missing("chart"), ""],
      ["/chart/type", "donut", unmodelled("donut")],
      ["/chart/series", [], noItems],
      ["/chart/series", times(7, (index) => one(String(index))), tooMany(6)],
      ["/chart/series/0/name", letters(21), tooLong(20)],
      ["/chart/series/1/name", "first", '`name` "first" already exists'],
      ["/chart/series/0/data", times(21, (index) => point(String(index))), tooMany(20)],
      ["/chart/series/0/data", [point("a")], "missing data point: b"],
      ["/chart/series/0/data/1/label", "a", '`label` "a" already exists'],
      ["/chart/series/0/data/0/label", "c", "must be one of the provided categories"],
      ["/chart/series/0/data/1/value", Number.NaN, "must provide a number"],
      ["/chart/axis_config", gone, missing("axis_config"), "/chart"],
      ["/chart/axis_config/categories", times(21, String), tooMany(20)],
      ["/chart/axis_config/categories/1", "b", '`category` "b" already exists'],
      ["/chart/axis_config/y_label", letters(51), tooLong(50)],
    ],
  );

  const surfacesOf: Readonly<Record<string, Surface[]>> = {
    data_table: ["message"],
    data_visualization: ["message"],
    datetimepicker: ["message", "modal"],
    number_input: ["modal"],
  };
  const input = (element: object) => ({ type: "input", label: plain(1), element });

  it.each([
    ...Object.entries(blocks).map(([name, { minimal, maximal }]) => ({ name, samples: [minimal, maximal] })),
    ...Object.entries(elements).map(([name, { minimal, maximal }]) => ({
      name,
      samples: [minimal, maximal].map((one) => (name === "button" ? { type: "actions", elements: [one] } : input(one))),
    })),
  ])("accepts $name on the surfaces that show it", ({ name, samples }) => {
    const type = name.split(" ")[0] ?? name;
    for (const surface of surfaces) {
      const isShown = (surfacesOf[type] ?? surfaces).includes(surface);
      const answer = isShown ? ok : { errors: [expect.stringMatching(`^unsupported type: ${type} \\[.*/type]$`)] };
      for (const sample of samples) expect(checkBlocks([sample], surface)).toMatchObject(answer);
    }
  });

  it("refuses null, and unknown fields, at every position of every block", () => {
    for (const { maximal } of Object.values(blocks)) {
      for (const { pointer, value } of pointersIn(maximal)) {
        const withNull = checkBlocks([changed(maximal, pointer, null)], "message");
        expect(withNull.ok ? [] : withNull.errors).toEqual([expect.stringMatching(/^must provide an? /)]);
        if (typeof value !== "object" || value === null || Array.isArray(value)) continue;
        expect(checkBlocks([changed(maximal, `${pointer}/foo`, 1)], "message")).toMatchObject({
          errors: [`invalid additional property: foo [json-pointer:/blocks/0${pointer}]`],
        });
      }
    }
  });

  const divider = (block_id: string) => ({ type: "divider", block_id });
  const chart = blocks.data_visualization.minimal;
  const taken = '`block_id` "a" already exists [json-pointer:/blocks';

  it.each<[string, Surface, object[], string[]]>([
    ["a repeated block_id", "message", [divider("a"), divider("b"), divider("a")], [`${taken}/2/block_id]`]],
    ["two tables", "message", [table, table], ["only_one_table_allowed [json-pointer:/blocks/1]"]],
    [
      "three charts",
      "message",
      [chart, chart, chart],
      ["no more than 2 data_visualization blocks allowed [json-pointer:/blocks/2]"],
    ],
  ])("refuses %s", (_, surface, given, errors) => {
    for (const block of given) expect(checkBlocks([block], surface)).toEqual(ok);
    expect(checkBlocks(given, surface)).toMatchObject({ ok: false, errors });
  });

  it("returns the same errors as chat.postMessage", () => {
    const errors = [
      "must be less than 151 characters [json-pointer:/blocks/0/text/text]",
      `${unmodelled("foo")} [json-pointer:/blocks/1/type]`,
    ];
    expect(checkBlocks([{ type: "header", text: plain(151) }, { type: "foo" }], "message")).toStrictEqual({
      ok: false,
      error: "invalid_blocks",
      errors,
      response_metadata: { messages: errors.map((error) => `[ERROR] ${error}`) },
    });
  });

  it.each([
    ["nothing", undefined, "must provide an array [json-pointer:/blocks]"],
    ["JSON", "[]", "must provide an array [json-pointer:/blocks]"],
    ["a text among blocks", [{ type: "divider" }, "divider"], "must provide an object [json-pointer:/blocks/1]"],
  ])("returns invalid_blocks_format for %s", (_, given, error) => {
    expect(checkBlocks(given, "message")).toMatchObject({ error: "invalid_blocks_format", errors: [error] });
    expect(checkBlocks(given, "home")).toMatchObject({ error: "invalid_arguments" });
  });

  it.each([
    ["message", 50, "no more than 50 items allowed [json-pointer:/blocks]"],
    ["modal", 100, "no more than 100 items allowed [json-pointer:/view/blocks]"],
    ["home", 100, "no more than 100 items allowed [json-pointer:/view/blocks]"],
  ] as const)("accepts in a %s up to %i blocks", (surface, most, error) => {
    expect(checkBlocks(Array(most).fill({ type: "divider" }), surface)).toEqual(ok);
    expect(checkBlocks(Array(most + 1).fill({ type: "divider" }), surface)).toMatchObject({ errors: [error] });
  });

  it("counts UTF-16 units, so that a text that fits here fits by any count", () => {
    const header = (text: string) => [{ type: "header", text: { type: "plain_text", text } }];
    expect(checkBlocks(header("🎥".repeat(75)), "message")).toEqual(ok);
    expect(checkBlocks(header("🎥".repeat(76)), "message")).toMatchObject({ ok: false });
  });

  it("accepts any value without throwing", () => {
    const anyBlock = fc
      .tuple(fc.object(), fc.constantFrom(...Object.keys(blocks)))
      .map(([fields, type]) => ({ ...fields, type }));
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.array(anyBlock)), fc.constantFrom(...surfaces), (given, surface) => {
        const answer = checkBlocks(given, surface);
        expect(answer.ok || answer.errors.length > 0).toBe(true);
      }),
    );
  });
});

describe("checkView", () => {
  const errorsOf = (view: unknown, surface: "modal" | "home" = "modal"): string[] => {
    const answer = checkView(view, surface);
    return answer.ok ? [] : answer.errors;
  };
  const { submit: _, ...withoutSubmit } = modal();

  it("accepts a modal with all optional fields", () => {
    const texts = { title: words(letters(24)), submit: words(letters(24)), close: words(letters(24)) };
    const more = { callback_id: letters(255), private_metadata: letters(3000), notify_on_close: true };
    expect(errorsOf(modal({ ...texts, ...more, clear_on_close: true }))).toEqual([]);
    expect(errorsOf({ ...modal(), close: null })).toEqual([]);
  });

  it.each([
    ["title", words(letters(25)), `${tooLong(24)} [json-pointer:/view/title/text]`],
    ["submit", words(letters(25)), `${tooLong(24)} [json-pointer:/view/submit/text]`],
    ["close", words(letters(25)), `${tooLong(24)} [json-pointer:/view/close/text]`],
    ["callback_id", letters(256), `${tooLong(255)} [json-pointer:/view/callback_id]`],
    ["private_metadata", letters(3001), `${tooLong(3000)} [json-pointer:/view/private_metadata]`],
    ["type", "home", "must be a valid enum value [json-pointer:/view/type]"],
    ["title", undefined, "missing required field: title [json-pointer:/view]"],
    ["blocks", undefined, "missing required field: blocks [json-pointer:/view]"],
    ["colour", "red", "invalid additional property: colour [json-pointer:/view]"],
  ])("refuses a modal with this %s: %j", (name, value, error) => {
    expect(errorsOf({ ...modal(), [name]: value })).toEqual([error]);
  });

  it("requires a submit button if there are inputs", () => {
    expect(errorsOf(withoutSubmit)).toEqual([
      "missing required field: submit, as there is an input block [json-pointer:/view]",
    ]);
    expect(errorsOf({ ...withoutSubmit, blocks: [section("x")] })).toEqual([]);
  });

  it("accepts a home, and refuses a title there", () => {
    expect(errorsOf({ type: "home", blocks: [section("x")] }, "home")).toEqual([]);
    expect(errorsOf({ type: "home", title: words("x"), blocks: [] }, "home")).toEqual([
      "invalid additional property: title [json-pointer:/view]",
    ]);
    expect(errorsOf("view")).toEqual(["must provide an object [json-pointer:/view]"]);
  });
});

const options = (count: number) => times(count, () => option);

describe("elements", () => {
  testBreaks("actions", { type: "actions", elements: times(25, () => elements.button.minimal) }, [
    ["/elements", [], noItems],
    ["/elements", times(26, () => elements.button.minimal), tooMany(25)],
    ["/elements/0", elements.plain_text_input.minimal, unmodelled("plain_text_input"), "/elements/0/type"],
    ["/elements", times(2, () => button("a")), '`action_id` "a" already exists', "/elements/1/action_id"],
  ]);

  testBreaks("a button", { type: "actions", elements: [elements.button.maximal] }, [
    ["/elements/0/text", gone, missing("text"), "/elements/0"],
    ["/elements/0/text", mrkdwn(1), unmodelled("mrkdwn"), "/elements/0/text/type"],
    ["/elements/0/text/text", letters(76), tooLong(75)],
    ["/elements/0/action_id", letters(256), tooLong(255)],
    ["/elements/0/value", letters(2001), tooLong(2000)],
    ["/elements/0/url", link(3001), tooLong(3000)],
    ["/elements/0/url", "media.example", "invalid url"],
    ["/elements/0/style", "default", noEnum],
    ["/elements/0/confirm/title/text", letters(101), tooLong(100)],
    ["/elements/0/confirm/text/text", letters(301), tooLong(300)],
    ["/elements/0/confirm/confirm/text", letters(31), tooLong(30)],
    ["/elements/0/confirm/deny", gone, missing("deny"), "/elements/0/confirm"],
    ["/elements/0/confirm/style", "warning", noEnum],
  ]);

  testInput("static_select", [
    ["/options", gone, missing("options"), ""],
    ["/options", [], noItems],
    ["/options", options(101), tooMany(100)],
    ["/options/0/text/text", letters(76), tooLong(75)],
    ["/options/0/text", mrkdwn(1), unmodelled("mrkdwn"), "/options/0/text/type"],
    ["/options/0/value", letters(151), tooLong(150)],
    ["/options/0/url", link(30), unknownField("url"), "/options/0"],
    ["/initial_option", option, notOffered],
    ["/placeholder/text", letters(151), tooLong(150)],
  ]);
  testInput("checkboxes", [
    ["/options", options(11), tooMany(10)],
    ["/initial_options", options(1), notOffered],
    ["/initial_options", [], notOffered],
  ]);
  testInput("radio_buttons", [
    ["/options", options(11), tooMany(10)],
    ["/initial_option", option, notOffered],
  ]);
  testInput("conversations_select", [
    ["/initial_conversation", "", empty],
    ["/default_to_current_conversation", "yes", "must provide a boolean"],
    ["/filter", {}, missing("include"), "/filter"],
    ["/filter/include", [], noItems],
    ["/filter/include/0", "channel", noEnum],
    ["/response_url_enabled", "yes", "must provide a boolean"],
  ]);
  testInput("datetimepicker", [
    ["/initial_date_time", 999_999_999, "must be greater than 999999999"],
    ["/initial_date_time", 10_000_000_000, "must be less than 10000000000"],
    ["/initial_date_time", "1628633820", "must provide a number"],
  ]);
  testInput("plain_text_input", [
    ["/initial_value", letters(3001), tooLong(3000)],
    ["/max_length", 0, "must be greater than 0"],
    ["/max_length", 3001, "must be less than 3001"],
  ]);
  testInput("number_input", [
    ["/is_decimal_allowed", gone, missing("is_decimal_allowed"), ""],
    ["/initial_value", 5, "must provide a string"],
    ["/initial_value", "five", "must be a number"],
    ["/min_value", "10", "`min_value` cannot be greater than `max_value`", ""],
  ]);
});

it("counts the visible characters of rich text", () => {
  const abc = { type: "text" as const, text: "abc" };
  const date = (fallback: string) => ({ type: "date" as const, timestamp: 0, format: "{ago}", fallback });
  expect(visibleLength(richCell())).toBe(0);
  expect(visibleLength(richCell(abc, { type: "text", text: "🎥" }))).toBe(5);
  expect(visibleLength(richCell({ type: "link", url: link(30) }))).toBe(30);
  expect(visibleLength(richCell(date("abcdef"), date("a")))).toBe(11);
  const section = { type: "rich_text_section", elements: [abc] };
  const elements = [{ type: "rich_text_list", elements: [section, section] }, section];
  expect(visibleLength({ type: "rich_text", elements })).toBe(9);
});
