import { parse } from "csv-parse/sync";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatTrace } from "../csv/index.js";
import { anyTrace } from "../test/arbitrary.js";

const rowsOf = (csv: string): Record<string, string>[] => parse(csv, { columns: true, record_delimiter: "\r\n" });

describe("a trace as CSV", () => {
  it("has only a header without lines, and a byte order mark if it is wanted", () => {
    expect(formatTrace({ lines: [] })).toMatch(/^kind,timestamp,type,outcome,reason,words,channel_id,[a-z_,]+\r\n$/);
    expect(formatTrace({ lines: [] }, { bom: true })).toMatch(/^\ufeffkind,/);
  });

  it("runs no formula in a spreadsheet, and has a row for each line, for any entries", () => {
    const evil = "=1+1";
    const [row] = rowsOf(
      formatTrace({
        lines: [{ kind: "events", entry: { timestamp: evil, type: evil, outcome: "ok", client_id: evil } }],
      }),
    );
    expect(row).toMatchObject({ timestamp: "'=1+1", type: "'=1+1", words: "'=1+1", client_id: "'=1+1" });
    fc.assert(
      fc.property(anyTrace, (given) => {
        const rows = rowsOf(formatTrace(given));
        expect(rows).toHaveLength(given.lines.length);
        for (const value of rows.slice(0, 12).flatMap((one) => Object.values(one))) {
          if (!/^-?[\d.e+-]+$/.test(value)) expect(value).not.toMatch(/^\s*[=+\-@＝＋－＠]/);
        }
      }),
      { numRuns: 25 },
    );
  });
});
