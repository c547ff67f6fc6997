import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyText } from "../test/arbitrary.js";
import { anyAudit, anyDeliveries, anyDelivery, anyEndpoints, anyTokens } from "../test/arbitrary-operations.js";
import { cellsOf, meaning } from "../test/markdown-text.js";
import { issued } from "../test/operation-samples.js";
import { now } from "../test/samples.js";
import { formatAudit, formatDeliveries, formatDelivery, formatEndpoints, formatTokens } from "./index.js";

/** Expects that a text has only the markup of the printer, and that all rows have as many cells. */
function expectRight(markdown: string): void {
  const columns = new Set<number>();
  for (const line of markdown.split("\n")) {
    const cells = line.startsWith("| ") ? cellsOf(line) : [line.replace(/^### /, "")];
    if (line.startsWith("| ")) columns.add(cells.length);
    for (const cell of cells) expect(meaning(cell)).toEqual([]);
  }
  expect(columns.size).toBeLessThanOrEqual(1);
}

describe("in Markdown,", () => {
  it.each([
    ["issued tokens", anyTokens, formatTokens],
    ["webhook deliveries", anyDeliveries, formatDeliveries],
    ["one delivery", anyDelivery, formatDelivery],
    ["webhook endpoints", anyEndpoints, formatEndpoints],
    ["the audit log", anyAudit, formatAudit],
  ] as [string, fc.Arbitrary<unknown>, (thing: never, options: object) => string][])(
    "%s have no markup of their own, whatever they contain",
    (_, anyThing, print) => {
      fc.assert(
        fc.property(anyThing, anyText, fc.boolean(), (thing, text, hasMore) => {
          expectRight(print(thing as never, { now, title: text, note: text, hasMore, nameOf: () => text }));
        }),
        { numRuns: 25 },
      );
    },
  );

  it("times are not relative, because a page is read later", () => {
    expect(formatTokens(issued, { now })).not.toMatch(/ ago| in \d/);
    expect(formatTokens(issued, { now })).toContain("| 2026-11-21 14:13:30 |");
  });
});
