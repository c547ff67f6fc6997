import type { LogKind } from "@media-ops/contract";
import { columnsOf } from "@media-ops/reports/entries";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { detailColumnsOf } from "../logs/columns.js";
import { formatLogDetail, formatLogs } from "../logs/markdown.js";
import { formatSummary } from "../summary/markdown.js";
import { anyEntries, anyEntry, anyKind, anyText } from "../test/arbitrary.js";
import { cellsOf, meaning, shownText } from "../test/markdown-text.js";
import { ofEntries } from "../test/of-entries.js";
import { now, samples } from "../test/samples.js";
import { show } from "../values/show.js";
import { oneLine } from "../values/text.js";
import { clockFor } from "../values/time.js";

const summed = ofEntries(formatSummary);

const clock = clockFor({ now });
const shownIn = (kind: LogKind) => columnsOf(kind).filter((column) => column.in !== "detail");
const anyKindAndEntries = anyKind.chain((kind) => fc.tuple(fc.constant(kind), anyEntries(kind)));

describe("entries in Markdown", () => {
  it("are a table, with right-aligned numbers and unambiguous times", () => {
    expect(formatLogs("webhooks", samples.webhooks.slice(1, 3), { now }).split("\n")).toEqual([
      "| Time (UTC) | Status | Took | Event | Sent to |",
      "| --- | --- | ---: | --- | --- |",
      "| 2026-11-21 14:05:12 | ✗ 503 | 1.24 s | connection.destroyed | hooks.example/teams/vide…ion/eu-central-1/events |",
      "| 2026-11-21 14:04:40 | ▲ 404 | 36 ms | session.created | hooks.example/media |",
    ]);
  });

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

  it("keep their number of cells, and have no markup, for any entries", () => {
    fc.assert(
      fc.property(anyKindAndEntries, anyText, ([kind, entries], title) => {
        const table = formatLogs(kind, entries, { now });
        if (entries.length === 0) return;
        const [heading = "", , ...rows] = table.split("\n");
        const count = shownIn(kind).length;
        expect(cellsOf(heading)).toHaveLength(count);
        expect(rows).toHaveLength(entries.length);
        for (const row of rows.slice(0, 12)) {
          const cells = cellsOf(row);
          expect(cells).toHaveLength(count);
          expect(cells.flatMap(meaning)).toEqual([]);
        }
        const titled = formatLogs(kind, entries.slice(0, 1), { now, title }).split("\n")[0] ?? "";
        if (title !== "") expect(meaning(titled.replace(/^### /, ""))).toEqual([]);
      }),
    );
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

describe("one entry in Markdown", () => {
  it("is a table with the exact values of all fields", () => {
    expect(formatLogDetail("webhooks", samples.webhooks[4], { now }).split("\n")).toEqual([
      "| Field | Value |",
      "| --- | --- |",
      "| Time | 2026-11-20 09:00:00 UTC · 2026-11-20T09:00:00.000001Z |",
      "| Status | → 302 |",
      "| Took | 5 ms |",
      "| Event | session.destroyed |",
      "| Sent to | https<span>:</span>//hooks.example/old?token=&lt;none&gt;&amp;a=1 |",
    ]);
  });

  it("keeps two cells in each row, for any entry", () => {
    const anyKindAndEntry = anyKind.chain((kind) => fc.tuple(fc.constant(kind), anyEntry(kind)));
    fc.assert(
      fc.property(anyKindAndEntry, ([kind, entry]) => {
        const rows = formatLogDetail(kind, entry, { now }).split("\n").slice(2).map(cellsOf);
        const columns = detailColumnsOf(kind, entry);
        expect(rows.map(([title = ""]) => shownText(title))).toEqual(columns.map(({ title }) => oneLine(title)));
        for (const cells of rows) {
          expect(cells).toHaveLength(2);
          expect(cells.flatMap(meaning)).toEqual([]);
        }
      }),
    );
  });
});

describe("a summary in Markdown", () => {
  it("has words, numbers and a chart", () => {
    const text = summed("webhooks", samples.webhooks, { now, timeZone: "Europe/Berlin" });
    expect(text).toMatch(/^### Webhook log\n\n3 of 5 webhooks failed\..*\n\n\| Figure \| Value \|\n\| --- \| --- \|\n/);
    expect(text).toContain("| Failed | 3 (60%) |");
    expect(text).toContain("| Period | 2026-11-20 10:00:00 to 2026-11-21 15:05:28 Europe/Berlin |");
    expect(text).toMatch(
      /\n\n\*\*Webhooks over time \(Europe\/Berlin\)\*\*\n\n```text\n {10,}█ Succeeded {2}▒ Failed\n/,
    );
    // Even hours in Berlin, which are odd in UTC.
    expect(text).toMatch(/^Nov 20 10:00 /m);
    expect(text).toMatch(/\n```$/);
  });

  it("of no entries says so", () => {
    expect(summed("api", [], { now, title: "*" })).toBe("### \\*\n\nNo API calls.");
  });

  it("contains no markup of its entries, for any entries", () => {
    fc.assert(
      fc.property(
        anyKindAndEntries,
        fc.constantFrom("entries" as const, "latency" as const),
        ([kind, entries], chart) => {
          const [before = "", drawn] = summed(kind, entries, { now, chart }).split("\n\n**");
          const [heading = "", , words = "", , ...rows] = before.split("\n");
          expect(meaning(heading.replace(/^### /, ""))).toEqual([]);
          expect(meaning(words)).toEqual([]);
          for (const row of rows) {
            expect(cellsOf(row)).toHaveLength(2);
            expect(cellsOf(row).flatMap(meaning)).toEqual([]);
          }
          if (drawn !== undefined) expect(drawn.split("```")).toHaveLength(3);
        },
      ),
    );
  });
});
