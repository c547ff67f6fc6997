import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyEntries, anyKind } from "../test/arbitrary.js";
import { samples } from "../test/samples.js";
import { formatEnd, formatLogs } from "./index.js";

describe("entries as JSON lines", () => {
  it("are unchanged, each on its own line with a line end", () => {
    expect(formatLogs("api", samples.api)).toBe(
      '{"timestamp":"2026-11-21T14:05:01.332Z","url":"https://media.example/orgs/list-webhook-logs","status":200,"elapsed_time_ms":3}\n' +
        '{"timestamp":"2026-11-21T14:01:44Z","url":"https://media.example/projects/create-access-token","status":400,"elapsed_time_ms":1}\n',
    );
    expect(formatLogs("api", [])).toBe("");
  });

  it("can be read back unchanged, for any entries", () => {
    const anyKindAndEntries = anyKind.chain((kind) => fc.tuple(fc.constant(kind), anyEntries(kind)));
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
