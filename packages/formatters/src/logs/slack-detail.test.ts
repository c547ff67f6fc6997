import { checkBlocks } from "@media-ops/fake-slack";
import { describe, expect, it } from "vitest";
import { formatLogDetail, type SlackBlock } from "../slack/index.js";
import { now, samples } from "../test/samples.js";

const [connection] = samples.connections;

/** Each block as its joined texts; a time as its fallback. */
function textsOf(blocks: readonly SlackBlock[]): string[] {
  return blocks.map((block) => {
    const found: string[] = [];
    JSON.stringify(block, (key, value: unknown) => {
      if ((key === "text" || key === "fallback") && typeof value === "string") found.push(value);
      return value;
    });
    return found.join("");
  });
}

describe("the details of an entry", () => {
  it("show times in each reader's zone, and in the requested zone if Slack cannot", () => {
    const { blocks } = formatLogDetail("connections", connection, { now, timeZone: "Europe/Berlin" });
    expect(JSON.stringify(blocks[0])).toContain('"fallback":"2026-11-21 15:03:22 Europe/Berlin"');
    expect(JSON.stringify(blocks[0])).toContain('"format":"{date_short_pretty} {time_secs} · {ago}"');
  });

  it("include unknown fields", () => {
    const { blocks } = formatLogDetail(
      "webhooks",
      { ...samples.webhooks[0], attempt: 3, answer: { ok: true } },
      { now },
    );
    expect(textsOf(blocks).slice(-2)).toEqual(["attempt\n3", 'answer\n{"ok":true}']);
  });

  it("have a dash for missing values, even if the whole entry is missing", () => {
    const { blocks, text } = formatLogDetail("api", undefined, { now });
    expect(textsOf(blocks)).toEqual(["Time\n–", "Status\n–", "Took\n–", "Address\n–"]);
    expect(text).toBe("API log: one entry");
  });

  it("truncate a long value, and show its length", () => {
    const { blocks } = formatLogDetail("api", { url: "u".repeat(5000) }, { now });
    expect(textsOf(blocks)[3]).toBe(`Address\n${"u".repeat(2999)}… (cut; 5,000 characters in all)`);
  });

  it("take constant time for values of any length", () => {
    const started = performance.now();
    const { blocks } = formatLogDetail("api", { url: "\n".repeat(8_000_000) }, { now });
    expect(performance.now() - started).toBeLessThan(500);
    expect(textsOf(blocks)[3]).toBe(`Address\n${"␊".repeat(2999)}… (cut; 8,000,000 characters in all)`);
  });

  it.each([
    ["many", 300, "value"],
    ["long", 60, "v".repeat(5000)],
    ["wide", 60, '“”"\\'.repeat(1000)],
  ])("omit some of too %s fields and show their number, so that Slack accepts the view", (_, count, value) => {
    const entry = Object.fromEntries(Array.from({ length: count }, (_, at) => [`field_${at}`, value]));
    const { blocks } = formatLogDetail("api", entry, { now });
    expect(checkBlocks(blocks, "modal")).toEqual({ ok: true });
    expect(textsOf(blocks).at(-1)).toBe(`${count + 4 - (blocks.length - 1)} more fields are not shown.`);
    expect(Buffer.byteLength(JSON.stringify(blocks))).toBeLessThan(240_000);
  });
});
