import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyKindAndEntries } from "../test/arbitrary.js";
import { ambiguousTrace, emptyTrace, partialTrace, trace } from "../test/samples.js";
import { formatEnd, formatLogs, formatTrace } from "./index.js";

describe("entries as JSON lines", () => {
  it("can be read back unchanged, for any entries", () => {
    fc.assert(
      fc.property(anyKindAndEntries, ([kind, entries]) => {
        const lines = formatLogs(kind, entries).split("\n");
        expect(lines.pop()).toBe("");
        // JSON does not distinguish 0 from -0.
        expect(lines.map((line): unknown => JSON.parse(line))).toEqual(JSON.parse(JSON.stringify(entries)));
      }),
    );
  });

  it("end with how far the search got, if it is not complete", () => {
    expect(formatEnd({ complete: true, searchedTo: "2026-11-21T14:00:00Z" })).toBe("");
    expect(formatEnd({ complete: false, searchedTo: "2026-11-21T14:00:00Z" })).toBe(
      '{"complete":false,"searched_to":"2026-11-21T14:00:00Z"}\n',
    );
  });

  it("are null if JSON cannot represent them, without affecting the other lines", () => {
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    expect(formatLogs("api", [1, cycle, undefined, 2n, { a: "\u2028\n" }])).toBe(
      '1\nnull\nnull\nnull\n{"a":"\u2028\\n"}\n',
    );
  });
});

describe("a trace as JSON lines", () => {
  const read = (text: string): unknown[] =>
    text
      .split("\n")
      .slice(0, -1)
      .map((line): unknown => JSON.parse(line));

  it("has each line in words and with its entries unchanged", () => {
    const lines = read(formatTrace(trace));
    expect(lines).toHaveLength(trace.lines.length);
    expect(lines[3]).toEqual({
      words: "client c1 refused: channel full (5 of 5) · in lobby · sendrecv · on node-1",
      ...trace.lines[3],
    });
    expect(lines.at(-1)).toMatchObject(trace.lines.at(-1) ?? {});
  });

  it("ends with what was not searched, and what the text may name", () => {
    expect(read(formatTrace(partialTrace)).at(-1)).toEqual({
      complete: false,
      searched_to: "2026-11-21T13:40:00Z",
      missing: ["events", "webhooks"],
    });
    expect(read(formatTrace(ambiguousTrace))).toEqual([{ candidates: ambiguousTrace.candidates }]);
    expect(formatTrace(emptyTrace)).toBe("");
  });
});
