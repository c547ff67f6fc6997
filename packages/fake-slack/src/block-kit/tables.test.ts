import { blocks } from "../test/blocks.js";
import { testBreaks } from "../test/broken.js";
import { gone } from "../test/change.js";
import { empty, missing, noEnum, noItems, tooLong, tooMany, unknownField, unsupported } from "../test/errors.js";
import { cell, numberCell, richCell } from "../test/parts.js";
import { letters, link, times } from "../test/texts.js";

const rows = (count: number, columns: number) => times(count, () => times(columns, () => cell(1)));
const rich = richCell({ type: "text", text: "x" });

const dataTable = {
  type: "data_table",
  caption: "x",
  rows: [
    [cell(1), numberCell],
    [rich, cell(1)],
  ],
  page_size: 5,
  row_header_column_index: 1,
};

testBreaks("a data_table", dataTable, [
  ["/caption", gone, missing("caption"), ""],
  ["/caption", "", empty],
  ["/rows", gone, missing("rows"), ""],
  ["/rows", rows(1, 2), "no less than 2 items allowed"],
  ["/rows", rows(102, 2), tooMany(101)],
  ["/rows/0", [], noItems],
  ["/rows/0", times(21, () => cell(1)), tooMany(20)],
  ["/rows/1", times(21, () => cell(1)), tooMany(20)],
  ["/rows/1", [cell(1)], "must have 2 cells, as the first row has"],
  ["/rows/0/0", rich, unsupported("rich_text"), "/rows/0/0/type"],
  ["/rows/1/0/text", "x", unknownField("text"), "/rows/1/0"],
  ["/rows/1/0", { type: "plain_text", text: "x" }, unsupported("plain_text"), "/rows/1/0/type"],
  ["/rows/1/0", "x", "must provide an object"],
  ["/rows/1/1/text", "", empty],
  ["/rows/1/0", richCell(), empty],
  ["/rows/1/1/text", 1, "must provide a string"],
  ["/rows/0/1/value", gone, missing("value"), "/rows/0/1"],
  ["/rows/0/1/value", "1", "must provide a number"],
  ["/rows/0/1/value", Number.NaN, "must provide a number"],
  ["/rows/0/1/value", Number.POSITIVE_INFINITY, "must provide a number"],
  ["/rows/0/1/text", gone, missing("text"), "/rows/0/1"],
  ["/rows/0/1/text", "", empty],
  ["/page_size", 0, "must be greater than 0"],
  ["/page_size", 101, "must be less than 101"],
  ["/page_size", 5.5, "must provide an integer"],
  ["/row_header_column_index", -1, "must be greater than -1"],
  ["/row_header_column_index", 2, "must be less than 2"],
]);

testBreaks("a data_table that is full", blocks.data_table.maximal, [
  ["/rows/0/0/text", letters(5), tooLong(10_000), "/rows"],
  ["/rows/100/0", richCell({ type: "link", url: link(30) }), tooLong(10_000), "/rows"],
]);

testBreaks("a table", { type: "table", rows: [[rich, numberCell], [cell(1)]], column_settings: [{ align: "left" }] }, [
  ["/rows", [], noItems],
  ["/rows", rows(101, 1), tooMany(100)],
  ["/rows/0", times(21, () => cell(1)), tooMany(20)],
  ["/rows/1/0", cell(10_001), tooLong(10_000), "/rows"],
  ["/rows/1/0", cell(0), empty, "/rows/1/0/text"],
  ["/rows/1/0", richCell(), empty],
  ["/column_settings", times(21, () => null), tooMany(20)],
  ["/column_settings/0/align", "top", noEnum],
  ["/column_settings/0/is_wrapped", 1, "must provide a boolean"],
  ["/caption", "x", unknownField("caption"), ""],
]);
