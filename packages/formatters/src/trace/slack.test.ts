import { checkBlocks } from "@media-ops/fake-slack";
import type { Trace, TraceLine } from "@media-ops/reports";
import { describe, expect, it } from "vitest";
import { formatTrace, type SlackMessage } from "../slack/index.js";
import { ambiguousTrace, emptyTrace, now, trace } from "../test/samples.js";
import { previewOf } from "../test/slack-preview.js";

/** What a reader in UTC sees, without bold text. */
const read = ({ blocks }: SlackMessage): string[] =>
  previewOf(blocks)
    .replaceAll("**", "")
    .replaceAll(/<\/?sub>/g, "")
    .split(/<br>|\n+/);

/** A trace with many lines, a second apart, the newest now. */
function long(count: number, more: object = {}): Trace {
  const lines = Array.from({ length: count }, (_, at): TraceLine => {
    const timestamp = new Date(now - (count - at - 1) * 1000).toISOString();
    return {
      kind: "events",
      entry: { timestamp, type: "connection.created", outcome: "ok", connection_id: `K${at + 1}`, ...more },
    };
  });
  return { ...trace, lines };
}

describe("a trace in Slack", () => {
  it("shows each time in the reader's zone, with the date unless all are today", () => {
    const formatsOf = (given: Trace) =>
      JSON.stringify(formatTrace(given, { now }).blocks).match(/(?<="format":")[^"]+/g);
    expect(new Set(formatsOf(trace))).toEqual(new Set(["{date_num} {time_secs}"]));
    expect(new Set(formatsOf({ ...trace, lines: trace.lines.slice(1) }))).toEqual(new Set(["{time_secs}"]));
    const old = formatTrace(long(1, { timestamp: "1969-07-20T20:17:40Z" }), { now, timeZone: "Asia/Tokyo" });
    expect(read(old)).toContain("1969-07-21 05:17:40 connection K1 created");
  });

  it("says that nothing was found, or what the text may name", () => {
    expect(read(formatTrace(emptyTrace, { now }))).toEqual([
      "Trace of 0J9V6TQ2…W1NA",
      "Nothing was found. Searched: event log, connection log and session log.",
    ]);
    expect(read(formatTrace(ambiguousTrace, { now }))).toEqual([
      "Trace of 01KAKV0…",
      "This could be any of these:",
      "- connection 01KAKV09Q2M4EXK7C3R8ZB5HW1, last seen 14:03:20 · 2 min ago",
      "- connection 01KAKV0B9G7T5R3P1M8K6H4F2D, last seen 14:04:02 · 1 min ago",
      "- client 01KAKV0B9E7W5Q3X1Z8N6M4K2J, last seen 2026-11-20 09:00:00 · 1 d ago",
    ]);
  });

  it("keeps the newest lines if not all fit, and says how many it omits", () => {
    const message = formatTrace(long(1000), { now });
    const lines = read(message);
    expect(message.shown).toBeGreaterThan(100);
    expect(message.shown).toBeLessThan(1000);
    expect(lines).toContain("14:05:30 connection K1000 created");
    expect(lines).toContain(
      `The newest ${message.shown} of 1,000 lines: ${1000 - message.shown} older ones do not fit. There may be older lines.`,
    );
    expect(lines.filter((line) => / created$/.test(line))).toHaveLength(message.shown);
    expect(checkBlocks(message.blocks, "message")).toEqual({ ok: true });
    // Few blocks, none of which is longer than Slack's sections may be.
    expect(message.blocks.length).toBeLessThan(10);
    for (const block of message.blocks) expect(previewOf([block]).length).toBeLessThan(3000);
  });

  it("shows all lines of a client that was refused a thousand times as one", () => {
    const refused = { type: "admission.refused", outcome: "refused", client_id: "c1", reason: "no-token" };
    const message = formatTrace(long(1000, refused), { now });
    expect(message.shown).toBe(1000);
    expect(read(message)).toContain("13:48:51 client c1 refused 1,000× within 16 min 39 s: no token");
  });

  it("omits a gap together with the lines before it", () => {
    // The last line that fits follows a gap.
    const { shown } = formatTrace(long(1000), { now });
    const lines = long(1000).lines.map((line, at): TraceLine => {
      if (at >= 1000 - shown || line.kind !== "events") return line;
      return { ...line, entry: { ...line.entry, timestamp: new Date(now - 12 * 3_600_000).toISOString() } };
    });
    const message = formatTrace({ ...trace, lines }, { now });
    expect(read(message).slice(2, 4)).toEqual([expect.stringMatching(/ created$/), expect.stringMatching(/ created$/)]);
  });
});
