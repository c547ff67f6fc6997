import { logStatus } from "@media-ops/reports";
import { columnsOf } from "@media-ops/reports/entries";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { anyEntries, anyEntry, anyKind, anyText } from "../test/arbitrary.js";
import { anyLive, anyTrace, anyWhy } from "../test/arbitrary-answers.js";
import { hostile } from "../test/hostile.js";
import { ofEntries } from "../test/of-entries.js";
import { now } from "../test/samples.js";
import { knownSigns, knownWidth, withoutColours } from "../test/terminal-text.js";
import {
  formatLive,
  formatLogDetail,
  formatLogs,
  formatProblem,
  formatStatus,
  formatSummary,
  formatToken,
  formatTrace,
  formatWhy,
  textWidth,
} from "./index.js";

const summed = ofEntries(formatSummary);

// Each run draws many lines.
beforeAll(() => fc.configureGlobal({ numRuns: 25 }));
afterAll(() => fc.resetConfigureGlobal());

const anyKindAndEntries = anyKind.chain((kind) => fc.tuple(fc.constant(kind), anyEntries(kind)));
const anyTimeZone = fc.constantFrom(undefined, "UTC", "Asia/Kolkata", "America/New_York", "Pacific/Chatham");
const anyWidth = fc.oneof(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 250 }));
const anyOptions = fc.record({
  now: fc.constant(now),
  width: anyWidth,
  timeZone: anyTimeZone,
  color: fc.boolean(),
  style: fc.constantFrom("table" as const, "compact" as const),
  chart: fc.constantFrom("entries" as const, "latency" as const),
});

/** How far a search got, and how it was grouped. */
const anySearch = fc.record({
  searchedTo: fc.option(fc.integer({ min: 0, max: now }), { nil: undefined }),
  by: fc.constantFrom(undefined, ["url", "type"] as const, ["channel_id", "failed"] as const),
});

/** Expects of every line that it fits, has no control characters, and ends its own colours. */
function expectRight(text: string, width: number, measure: (line: string) => number = textWidth): void {
  for (const line of text.split("\n")) {
    const plain = withoutColours(line);
    expect(plain).not.toMatch(/[\p{Cc}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Bidi_Control}]/u);
    expect(measure(plain)).toBeLessThanOrEqual(width);
    const codes = Array.from(line.matchAll(/\p{Cc}\[(\d+)m/gu), ([, code]) => Number(code));
    for (const [at, code] of codes.entries()) {
      if (at % 2 === 0) expect([1, 2, 31, 32, 33]).toContain(code);
      else expect(code).toBe((codes[at - 1] ?? 0) < 10 ? 22 : 39);
    }
    expect(codes.length % 2).toBe(0);
  }
}

describe("for any number of any entries, and any width of the terminal,", () => {
  it("their table and their lines fit", () => {
    fc.assert(
      fc.property(anyKindAndEntries, anyOptions, anyText, anyText, ([kind, entries], options, title, note) => {
        const text = formatLogs(kind, entries, options);
        expectRight(text, options.width);
        expect(formatLogs(kind, entries, { ...options, title, note })).toContain(text);
        expectRight(formatLogs(kind, entries.slice(0, 3), { ...options, title, note }), options.width);
        const heading = options.style === "table" ? 1 : 0;
        // URLs have their own lines if they do not fit.
        const lines = text.split("\n").length;
        const rows = entries.length + heading;
        if (entries.length > 0) expect([rows, rows * (1 + heading)]).toContain(lines);
      }),
    );
  });

  it.each(Object.entries(hostile))("they may be, or contain, %s", (_, thing) => {
    for (const entry of [thing, { url: thing, status: thing, timestamp: thing }]) {
      expectRight(formatLogs("webhooks", [entry], { now }), 80);
      expectRight(formatLogs("webhooks", [entry], { now, style: "compact" }), 80);
      expectRight(formatLogDetail("webhooks", entry, { now }), 80);
      expectRight(summed("webhooks", [entry], { now }), 80);
      expectRight(formatToken("ey.t.s", entry, { now }), 80);
      expectRight(formatProblem(entry), 80);
    }
  });

  it("one of them fits", () => {
    const anyKindAndEntry = anyKind.chain((kind) => fc.tuple(fc.constant(kind), anyEntry(kind)));
    fc.assert(
      fc.property(anyKindAndEntry, anyOptions, ([kind, entry], options) => {
        expectRight(formatLogDetail(kind, entry, options), options.width);
      }),
    );
  });

  it("the state of their log fits", () => {
    const anyService = fc.record({ address: anyText, answeredInMs: fc.double(), askedWith: anyText });
    fc.assert(
      fc.property(anyKindAndEntries, anyOptions, anyService, ([kind, entries], options, service) => {
        const timestamp = new Date(now).toISOString();
        const recent = entries.map((entry) => ({ ...Object(entry), timestamp }));
        const statuses = [entries, recent].map((some) => logStatus(kind, some, { now }));
        expectRight(formatStatus(statuses, service, options), options.width);
      }),
    );
  });

  it("their summary fits, with either chart", () => {
    fc.assert(
      fc.property(anyKindAndEntries, anyOptions, anyText, anySearch, ([kind, entries], options, title, search) => {
        expectRight(summed(kind, entries, { ...options, title, ...search }), options.width);
      }),
    );
  });
});

describe("for any width of the terminal,", () => {
  it("any trace, explanation and live channels fit", () => {
    fc.assert(
      fc.property(
        anyTrace,
        anyWhy,
        anyLive,
        anyOptions,
        anyText,
        (trace, why, live, { chart, style, ...options }, text) => {
          expectRight(formatTrace(trace, { ...options, title: text, when: text, note: text }), options.width);
          expectRight(formatWhy(why, { ...options, title: text, note: text }), options.width);
          expectRight(formatLive(live, { ...options, title: text, channel: text, note: text }), options.width);
        },
      ),
    );
  });
});

describe("for any claims and any thrown value,", () => {
  it("a token fits the terminal, except for its own line", () => {
    const names = ["iat", "nbf", "exp", "jti", "channel_id", "role", "max_channel_connections"];
    const anyClaims = fc.dictionary(fc.constantFrom(...names), fc.oneof(fc.double(), anyText, fc.jsonValue()));
    const token = `ey.${"t".repeat(300)}.sig`;
    fc.assert(
      fc.property(anyClaims, anyOptions, (claims, options) => {
        const lines = formatToken(token, claims as object, options).split("\n");
        expect(lines.filter((line) => line === token)).toHaveLength(1);
        expectRight(lines.filter((line) => line !== token).join("\n"), options.width);
      }),
    );
  });

  it("a problem fits", () => {
    const anyProblem = fc.record({ message: anyText, requestId: anyText, detail: anyText, next: anyText });
    fc.assert(
      fc.property(anyProblem, anyOptions, ({ message, requestId, detail, next }, options) => {
        const fields = { name: "MediaForbiddenError", code: "Forbidden", requestId, problem: { detail } };
        const error = Object.assign(new Error(message), fields);
        expectRight(formatProblem(error, { ...options, next: { Forbidden: next } }), options.width);
      }),
    );
    fc.assert(
      fc.property(fc.anything(), anyOptions, (thrown, options) => {
        expectRight(formatProblem(thrown, options), options.width);
      }),
    );
  });
});

describe("characters with known widths", () => {
  const anyKnownText = fc.string({
    unit: fc.constantFrom(...Object.keys(knownSigns), ..."abc …/.-"),
    minLength: 1,
    maxLength: 60,
  });
  const anyKnownEntry = fc.record({
    timestamp: fc.constantFrom("2026-11-21T14:05:28.001Z", "2026-11-20T09:00:00Z", "2021-01-01T00:00:00Z"),
    status: fc.constantFrom(0, 200, 302, 404, 503),
    elapsed_time_ms: fc.nat(100_000),
    type: anyKnownText,
    url: anyKnownText,
    channel_id: anyKnownText,
    session_id: anyKnownText,
    media_target: anyKnownText,
    region: anyKnownText,
  });

  it("never exceed the width, with widths from a fixed table", () => {
    fc.assert(
      fc.property(
        anyKind,
        fc.array(anyKnownEntry, { minLength: 1, maxLength: 5 }),
        anyOptions,
        (kind, some, options) => {
          expectRight(formatLogs(kind, some, options), options.width, knownWidth);
          expectRight(formatLogDetail(kind, some[0], options), options.width, knownWidth);
          expectRight(summed(kind, some, options), options.width, knownWidth);
        },
      ),
    );
  });

  it("keep the columns of a table aligned, with widths from a fixed table", () => {
    fc.assert(
      fc.property(fc.array(anyKnownEntry, { minLength: 1, maxLength: 5 }), anyWidth, (entries, width) => {
        const lines = formatLogs("media-api", entries, { now, width }).split("\n");
        const [heading = ""] = lines;
        // The third column has numbers: it ends with a unit and a gap in each line.
        const end = heading.indexOf("Took") + 4;
        if (end === 3 || columnsOf("media-api")[2]?.title !== "Took") return;
        for (const line of lines.slice(1)) {
          const before = /^.*? (?:ms|s|min|h)(?=$| {2})/u.exec(line)?.[0] ?? "";
          expect(knownWidth(before)).toBe(end);
        }
      }),
    );
  });
});
