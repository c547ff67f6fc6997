import { testBreaks } from "../test/broken.js";
import { gone } from "../test/change.js";
import { empty, missing, noItems, tooLong, tooMany, unknownField, unsupported } from "../test/errors.js";
import { letters, times } from "../test/texts.js";

const point = (label: string, value = 1) => ({ label, value });
const one = (name: string) => ({ name, data: [point("a"), point("b")] });

testChart("line");
testChart("bar");
testChart("area");

function testChart(type: string): void {
  const block = {
    type: "data_visualization",
    title: letters(50),
    chart: {
      type,
      series: [one("first"), one("second")],
      axis_config: { categories: ["b", "a"], x_label: letters(50), y_label: letters(50) },
    },
  };
  testBreaks(`a ${type} chart`, block, [
    ["/title", gone, missing("title"), ""],
    ["/title", "", empty],
    ["/title", letters(51), tooLong(50)],
    ["/chart", gone, missing("chart"), ""],
    ["/chart/type", "donut", unsupported("donut")],
    ["/chart/series", gone, missing("series"), "/chart"],
    ["/chart/series", [], noItems],
    ["/chart/series", times(7, (index) => one(String(index))), tooMany(6)],
    ["/chart/series/0/name", "", empty],
    ["/chart/series/0/name", letters(21), tooLong(20)],
    ["/chart/series/1/name", "first", '`name` "first" already exists'],
    ["/chart/series/0/data", times(21, (index) => point(String(index))), tooMany(20)],
    ["/chart/series/0/data", [point("a")], "missing data point: b"],
    ["/chart/series/0/data/1/label", "a", '`label` "a" already exists'],
    ["/chart/series/0/data/0/label", "c", "must be one of the provided categories"],
    ["/chart/series/0/data/1/label", "c", "must be one of the provided categories"],
    ["/chart/series/0/data/1/label", letters(21), tooLong(20)],
    ["/chart/series/0/data/1/value", "1", "must provide a number"],
    ["/chart/series/0/data/1/value", Number.NaN, "must provide a number"],
    ["/chart/axis_config", gone, missing("axis_config"), "/chart"],
    ["/chart/axis_config/categories", times(21, String), tooMany(20)],
    ["/chart/axis_config/categories/1", letters(21), tooLong(20)],
    ["/chart/axis_config/categories/1", "b", '`category` "b" already exists'],
    ["/chart/axis_config/x_label", letters(51), tooLong(50)],
    ["/chart/axis_config/y_label", "", empty],
    ["/chart/axis_config/y_label", letters(51), tooLong(50)],
    ["/chart/segments", [], unknownField("segments"), "/chart"],
  ]);
}

const pie = { type: "data_visualization", title: "x", chart: { type: "pie", segments: [point("a", 0.1)] } };

testBreaks("a pie", pie, [
  ["/chart/segments", [], noItems],
  ["/chart/segments", times(7, (index) => point(String(index))), tooMany(6)],
  ["/chart/segments/0/label", letters(21), tooLong(20)],
  ["/chart/segments/0/value", 0, "must be greater than 0"],
  ["/chart/segments/0/value", -1, "must be greater than 0"],
  ["/chart/segments/0/value", "1", "must provide a number"],
]);
