import * as z from "zod";
import { fieldOf, itemsOf, textIn } from "../json.js";
import { also, flag, id, list, refuseRepeated, text, typed, uniqueIn, unmodelled, url } from "./schema.js";

const style = z.strictObject({ bold: flag, italic: flag, strike: flag, code: flag, underline: flag }).optional();

const words = typed("text", { text: text(), style });
const link = typed("link", { url, text: text().optional(), unsafe: flag, style });
const piece = z.discriminatedUnion("type", [
  words,
  link,
  typed("emoji", { name: text(), unicode: text().optional(), style }),
  typed("date", {
    timestamp: z.int().min(0),
    format: text(),
    timezone: text().optional(),
    url: url.optional(),
    fallback: text().optional(),
    style,
  }),
  typed("user", { user_id: text(), style }),
  typed("usergroup", { usergroup_id: text(), style }),
  typed("channel", { channel_id: text(), style }),
]);

const section = typed("rich_text_section", { elements: z.array(piece) });

/** A rich text, as a block or as the cell of a table. */
export const richText = typed("rich_text", {
  block_id: id,
  elements: z.array(
    z.discriminatedUnion("type", [
      section,
      typed("rich_text_list", {
        elements: z.array(z.discriminatedUnion("type", [section])).min(1),
        style: z.enum(["bullet", "ordered"]),
        indent: z.int().min(0).max(8).optional(),
      }),
      typed("rich_text_quote", { elements: z.array(piece) }),
      typed("rich_text_preformatted", { elements: z.array(z.discriminatedUnion("type", [words, link])) }),
    ]),
  ),
});

/** The fields of a piece that Slack may show; if it may show several, the longest is counted. */
const SHOWN = new Map<unknown, readonly string[]>(
  Object.entries({
    text: ["text"],
    link: ["text", "url"],
    emoji: ["name"],
    date: ["fallback", "format"],
    user: ["user_id"],
    usergroup: ["usergroup_id"],
    channel: ["channel_id"],
  }),
);

/** The number of visible characters in a rich text. */
export function visibleLength(richText: unknown): number {
  let length = 0;
  for (const part of itemsOf(fieldOf(richText, "elements"))) {
    const names = SHOWN.get(fieldOf(part, "type"));
    length += names ? Math.max(...names.map((name) => textIn(fieldOf(part, name)).length)) : visibleLength(part);
  }
  return length;
}

// Some of Slack's pages list twice these limits, and home tabs as a surface for tables; these values satisfy every
// page.
const TABLE_ROWS = 101;
const TABLE_CHARACTERS = 10_000;
const CHART_PARTS = 6;
const CHART_POINTS = 20;

const cell = z.discriminatedUnion("type", [
  typed("raw_text", { text: text() }),
  typed("raw_number", { value: z.number(), text: text() }),
  richText.check(
    also((rich, fault) => {
      if (visibleLength(rich) === 0) fault("must be more than 0 characters");
    }),
  ),
]);

/** A table in a message. */
export const dataTable = typed("data_table", {
  block_id: id,
  caption: text(),
  rows: z.array(list(cell, 20)).min(2).max(TABLE_ROWS),
  page_size: z.int().min(1).max(100).optional(),
  row_header_column_index: z.int().min(0).optional(),
}).check(
  also(({ rows, row_header_column_index: index = 0 }, fault) => {
    const [header = [], ...others] = rows;
    for (const [at, { type }] of header.entries()) {
      if (type === "rich_text") fault(unmodelled(type), "rows", 0, at, "type");
    }
    for (const [at, { length }] of others.entries()) {
      if (length !== header.length) fault(`must have ${header.length} cells, as the first row has`, "rows", at + 1);
    }
    if (index >= header.length) fault(`must be less than ${header.length}`, "row_header_column_index");
  }),
  // Slack's limit applies to all cells together. How it counts rich text is undocumented: every visible character
  // counts.
  also(({ rows }, fault) => {
    const lengths = rows.flat().map((cell) => ("text" in cell ? cell.text.length : visibleLength(cell)));
    const characters = lengths.reduce((sum, length) => sum + length, 0);
    if (characters > TABLE_CHARACTERS) fault(`must be less than ${TABLE_CHARACTERS + 1} characters`, "rows");
  }),
);

const label = text(20);
const points = list(z.strictObject({ label, value: z.number() }), CHART_POINTS);

const series = {
  series: list(z.strictObject({ name: label, data: points }).check(uniqueIn("data", "label")), CHART_PARTS),
  axis_config: z
    .strictObject({
      categories: list(label, CHART_POINTS),
      x_label: text(50).optional(),
      y_label: text(50).optional(),
    })
    .check(
      also(({ categories }, fault) =>
        refuseRepeated(categories, "category", (message, index) => fault(message, "categories", index)),
      ),
    ),
};

/** Each series has one point for each category, in any order. */
const noGaps = also<z.infer<z.ZodObject<typeof series>>>(({ series, axis_config: { categories } }, fault) => {
  for (const [index, { data }] of series.entries()) {
    const labels = data.map((point) => point.label);
    const unknown = labels.findIndex((label) => !categories.includes(label));
    const missing = categories.find((category) => !labels.includes(category));
    const path = ["series", index, "data"];
    if (unknown >= 0) fault("must be one of the provided categories", ...path, unknown, "label");
    else if (missing !== undefined) fault(`missing data point: ${missing}`, ...path);
  }
});

const withAxes = <Type extends string>(type: Type) => typed(type, series).check(uniqueIn("series", "name"), noGaps);

/** A chart in a message. */
export const dataVisualization = typed("data_visualization", {
  block_id: id,
  title: text(50),
  chart: z.discriminatedUnion("type", [
    withAxes("line"),
    withAxes("bar"),
    withAxes("area"),
    typed("pie", { segments: list(z.strictObject({ label, value: z.number().positive() }), CHART_PARTS) }),
  ]),
});
