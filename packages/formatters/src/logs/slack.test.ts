import { checkBlocks } from "@media-ops/fake-slack";
import type { DataTableBlock, SectionBlock } from "@slack/types";
import { describe, expect, it } from "vitest";
import { formatLogDetail, formatLogs, type SlackBlock, type SlackLogsMessage } from "../slack/index.js";
import { now, samples } from "../test/samples.js";

const [first] = samples.webhooks;

function many(count: number, fields: object = {}): unknown[] {
  return Array.from({ length: count }, () => ({ ...first, ...fields }));
}

function tableIn({ blocks }: SlackLogsMessage): DataTableBlock {
  const table = blocks.find((block): block is DataTableBlock => block.type === "data_table");
  if (!table) throw new Error("The message has no table.");
  return table;
}

function datesIn(message: SlackLogsMessage): unknown[] {
  const [, ...rows] = tableIn(message).rows;
  return rows.map(([cell]) => (cell?.type === "rich_text" ? cell.elements[0]?.elements[0] : cell));
}

function linesIn({ blocks }: SlackLogsMessage): string[] {
  const sections = blocks.filter((block: SlackBlock): block is SectionBlock => block.type === "section");
  return sections.flatMap(({ text }) => text?.text.split("\n") ?? []);
}

describe("a table of log entries", () => {
  it("sorts numerically even if a number is missing, which is sorted last", () => {
    const entries = [
      { status: 0, elapsed_time_ms: 84 },
      { status: 503, elapsed_time_ms: 10_000 },
      { status: null, elapsed_time_ms: "fast" },
    ];
    const { rows } = tableIn(formatLogs("webhooks", entries, { now }));
    const column = (at: number) => rows.slice(1).map((row) => row[at]);
    expect(column(1)).toEqual([
      { type: "raw_number", value: 1000, text: "✗ no answer" },
      { type: "raw_number", value: 503, text: "✗ 503" },
      { type: "raw_number", value: -1, text: "–" },
    ]);
    expect(column(2)).toEqual([
      { type: "raw_number", value: 84, text: "84 ms" },
      { type: "raw_number", value: 10_000, text: "10 s" },
      { type: "raw_number", value: -1, text: "fast" },
    ]);
  });

  it("shows the date in all times if one is in the future", () => {
    const ahead = [{ ...first, timestamp: "2026-11-21T14:10:30Z" }, first];
    for (const date of datesIn(formatLogs("webhooks", ahead, { now }))) {
      expect(date).toMatchObject({ format: "{date_num} {time_secs} · {ago}" });
    }
  });

  it("writes times before 1970 as text, because Slack cannot format them", () => {
    const { rows } = tableIn(formatLogs("webhooks", many(1, { timestamp: "1969-07-20T20:17:40Z" }), { now }));
    expect(rows[1]?.[0]).toMatchObject({ type: "raw_text", text: expect.stringContaining("1969-07-20 20:17:40") });
  });

  it("shows 100 of 1,000 entries, and says so", () => {
    const message = formatLogs("api", Array(1000).fill(samples.api[0]), { now });
    expect(message).toMatchObject({ shown: 100, text: "API log: newest 100 of 1,000 API calls" });
    expect(JSON.stringify(message.blocks.at(-1))).toContain('"Newest 100 of 1,000 API calls"');
    expect(tableIn(message).rows).toHaveLength(101);
  });

  it("calls them the newest only if no omitted entry is newer", () => {
    const at = (minute: number) => ({ ...samples.api[0], timestamp: `2026-11-21T14:0${minute}:00Z` });
    const textOf = (...entries: unknown[]) => formatLogs("api", entries, { now, atMost: 2 }).text;
    expect(textOf(at(3), at(2), at(1))).toBe("API log: newest 2 of 3 API calls");
    expect(textOf(at(2), at(3), at(2))).toBe("API log: newest 2 of 3 API calls");
    expect(textOf(at(1), at(2), at(3))).toBe("API log: first 2 of 3 API calls");
    expect(textOf(at(3), at(2), at(1), at(4))).toBe("API log: first 2 of 4 API calls");
    expect(textOf(at(3), at(2), {})).toBe("API log: first 2 of 3 API calls");
  });

  it("shows fewer entries if the cells would exceed 10,000 characters in total", () => {
    const wide = { type: "t".repeat(500), url: "u".repeat(500) };
    const message = formatLogs("webhooks", many(100, wide), { now });
    expect(message.shown).toBe(84);
    expect(checkBlocks(message.blocks, "message")).toEqual({ ok: true });
  });

  it.each([
    [undefined, 10],
    [25, 25],
    [0, 1],
    [1000, 100],
    [Number.NaN, 1],
  ])("with pageSize %s shows %d rows per page", (pageSize, shown) => {
    expect(tableIn(formatLogs("webhooks", samples.webhooks, { now, pageSize })).page_size).toBe(shown);
  });
});

describe("lines of log entries", () => {
  it("omit missing values, and are never empty", () => {
    expect(linesIn(formatLogs("webhooks", [{ type: "session.created" }, 7], { now, style: "compact" }))).toEqual([
      "`session.created`",
      "–",
    ]);
  });

  it("continue in another section if one is full, and end before the message is too long", () => {
    const message = formatLogs("webhooks", many(100, { url: "&".repeat(500) }), { now, style: "compact" });
    const sections = message.blocks.filter(({ type }) => type === "section");
    expect(sections.length).toBeGreaterThan(2);
    expect(message.shown).toBeGreaterThan(20);
    expect(message.shown).toBeLessThan(100);
    expect(linesIn(message)).toHaveLength(message.shown);
    expect(message.text).toBe(`Webhook log: newest ${message.shown} of 100 webhooks`);
  });
});

describe.each(["table", "compact"] as const)("log entries as %s", (style) => {
  it("have a friendly message for an empty list", () => {
    const message = formatLogs("webhooks", [], {
      now,
      style,
      title: "Webhooks of the last 2 h",
      note: "Try since:1d.",
    });
    expect(message).toMatchObject({ shown: 0, text: "Webhooks of the last 2 h: No webhooks were found." });
    expect(message.blocks.map(({ type }) => type)).toEqual(["rich_text", "section", "context"]);
    expect(checkBlocks(message.blocks, "message")).toEqual({ ok: true });
  });

  it.each([
    [{ from: 51, total: 1000 }, 5, "51–55 of 1,000 webhooks"],
    [{ from: 998, total: 1002 }, 5, "998–1,002 of 1,002 webhooks"],
    [{ from: 1000, total: 1000 }, 1, "1,000 of 1,000 webhooks"],
    [{ from: 1, total: 1 }, 1, "1 of 1 webhook"],
  ])("at %j of a longer listing show their position", (position, count, words) => {
    const message = formatLogs("webhooks", samples.webhooks.slice(0, count), { now, style, position });
    expect(message.text).toBe(`Webhook log: ${words}`);
    expect(JSON.stringify(message.blocks.at(-1))).toContain(`"${words}"`);
  });

  it("have the query as a title, and the note at the end", () => {
    const options = { now, style, title: "Webhooks with status>=400 & <!here>", note: "Older ones are not kept." };
    const message = formatLogs("webhooks", samples.webhooks, options);
    expect(message.text).toBe("Webhooks with status&gt;=400 &amp; &lt;!here&gt;: 5 webhooks");
    expect(JSON.stringify(message.blocks[0])).toContain('"Webhooks with status>=400 & <!here>"');
    expect(JSON.stringify(message.blocks.at(-1))).toMatch(/"5 webhooks".*"Older ones are not kept\."/);
  });
});

const [_connection] = samples.connections;

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
  it("have a dash for missing values, even if the whole entry is missing", () => {
    const { blocks, text } = formatLogDetail("api", undefined, { now });
    expect(textsOf(blocks)).toEqual(["Time\n–", "Status\n–", "Took\n–", "Address\n–"]);
    expect(text).toBe("API log: one entry");
  });

  it("truncate a long value, and show its length", () => {
    const { blocks } = formatLogDetail("api", { url: "u".repeat(5000) }, { now });
    expect(textsOf(blocks)[3]).toBe(`Address\n${"u".repeat(2999)}… (cut; 5,000 characters in total)`);
  });

  it("take constant time for values of any length", () => {
    const started = performance.now();
    const { blocks } = formatLogDetail("api", { url: "\n".repeat(8_000_000) }, { now });
    expect(performance.now() - started).toBeLessThan(500);
    expect(textsOf(blocks)[3]).toBe(`Address\n${"␊".repeat(2999)}… (cut; 8,000,000 characters in total)`);
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
