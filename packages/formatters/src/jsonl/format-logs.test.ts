import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyEntries, anyKind } from "../test/arbitrary.js";
import { samples } from "../test/samples.js";
import { formatLogs } from "./index.js";

describe("entries as lines of JSON", () => {
  it("are as they were, each on a line that ends", () => {
    expect(formatLogs("api", samples.api)).toBe(
      '{"timestamp":"2026-11-21T14:05:01.332Z","url":"https://media.example/orgs/list-webhook-logs","status":200,"elapsed_time_ms":3}\n' +
        '{"timestamp":"2026-11-21T14:01:44Z","url":"https://media.example/projects/create-access-token","status":400,"elapsed_time_ms":1}\n',
    );
    expect(formatLogs("api", [])).toBe("");
  });

  it("come back as they were, whatever they are", () => {
    const anyKindAndEntries = anyKind.chain((kind) => fc.tuple(fc.constant(kind), anyEntries(kind)));
    fc.assert(
      fc.property(anyKindAndEntries, ([kind, entries]) => {
        const lines = formatLogs(kind, entries).split("\n");
        expect(lines.pop()).toBe("");
        // JSON does not tell 0 from -0.
        expect(lines.map((line): unknown => JSON.parse(line))).toEqual(JSON.parse(JSON.stringify(entries)));
      }),
    );
  });

  it("are null where JSON cannot write them, so that the others have their lines", () => {
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    expect(formatLogs("api", [1, cycle, undefined, 2n, { a: "\u2028\n" }])).toBe(
      '1\nnull\nnull\nnull\n{"a":"\u2028\\n"}\n',
    );
  });
});
