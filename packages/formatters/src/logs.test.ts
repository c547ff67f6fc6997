import type { LogKind } from "@media-ops/contract";
import { checkBlocks } from "@media-ops/fake-slack";
import type { ListingFigures } from "@media-ops/reports";
import type { DataTableBlock, SectionBlock } from "@slack/types";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Asked, detailColumnsOf, entryLabel, listingHeading } from "./logs.js";
import * as slack from "./slack/index.js";
import * as terminal from "./terminal/index.js";
import { anyKindAndEntry } from "./test/arbitrary.js";
import { now, samples } from "./test/samples.js";
import { textsOf } from "./test/slack-preview.js";
import { knownSigns, knownWidth } from "./test/terminal-text.js";

describe("the columns of one entry", () => {
  it("end with unknown fields, under their own names", () => {
    const entry = { ...samples.api[0], region: "eu", "a\nb": { c: 1 }, "": 3 };
    expect(detailColumnsOf("api", entry).slice(4)).toEqual([
      { field: "region", title: "region", as: "text", in: "detail" },
      { field: "a\nb", title: "a␊b", as: "text", in: "detail" },
      { field: "", title: "(no name)", as: "text", in: "detail" },
    ]);
  });
});

const [delivery] = samples.webhooks;

describe("the label of an entry", () => {
  it.each<[LogKind, unknown, string]>([
    ["sessions", samples.sessions[0], "14:03:22 · lobby · 01KAKR6W…F6H8"],
    ["sessions", samples.sessions[2], "Nov 20 22:15:09 · 会議室 · 01KAJ3F2…H5J7"],
    ["connections", samples.connections[1], "14:03:20 · lobby · camera-7"],
    ["api", samples.api[1], "14:01:44 · ▲ 400 · media.example/projects/create-access-token"],
    ["media-api", samples["media-api"][2], "13:20:00 · ✗ 503 · Media_20151104.ListConnections · lobby"],
    ["webhooks", delivery, "14:05:28 · ✓ 200 · connection.created · hooks.example/media"],
    ["webhooks", samples.webhooks[3], "13:58:02 · ✗ no answer · session.created · unreachable.example/in"],
    ["webhooks", samples.webhooks[1], "14:05:12 · ✗ 503 · connection.destroyed · hooks.example/te…central-1/events"],
    ["events", samples.events[0], "14:03:22 · ✓ disconnected by the API · connection.destroyed · lobby"],
    ["events", samples.events[1], "14:03:20 · ✗ ICE timeout · connection.failed · lobby · stage-ca…ra-2"],
    ["events", samples.events[2], "14:02:11 · ▲ channel full (5 of 5) · admission.refused · lobby · c1"],
    ["events", samples.events[3], "13:18:40 · ✓ ok · connection.created · lobby"],
  ])("of %s has its time and its most distinctive fields", (kind, entry, label) => {
    expect(entryLabel(kind, entry, { now })).toBe(label);
  });

  it("is in the reader's zone, and has the date if the day differs there", () => {
    expect(entryLabel("webhooks", delivery, { now, timeZone: "Asia/Tokyo" })).toMatch(/^23:05:28 /);
    const entry = { ...delivery, timestamp: "2026-11-21T15:00:00Z" };
    expect(entryLabel("webhooks", entry, { now, timeZone: "Asia/Tokyo" })).toMatch(/^Nov 22 00:00:00 /);
  });

  it("shortens two long texts to equal parts", () => {
    const entry = { ...delivery, type: "t".repeat(40), url: "u".repeat(40) };
    expect(entryLabel("webhooks", entry, { now })).toBe(
      `14:05:28 · ✓ 200 · ${"t".repeat(13)}…${"t".repeat(12)} · ${"u".repeat(13)}…${"u".repeat(12)}`,
    );
  });

  it.each([undefined, null, {}, 7, { type: "  ", url: "" }])("is a dash if all fields are missing", (entry) => {
    expect(entryLabel("webhooks", entry, { now })).toBe("–");
  });

  it("has from 1 to 75 units, on one line and without split characters, for any entry", () => {
    const anyTimeZone = fc.constantFrom(undefined, "Asia/Kolkata", "America/New_York");
    fc.assert(
      fc.property(anyKindAndEntry, anyTimeZone, ([kind, entry], timeZone) => {
        const label = entryLabel(kind, entry, { now, timeZone });
        expect(label.trim()).not.toBe("");
        expect(label.length).toBeLessThanOrEqual(75);
        expect(label).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]|\p{Cs}/u);
      }),
      { numRuns: 200 },
    );
  });
});

const at = (time: string): number => Date.parse(`${time}Z`);
const [from, to] = [at("2026-11-21T13:41:25"), at("2026-11-21T13:41:26")];

describe("the heading of a listing", () => {
  const [month, last] = [now - 31 * 86_400_000, "in the last hour"];
  const [searchedTo, until] = [new Date(from).toISOString(), to];
  const top = { order: "by bytes" };
  it.each<[heading: string, asked: Partial<Asked> & { when?: string; more?: string }, figures: ListingFigures]>([
    ["37 webhooks", {}, { found: 37, of: 37 }],
    ["0 webhooks", {}, { found: 0 }],
    ["1 webhook of 5", {}, { found: 1, of: 5 }],
    ["1 failed webhook of 5", { only: "failed" }, { found: 1, of: 5 }],
    ["5 failed webhooks of 5", { only: "failed" }, { found: 5, of: 5 }],
    [
      "37 failed webhooks of 1,240,332 in the last 2 hours",
      { only: "failed", when: "in the last 2 hours" },
      { found: 37, of: 1_240_332 },
    ],
    [
      "1,200 successful webhooks since 13:00, sent to ~hooks, project demo",
      { only: "ok", when: "since 13:00", more: "sent to ~hooks, project demo" },
      { found: 1200 },
    ],
    ["at least 20 webhooks", {}, { found: 20, isAtLeast: true }],
    [
      "Incomplete: only 13:41:25–13:41:26 UTC was searched. 3 webhooks of 1,000 in the last hour",
      { until, when: last },
      { found: 3, of: 1000, searchedTo, isAtLeast: false },
    ],
    [
      "Incomplete: only 13:41:25–13:41:26 UTC was searched. At least 3 failed webhooks in the last hour",
      { until, only: "failed", when: last },
      { found: 3, searchedTo },
    ],
    [
      "Top 10 by bytes of 1,240 failed webhooks of 5,000 in the last hour",
      { ...top, only: "failed", when: last },
      { found: 1240, of: 5000, top: 10 },
    ],
    [
      "Incomplete: entries are kept for 30 days. 37 failed webhooks of 100 in the last 30 days",
      { since: month, only: "failed", when: "in the last 30 days" },
      { found: 37, of: 100 },
    ],
    [
      "Nothing is known of failed webhooks until 2026-09-01, project demo: entries are kept for 30 days.",
      { until: month, only: "failed", when: "until 2026-09-01", more: "project demo" },
      { found: 0, of: 0 },
    ],
    ["7 webhooks in the last hour, by bytes", { ...top, when: last }, { found: 7, top: 7 }],
    [
      "Incomplete: only 13:41:25–13:41:26 UTC was searched. Top 2 by bytes of at least 9 webhooks",
      { ...top, until },
      { found: 9, top: 2, searchedTo },
    ],
  ])("is %j", (heading, { when = "", more = "", ...asked }, figures) => {
    const phrases = () => ({ period: when, more });
    expect(listingHeading({ kind: "webhooks", ...asked, phrases }, figures, { now })).toBe(heading);
  });

  it.each<[words: string, from: string, to: string, timeZone: string]>([
    ["22:41:25–22:41:26", "2026-11-21T13:41:25", "2026-11-21T13:41:26", "Asia/Tokyo"],
    ["Nov 20 13:00:00–14:00:00 UTC", "2026-11-20T13:00:00", "2026-11-20T14:00:00", "UTC"],
    ["Nov 20 23:00:00–today 00:30:00 UTC", "2026-11-20T23:00:00", "2026-11-21T00:30:00", "UTC"],
    ["Nov 3 23:00:00–Nov 4 00:30:00 UTC", "2026-11-03T23:00:00", "2026-11-04T00:30:00", "UTC"],
  ])("names the searched period: %s", (words, from, to, timeZone) => {
    const asked = { kind: "api" as const, until: at(to), phrases: () => ({ period: "", more: "" }) };
    const figures = { found: 0, searchedTo: new Date(at(from)).toISOString() };
    expect(listingHeading(asked, figures, { now, timeZone })).toBe(
      `Incomplete: only ${words} was searched. 0 API calls there`,
    );
  });
});

const [first] = samples.webhooks;

function many(count: number, fields: object = {}): unknown[] {
  return Array.from({ length: count }, () => ({ ...first, ...fields }));
}

function tableIn({ blocks }: slack.SlackLogsMessage): DataTableBlock {
  const table = blocks.find((block): block is DataTableBlock => block.type === "data_table");
  if (!table) throw new Error("The message has no table.");
  return table;
}

function datesIn(message: slack.SlackLogsMessage): unknown[] {
  const [, ...rows] = tableIn(message).rows;
  return rows.map(([cell]) => (cell?.type === "rich_text" ? cell.elements[0]?.elements[0] : cell));
}

function linesIn({ blocks }: slack.SlackLogsMessage): string[] {
  const sections = blocks.filter((block: slack.SlackBlock): block is SectionBlock => block.type === "section");
  return sections.flatMap(({ text }) => text?.text.split("\n") ?? []);
}

describe("a table of log entries", () => {
  it("sorts numerically even if a number is missing, which is sorted last", () => {
    const entries = [
      { status: 0, elapsed_time_ms: 84 },
      { status: 503, elapsed_time_ms: 10_000 },
      { status: null, elapsed_time_ms: "fast" },
    ];
    const { rows } = tableIn(slack.formatLogs("webhooks", entries, { now }));
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
    for (const date of datesIn(slack.formatLogs("webhooks", ahead, { now }))) {
      expect(date).toMatchObject({ format: "{date_num} {time_secs} · {ago}" });
    }
  });

  it("writes times before 1970 as text, because Slack cannot format them", () => {
    const { rows } = tableIn(slack.formatLogs("webhooks", many(1, { timestamp: "1969-07-20T20:17:40Z" }), { now }));
    expect(rows[1]?.[0]).toMatchObject({ type: "raw_text", text: expect.stringContaining("1969-07-20 20:17:40") });
  });

  it("shows 100 of 1,000 entries, and says so", () => {
    const message = slack.formatLogs("api", Array(1000).fill(samples.api[0]), { now });
    expect(message).toMatchObject({ shown: 100, text: "API log: newest 100 of 1,000 API calls" });
    expect(JSON.stringify(message.blocks.at(-1))).toContain('"Newest 100 of 1,000 API calls"');
    expect(tableIn(message).rows).toHaveLength(101);
  });

  it("calls them the newest only if no omitted entry is newer", () => {
    const at = (minute: number) => ({ ...samples.api[0], timestamp: `2026-11-21T14:0${minute}:00Z` });
    const textOf = (...entries: unknown[]) => slack.formatLogs("api", entries, { now, atMost: 2 }).text;
    expect(textOf(at(3), at(2), at(1))).toBe("API log: newest 2 of 3 API calls");
    expect(textOf(at(2), at(3), at(2))).toBe("API log: newest 2 of 3 API calls");
    expect(textOf(at(1), at(2), at(3))).toBe("API log: first 2 of 3 API calls");
    expect(textOf(at(3), at(2), at(1), at(4))).toBe("API log: first 2 of 4 API calls");
    expect(textOf(at(3), at(2), {})).toBe("API log: first 2 of 3 API calls");
  });

  it("shows fewer entries if the cells would exceed 10,000 characters in total", () => {
    const wide = { type: "t".repeat(500), url: "u".repeat(500) };
    const message = slack.formatLogs("webhooks", many(100, wide), { now });
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
    expect(tableIn(slack.formatLogs("webhooks", samples.webhooks, { now, pageSize })).page_size).toBe(shown);
  });
});

describe("lines of log entries", () => {
  it("omit missing values, and are never empty", () => {
    expect(linesIn(slack.formatLogs("webhooks", [{ type: "session.created" }, 7], { now, style: "compact" }))).toEqual([
      "`session.created`",
      "–",
    ]);
  });

  it("continue in another section if one is full, and end before the message is too long", () => {
    const message = slack.formatLogs("webhooks", many(100, { url: "&".repeat(500) }), { now, style: "compact" });
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
    const message = slack.formatLogs("webhooks", [], {
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
    const message = slack.formatLogs("webhooks", samples.webhooks.slice(0, count), { now, style, position });
    expect(message.text).toBe(`Webhook log: ${words}`);
    expect(JSON.stringify(message.blocks.at(-1))).toContain(`"${words}"`);
  });

  it("have the query as a title, and the note at the end", () => {
    const options = { now, style, title: "Webhooks with status>=400 & <!here>", note: "Older ones are not kept." };
    const message = slack.formatLogs("webhooks", samples.webhooks, options);
    expect(message.text).toBe("Webhooks with status&gt;=400 &amp; &lt;!here&gt;: 5 webhooks");
    expect(JSON.stringify(message.blocks[0])).toContain('"Webhooks with status>=400 & <!here>"');
    expect(JSON.stringify(message.blocks.at(-1))).toMatch(/"5 webhooks".*"Older ones are not kept\."/);
  });
});

describe("the details of an entry", () => {
  it("truncate a long value, and show its length", () => {
    const { blocks } = slack.formatLogDetail("api", { url: "u".repeat(5000) }, { now });
    expect(textsOf(blocks)[3]).toBe(`Address\n${"u".repeat(2999)}… (cut; 5,000 characters in total)`);
  });

  it("take constant time for values of any length", () => {
    const started = performance.now();
    const { blocks } = slack.formatLogDetail("api", { url: "\n".repeat(8_000_000) }, { now });
    expect(performance.now() - started).toBeLessThan(500);
    expect(textsOf(blocks)[3]).toBe(`Address\n${"␊".repeat(2999)}… (cut; 8,000,000 characters in total)`);
  });

  it.each([
    ["many", 300, "value"],
    ["long", 60, "v".repeat(5000)],
    ["wide", 60, '“”"\\'.repeat(1000)],
  ])("omit some of too %s fields and show their number, so that Slack accepts the view", (_, count, value) => {
    const entry = Object.fromEntries(Array.from({ length: count }, (_, at) => [`field_${at}`, value]));
    const { blocks } = slack.formatLogDetail("api", entry, { now });
    expect(checkBlocks(blocks, "modal")).toEqual({ ok: true });
    expect(textsOf(blocks).at(-1)).toBe(`${count + 4 - (blocks.length - 1)} more fields are not shown.`);
    expect(Buffer.byteLength(JSON.stringify(blocks))).toBeLessThan(240_000);
  });
});

const entry = samples.webhooks[0];
const linesOf = (...given: Parameters<typeof terminal.formatLogs>): string[] =>
  terminal.formatLogs(...given).split("\n");

it.each([
  ["table", /Time.*Bytes +Channel.*Received.*Sent.*\n.*1\.28 GB/],
  ["compact", /· bytes 1\.28 GB ·/],
] as const)("the value that connections are sorted by is shown in a %s", (style, shown) => {
  const options = { now, width: 150, style, sortedBy: "total_bytes" };
  expect(terminal.formatLogs("connections", samples.connections, options)).toMatch(shown);
});

describe("a table of entries", () => {
  it("has more columns if all of their content fits", () => {
    const heading = (width: number) => linesOf("connections", samples.connections, { now, width })[0];
    expect(heading(73)).toMatch(/Duration$/);
    expect(heading(88)).toMatch(/Duration {2}Connection$/);
    expect(heading(103)).toMatch(/Connection {5}Session$/);
    expect(heading(Number.POSITIVE_INFINITY)).toMatch(/Connection {5}Session$/);
  });

  it("shortens texts, then omits relative times, then columns from the right", () => {
    const heading = (width: number) => linesOf("media-api", samples["media-api"], { now, width });
    expect(heading(93)[1]).toBe("14:04:59 · 30 s ago    ✓ 200   41 ms  Media_20151104.DisconnectChannel  lobby");
    expect(heading(75)[1]).toBe("14:04:59 · 30 s ago    ✓ 200   41 ms  Media_20…tChannel  lobby");
    expect(heading(65)[1]).toBe("14:04:59    ✓ 200   41 ms  Media_201…tChannel  lobby");
    expect(heading(48)[1]).toBe("14:04:59    ✓ 200   41 ms  Media_2015…ectChannel");
    expect(heading(20)[1]).toBe("14:04:59    ✓ 200");
  });

  it.each([0, -1, Number.NaN, undefined])("is 80 columns wide if a terminal reports a width of %s", (width) => {
    expect(terminal.formatLogs("webhooks", samples.webhooks, { now, width })).toBe(
      terminal.formatLogs("webhooks", samples.webhooks, { now }),
    );
    expect(Math.max(...linesOf("webhooks", samples.webhooks, { now, width }).map((line) => line.length))).toBe(80);
  });

  it("names the zone only if it is UTC", () => {
    const [heading, first] = linesOf("api", samples.api, { now, timeZone: "Asia/Tokyo" });
    expect(heading).toMatch(/^Time {2,}Status/);
    expect(first).toMatch(/^23:05:01 · 28 s ago/);
    expect(() => terminal.formatLogs("api", [], { now, timeZone: "Mars/Olympus" })).toThrow(RangeError);
  });

  it("keeps its columns aligned beside wide characters", () => {
    const names = ["会議室", "👩‍👩‍👧‍👦", "e\u0301", "lobby"];
    const entries = names.map((name) => ({
      timestamp: entry?.timestamp,
      channel_id: `${name}@demo`,
      max_connections: 7,
    }));
    expect(
      linesOf("sessions", entries, { now })
        .slice(1)
        .map((line) => line.slice("14:05:28 · 1 s ago  ".length)),
    ).toEqual([
      "会議室             –     7         –  –",
      "👩‍👩‍👧‍👦                 –     7         –  –",
      "e\u0301                  –     7         –  –",
      "lobby              –     7         –  –",
    ]);
  });

  it("has a message for an empty list", () => {
    expect(terminal.formatLogs("media-api", [], { now })).toBe("No media API calls were found.");
    expect(terminal.formatLogs("media-api", [], { now, style: "compact", width: 10 })).toBe(
      "No media\nAPI calls\nwere\nfound.",
    );
  });

  it("is between a title and a note, which have their own lines", () => {
    const options = {
      now,
      width: 30,
      title: "Webhooks since\u001b[2J 13:00",
      note: "Older ones are no longer listed by the service.",
    };
    expect(linesOf("webhooks", [], options)).toEqual([
      "Webhooks since␛[2J 13:00",
      "No webhooks were found.",
      "",
      "Older ones are no longer",
      "listed by the service.",
    ]);
  });
});

describe("two different receivers", () => {
  const at = (url: string) => ({ ...entry, url });
  const long = "connection.destroyed";
  it.each([
    ["ports", "http://127.0.0.1:9083/events", "http://127.0.0.1:9084/events"],
    ["hosts", "https://eu.hooks.example/teams/video/media/events", "https://us.hooks.example/teams/video/media/events"],
    ["ends of a path", "https://hooks.example/teams/video/rooms/1", "https://hooks.example/teams/video/rooms/2"],
    ["hosts of one cloud", "https://a.fn.eu-central-1.cloud.example/in", "https://b.fn.eu-central-1.cloud.example/in"],
  ])("that differ in their %s are distinguishable at 80 and at 60 columns", (_, one, other) => {
    for (const width of [80, 60]) {
      for (const style of ["table", "compact"] as const) {
        for (const timestamp of [entry?.timestamp, "2026-11-20T09:00:00Z"]) {
          const [first, second] = [one, other].map((url) =>
            terminal.formatLogs("webhooks", [{ ...at(url), type: long, timestamp, status: 0 }], { now, width, style }),
          );
          expect(first).not.toBe(second);
          for (const line of first?.split("\n") ?? []) expect(line.length).toBeLessThanOrEqual(width);
        }
      }
    }
  });

  it("are whole at 80 columns if they run on one machine, and on their own lines if they do not fit", () => {
    const entries = [{ ...at("http://127.0.0.1:9083/events"), timestamp: "2026-11-20T09:00:00Z", type: long }];
    expect(linesOf("webhooks", entries, { now, width: 80 })[1]).toBe(
      "Nov 20 09:00:00  ✓ 200   84 ms  connection.destroyed  127.0.0.1:9083/events",
    );
    expect(linesOf("webhooks", entries, { now, width: 56 })).toEqual([
      "Time (UTC)       Status   Took  Event",
      "  Sent to",
      "Nov 20 09:00:00  ✓ 200   84 ms  connection.destroyed",
      "  127.0.0.1:9083/events",
    ]);
  });
});

describe("one entry", () => {
  it("wraps a long value", () => {
    expect(
      terminal.formatLogDetail("api", { url: `https://media.example/${"x".repeat(30)}` }, { now, width: 40 }),
    ).toBe(
      [
        "Time     –",
        "Status   –",
        "Took     –",
        `Address  https://media.example/${"x".repeat(9)}`,
        `         ${"x".repeat(21)}`,
      ].join("\n"),
    );
  });

  it("has values below their titles if they do not fit beside them", () => {
    expect(terminal.formatLogDetail("api", samples.api[0], { now, width: 26 }).split("\n").slice(0, 6)).toEqual([
      "Time",
      "  2026-11-21 14:05:01 UTC",
      "  · 28 s ago ·",
      "  2026-11-21T14:05:01.332Z",
      "Status",
      "  ✓ 200",
    ]);
  });
});

describe("characters whose widths are known from a fixed table", () => {
  const unit = fc.constantFrom(...Object.keys(knownSigns), ..."abc …/.-");
  const anyName = fc.string({ unit, minLength: 1, maxLength: 60 });
  const anyEntry = fc.record({
    timestamp: fc.constantFrom("2026-11-21T14:05:28.001Z", "2026-11-20T09:00:00Z", "2021-01-01T00:00:00Z"),
    status: fc.constantFrom(0, 200, 302, 404, 503),
    elapsed_time_ms: fc.nat(100_000),
    ...{
      type: anyName,
      url: anyName,
      channel_id: anyName,
      session_id: anyName,
      media_target: anyName,
      region: anyName,
    },
  });
  const anyEntries = fc.array(anyEntry, { minLength: 1, maxLength: 5 });
  const anyWidth = fc.oneof(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 250 }));

  it("keep the columns of a table aligned", () => {
    fc.assert(
      fc.property(anyEntries, anyWidth, (entries, width) => {
        const [heading = "", ...lines] = terminal.formatLogs("media-api", entries, { now, width }).split("\n");
        // The third column has numbers: it ends with a unit and a gap in each line.
        const end = heading.indexOf("Took") + 4;
        for (const line of end === 3 ? [] : lines) {
          const before = /^.*? (?:ms|s|min|h)(?=$| {2})/u.exec(line)?.[0] ?? "";
          expect(knownWidth(before)).toBe(end);
        }
      }),
    );
  });
});
