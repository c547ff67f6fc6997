import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { anyText } from "../test/arbitrary.js";
import { anyLive, anyTrace, anyWhy } from "../test/arbitrary-answers.js";
import { cellsOf, meaning } from "../test/markdown-text.js";
import { now } from "../test/samples.js";
import { ambiguousTrace, partialTrace, trace } from "../test/trace-samples.js";
import { liveLobby, why } from "../test/why-samples.js";
import { formatLive, formatTrace, formatWhy } from "./index.js";

beforeAll(() => fc.configureGlobal({ numRuns: 25 }));
afterAll(() => fc.resetConfigureGlobal());

/** Expects that a text has only the markup of the printer: titles, tables, bold lines and bullets. */
function expectRight(markdown: string): void {
  const columns = new Set<number>();
  for (const line of markdown.split("\n")) {
    if (line.startsWith("| ")) {
      const cells = cellsOf(line);
      columns.add(cells.length);
      for (const cell of cells) expect(meaning(cell)).toEqual([]);
      continue;
    }
    const text = line.replace(/^(?:### |(?: {2})?- )?/, "").replace(/^\*\*(.*)\*\*$/, "$1");
    expect(meaning(text)).toEqual([]);
  }
  for (const count of columns) expect([2, 3, 5, 6]).toContain(count);
}

describe("in Markdown,", () => {
  it("a trace is a table, oldest first, with full dates and gaps", () => {
    const lines = formatTrace(trace, { now }).split("\n");
    expect(lines.slice(0, 8)).toEqual([
      "### Channel lobby (project demo)",
      "",
      "9 lines, 4 of them failures, Nov 20 23:59:58–today 14:04:02 UTC · webhooks to hooks.example/media",
      "",
      "| Time (UTC) | What happened |",
      "| --- | --- |",
      "| 2026-11-20 23:59:58 | session 01KAKR6W…F6H8 created · on node-1 |",
      "|  | … 13 h 47 min without entries … |",
    ]);
    expect(lines.at(-1)).toBe("There may be older lines.");
    expect(formatTrace(partialTrace, { now })).toMatch(
      /^\*\*Incomplete: only .+ was searched\..*\*\*\n\n### Connection /,
    );
    expect(formatTrace(ambiguousTrace, { now })).toContain(
      "| connection 01KAKV09Q2M4EXK7C3R8ZB5HW1 | 2026-11-21 14:03:20 |",
    );
  });

  it("an explanation has its totals in a table, and its causes in a list", () => {
    const lines = formatWhy(why, { now, note: "From the demo." }).split("\n");
    expect(lines.slice(0, 11)).toEqual([
      "### Why connections fail",
      "",
      "Most likely: ICE timeout on node-2: 45 connections of 44 clients failed, 2 in the 20 min before.",
      "",
      "| Connections | Now | Before |",
      "| --- | ---: | ---: |",
      "| Connected | 120 | 118 |",
      "| Ended well | 71 | 110 |",
      "| Failed | 45 | 2 |",
      "| Refused | 1,678 | 0 |",
      "",
    ]);
    expect(lines).toContain("  - Node: node-2");
    expect(lines.at(-1)).toBe("From the demo.");
    expect(formatWhy({ ...why, complete: false }, { now })).toMatch(/^\*\*Incomplete: /);
  });

  it("live channels are tables, and say when they were counted", () => {
    const text = formatLive(liveLobby, { now, channel: "lobby" });
    expect(text).toContain("has not connected yet. Counted at 2026-11-21 14:05:30 UTC.");
    expect(text).toContain("| lobby | 2 | 3 of 5 | 2 sendrecv | 2026-11-21 13:47:02 |");
    expect(text).toContain("| c1 | admitted, not connected yet | 2026-11-21 14:05:28 | sendrecv | 01KAKV0D…9T1V | – |");
  });

  it("none of them contains markup of its entries, for any", () => {
    fc.assert(
      fc.property(anyTrace, anyWhy, anyLive, anyText, (trace, why, live, title) => {
        expectRight(formatTrace(trace, { now, title, note: title }));
        expectRight(formatWhy(why, { now, title }));
        expectRight(formatLive(live, { now, title, channel: title }));
      }),
    );
  });
});
