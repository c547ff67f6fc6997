import { columnsOf } from "@media-ops/reports/entries";
import { describe, expect, it } from "vitest";
import { hostile } from "../test/hostile.js";
import { samples } from "../test/samples.js";
import { detailColumnsOf } from "./columns.js";

describe("the columns of one entry", () => {
  it("are all of its kind in the order of the table, including missing ones", () => {
    expect(detailColumnsOf("connections", samples.connections[0])).toEqual(columnsOf("connections"));
    expect(detailColumnsOf("connections", {})).toEqual(columnsOf("connections"));
  });

  it("end with unknown fields, under their own names", () => {
    const entry = { ...samples.api[0], region: "eu", "a\nb": { c: 1 }, "": 3 };
    expect(detailColumnsOf("api", entry).slice(4)).toEqual([
      { field: "region", title: "region", as: "text", in: "detail" },
      { field: "a\nb", title: "a␊b", as: "text", in: "detail" },
      { field: "", title: "(no name)", as: "text", in: "detail" },
    ]);
  });

  it("include the number of calls that it represents, if it has one", () => {
    expect(detailColumnsOf("api", { ...samples.api[0], count: 12 }).slice(4)).toEqual([
      { field: "count", title: "Calls", as: "count", in: "optional" },
    ]);
  });

  it.each([null, undefined, "text", 7, ["a"]])("are those of its kind for %j", (entry) => {
    expect(detailColumnsOf("api", entry)).toEqual(columnsOf("api"));
  });

  it.each(Object.entries(hostile))("exist for %s", (_, entry) => {
    expect(detailColumnsOf("api", entry).slice(0, 4)).toEqual(columnsOf("api"));
  });
});
