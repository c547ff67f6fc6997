import { fieldOf, itemsOf, lengthOf } from "./json.js";
import { blockId, richText, visibleLength } from "./rich-text.js";
import {
  flag,
  integer,
  list,
  number,
  object,
  oneOf,
  optional,
  type Rule,
  type Shape,
  type ShapeRule,
  string,
  word,
} from "./rules.js";

// For data tables, Slack's documentation has also said twice as much; what fits these fits either way. It also names home
// tabs as a place for tables, but what is only in messages is right in any case.
const DATA_TABLE_ROWS = 101;
const CHARACTERS = 10_000;

const notEmpty: ShapeRule = (cell, place) => {
  if (visibleLength(cell) === 0) place.fault("must be more than 0 characters");
};

const plainCells = {
  raw_text: { fields: { text: string() } },
  raw_number: { fields: { value: number, text: string() } },
};
const headerCell = oneOf(plainCells);
const cell = oneOf({ ...plainCells, rich_text: { ...richText, also: [notEmpty] } });

const columnSettings = object({
  fields: { align: optional(word("left", "center", "right")), is_wrapped: optional(flag) },
});

// A column without settings may be skipped.
const skippable: Rule = (value, place) => {
  if (value !== null) columnSettings(value, place);
};

/**
 * Slack counts the cells of a message together; a message has one table. How it counts rich text is nowhere written, so
 * that all that is to be seen is counted here.
 */
const fewCharacters: ShapeRule = (table, place) => {
  let characters = 0;
  for (const cell of itemsOf(table.rows).flatMap(itemsOf)) {
    characters += lengthOf(fieldOf(cell, "text")) + visibleLength(cell);
  }
  if (characters > CHARACTERS) place.at("rows").fault(`must be less than ${CHARACTERS + 1} characters`);
};

const equalRows: ShapeRule = ({ rows }, place) => {
  const [header, ...others] = itemsOf(rows).map((row) => itemsOf(row).length);
  for (const [index, length] of others.entries()) {
    if (length !== header) place.at("rows", index + 1).fault(`must have ${header} cells, as the first row has`);
  }
};

const headerColumnExists: ShapeRule = ({ rows, row_header_column_index: index = 0 }, place) => {
  const columns = itemsOf(itemsOf(rows)[0]).length;
  if (Number(index) >= columns) place.at("row_header_column_index").fault(`must be less than ${columns}`);
};

export const table: Shape = {
  on: ["message"],
  fields: {
    block_id: optional(blockId),
    rows: list(list(cell, { max: 20 }), { max: 100 }),
    column_settings: optional(list(skippable, { max: 20 })),
  },
  also: [fewCharacters],
};

export const dataTable: Shape = {
  on: ["message"],
  fields: {
    block_id: optional(blockId),
    caption: string(),
    rows: list(list(cell, { max: 20 }), { first: list(headerCell, { max: 20 }), min: 2, max: DATA_TABLE_ROWS }),
    page_size: optional(integer({ max: 100 })),
    row_header_column_index: optional(integer({ min: 0 })),
  },
  also: [equalRows, headerColumnExists, fewCharacters],
};
