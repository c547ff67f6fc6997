import { parse } from "csv-parse/sync";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatTrace } from "../csv/index.js";
import { anyTrace } from "../test/arbitrary-answers.js";
import { trace } from "../test/trace-samples.js";

const rowsOf = (csv: string): Record<string, string>[] => parse(csv, { columns: true, record_delimiter: "\r\n" });

/** The fields with a value. */
const givenIn = (row: Record<string, string> = {}) =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== ""));

describe("a trace as CSV", () => {
  it("has a row for each line, in words and with its unchanged values", () => {
    const rows = rowsOf(formatTrace(trace));
    expect(rows).toHaveLength(trace.lines.length);
    expect(givenIn(rows[5])).toEqual({
      kind: "events",
      timestamp: "2026-11-21T14:03:20.000412Z",
      type: "connection.failed",
      outcome: "failed",
      reason: "ice-timeout",
      words: "connection 01KAKV09…5HW1 failed after 20 s: ICE timeout",
      channel_id: "lobby@demo",
      connection_id: "01KAKV09Q2M4EXK7C3R8ZB5HW1",
      client_id: "c2",
      role: "recvonly",
      node_name: "node-2",
      media_reason: "ICE-TIMEOUT",
      elapsed_time_ms: "20000",
    });
    expect(givenIn(rows[4])).toMatchObject({
      words: "client c7 refused 1,666× within a minute: token expired",
      count: "1666",
    });
    expect(givenIn(rows[6])).toMatchObject({ kind: "webhooks", status: "503", url: "https://hooks.example/media" });
    expect(givenIn(rows[7])).toMatchObject({ kind: "media-api", media_target: "Media_20151104.DisconnectChannel" });
  });

  it("has the figures of an end in the same row", () => {
    expect(givenIn(rowsOf(formatTrace(trace))[8])).toMatchObject({
      type: "connection.destroyed",
      total_received_bytes: "48000000",
      total_sent_bytes: "2000000",
      duration_min: "17",
      created_timestamp: "2026-11-21T13:47:02.7Z",
    });
  });

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
