import { fieldOf, itemsOf, lengthOf } from "../json.js";
import { blockId, richText, visibleLength } from "./rich-text.js";
import {
  checkUnique,
  integer,
  list,
  number,
  numberAboveZero,
  object,
  oneOf,
  optional,
  type Shape,
  type ShapeRule,
  string,
  uniqueIn,
} from "./rules.js";

// Some of Slack's pages name twice these limits, and home tabs as a surface for tables; these hold on every page.
const TABLE_ROWS = 101;
const TABLE_CHARACTERS = 10_000;
const CHART_PARTS = { max: 6 };
const CHART_POINTS = { max: 20 };

const notEmpty: ShapeRule = (cell, position) => {
  if (visibleLength(cell) === 0) position.fault("must be more than 0 characters");
};

const plainCells = {
  raw_text: { fields: { text: string() } },
  raw_number: { fields: { value: number, text: string() } },
};
const headerCell = oneOf(plainCells);
const cell = oneOf({ ...plainCells, rich_text: { ...richText, also: [notEmpty] } });

/** Slack counts the cells of a message together. How it counts rich text is undocumented: everything visible counts. */
const fewCharacters: ShapeRule = ({ rows }, position) => {
  let characters = 0;
  for (const cell of itemsOf(rows).flatMap(itemsOf))
    characters += lengthOf(fieldOf(cell, "text")) + visibleLength(cell);
  if (characters > TABLE_CHARACTERS) position.at("rows").fault(`must be less than ${TABLE_CHARACTERS + 1} characters`);
};

const equalRows: ShapeRule = ({ rows }, position) => {
  const [header, ...others] = itemsOf(rows).map((row) => itemsOf(row).length);
  for (const [index, length] of others.entries()) {
    if (length !== header) position.at("rows", index + 1).fault(`must have ${header} cells, as the first row has`);
  }
};

const headerColumnExists: ShapeRule = ({ rows, row_header_column_index: index = 0 }, position) => {
  const columns = itemsOf(itemsOf(rows)[0]).length;
  if (Number(index) >= columns) position.at("row_header_column_index").fault(`must be less than ${columns}`);
};

export const dataTable: Shape = {
  on: ["message"],
  fields: {
    block_id: blockId,
    caption: string(),
    rows: list(list(cell, { max: 20 }), { first: list(headerCell, { max: 20 }), min: 2, max: TABLE_ROWS }),
    page_size: optional(integer({ max: 100 })),
    row_header_column_index: optional(integer({ min: 0 })),
  },
  also: [equalRows, headerColumnExists, fewCharacters],
};

const label = string({ max: 20 });

const uniqueCategories: ShapeRule = ({ categories }, position) => {
  checkUnique(
    itemsOf(categories).map((value, index) => ({ value, position: position.at("categories", index) })),
    "category",
  );
};

/** Each series has one point for each category, in any order. */
const noGaps: ShapeRule = ({ series, axis_config }, position) => {
  const categories = itemsOf(fieldOf(axis_config, "categories"));
  for (const [index, one] of itemsOf(series).entries()) {
    const data = position.at("series", index, "data");
    const labels = itemsOf(fieldOf(one, "data")).map((point) => fieldOf(point, "label"));
    const unknown = labels.findIndex((label) => !categories.includes(label));
    const missing = categories.find((category) => !labels.includes(category));
    if (unknown >= 0) data.at(unknown, "label").fault("must be one of the provided categories");
    else if (missing !== undefined) data.fault(`missing data point: ${missing}`);
  }
};

const series: Shape = {
  fields: {
    series: list(
      object({
        fields: { name: label, data: list(object({ fields: { label, value: number } }), CHART_POINTS) },
        also: [uniqueIn("data", "label")],
      }),
      CHART_PARTS,
    ),
    axis_config: object({
      fields: {
        categories: list(label, CHART_POINTS),
        x_label: optional(string({ max: 50 })),
        y_label: optional(string({ max: 50 })),
      },
      also: [uniqueCategories],
    }),
  },
  also: [uniqueIn("series", "name"), noGaps],
};

const pie: Shape = {
  fields: { segments: list(object({ fields: { label, value: numberAboveZero } }), CHART_PARTS) },
};

export const dataVisualization: Shape = {
  on: ["message"],
  fields: {
    block_id: blockId,
    title: string({ max: 50 }),
    chart: oneOf({ line: series, bar: series, area: series, pie }),
  },
};
