import type { LogKind } from "@media-ops/contract";
import { columnsOf } from "@media-ops/reports/entries";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatLogs } from "../logs/markdown.js";
import { formatSummary } from "../summary/markdown.js";
import { anyEntry, anyKind } from "../test/arbitrary.js";
import { cellsOf, shownText } from "../test/markdown-text.js";
import { ofEntries } from "../test/of-entries.js";
import { now, samples } from "../test/samples.js";
import { show } from "../values/show.js";
import { clockFor } from "../values/time.js";

const summed = ofEntries(formatSummary);

const clock = clockFor({ now });
const shownIn = (kind: LogKind) => columnsOf(kind).filter((column) => column.in !== "detail");

describe("entries in Markdown", () => {
  it("can have a heading and another time zone", () => {
    const lines = formatLogs("api", samples.api, { now, timeZone: "Asia/Tokyo", title: "Calls @ #1" }).split("\n");
    expect(lines.slice(0, 3)).toEqual([
      "### Calls <span>@</span> <span>#</span>1",
      "",
      "| Time (Asia/Tokyo) | Status | Took | Address |",
    ]);
    expect(lines[4]).toMatch(/^\| 2026-11-21 23:05:01 \|/);
    expect(() => formatLogs("api", [], { now, timeZone: "Mars/Olympus" })).toThrow(RangeError);
  });

  it("have a message for an empty list", () => {
    expect(formatLogs("media-api", [], { now })).toBe("No media API calls were found.");
    expect(formatLogs("media-api", [], { now, title: "T" })).toBe("### T\n\nNo media API calls were found.");
  });

  it("show every character of the entries", () => {
    const anyKindAndEntry = anyKind.chain((kind) => fc.tuple(fc.constant(kind), anyEntry(kind)));
    fc.assert(
      fc.property(anyKindAndEntry, ([kind, entry]) => {
        const [, , row = ""] = formatLogs(kind, [entry], { now }).split("\n");
        const expected = shownIn(kind).map((column) => show(entry, column, clock));
        expect(cellsOf(row).map(shownText)).toEqual(
          expected.map(({ text, time }) => (time === undefined ? text : clock.full(time))),
        );
      }),
    );
  });
});

describe("a summary in Markdown", () => {
  it("of no entries says so", () => {
    expect(summed("api", [], { now, title: "*" })).toBe("### \\*\n\nNo API calls.");
  });
});
