import { describe, expect, it } from "vitest";
import { columnsOf } from "./columns.js";
import { detailsOf } from "./details.js";
import { now, samples } from "./test/samples.js";
import { clockFor } from "./values/time.js";

const clock = clockFor({ now });

describe("the details of an entry", () => {
  it("are all fields of its kind in the order of the table, also those that are missing", () => {
    const fields = columnsOf("connections").map(({ field }) => field);
    expect(detailsOf("connections", samples.connections[0], clock).map(({ field }) => field)).toEqual(fields);
    const missing = detailsOf("connections", {}, clock);
    expect(missing.map(({ field }) => field)).toEqual(fields);
    expect(new Set(missing.map(({ shown }) => shown.whole))).toEqual(new Set(["–"]));
  });

  it("end with the fields that nobody knows yet, under their own names", () => {
    const entry = { ...samples.api[0], region: "eu", "a\nb": { c: 1 }, "": 3 };
    const unknown = detailsOf("api", entry, clock).slice(4);
    expect(unknown.map(({ title, shown }) => [title, shown.whole])).toEqual([
      ["region", "eu"],
      ["a␊b", '{"c":1}'],
      ["(no name)", "3"],
    ]);
  });

  it.each([null, undefined, "text", 7, ["a"]])("of %j are dashes", (entry) => {
    expect(detailsOf("api", entry, clock).map(({ shown }) => shown.text)).toEqual(["–", "–", "–", "–"]);
  });
});
