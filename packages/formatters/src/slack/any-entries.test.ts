import { checkBlocks, type Surface } from "@media-ops/fake-slack";
import { logStatus, summarize } from "@media-ops/reports";
import { columnsOf } from "@media-ops/reports/entries";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Incident } from "../incident/incident.js";
import { changeWords, incidentWords } from "../incident/words.js";
import { anyEntries, anyEntry, anyKind, anyText } from "../test/arbitrary.js";
import { anyDigest, anyIncident, anyLive, anyTrace, anyWhy } from "../test/arbitrary-answers.js";
import { hostile } from "../test/hostile.js";
import { iceTimeouts } from "../test/incident-samples.js";
import { ofEntries } from "../test/of-entries.js";
import { now } from "../test/samples.js";
import { strayMarkup } from "../test/slack-markup.js";
import {
  formatDigest,
  formatIncident,
  formatLive,
  formatLogDetail,
  formatLogs,
  formatProblem,
  formatStatus,
  formatSummary,
  formatToken,
  formatTrace,
  formatWhy,
  type SlackMessage,
} from "./index.js";

const summed = ofEntries(formatSummary);

/** Expects of any message that Slack accepts it, and that no untrusted text has an effect in it. */
function expectRight(message: SlackMessage, surface: Surface = "message"): void {
  expect(checkBlocks(message.blocks, surface)).toEqual({ ok: true });
  expect(strayMarkup(message)).toEqual([]);
  expect(message.text).not.toBe("");
  expect(message.text.length).toBeLessThan(3000);
}

// Each run checks many blocks.
beforeAll(() => fc.configureGlobal({ numRuns: 40 }));
afterAll(() => fc.resetConfigureGlobal());

const anyKindAndEntries = anyKind.chain((kind) => fc.tuple(fc.constant(kind), anyEntries(kind)));
const anyOptions = fc.record(
  { title: anyText, note: anyText, pageSize: fc.double(), atMost: fc.double() },
  { requiredKeys: [] },
);
const anyTimeZone = fc.constantFrom(undefined, "UTC", "Asia/Kolkata", "America/New_York", "Pacific/Chatham");

/** How far a search got, and how it was grouped. */
const anySearch = fc.record({
  searchedTo: fc.option(fc.integer({ min: 0, max: now }), { nil: undefined }),
  by: fc.constantFrom(undefined, ["url", "type"] as const, ["channel_id", "failed"] as const),
});

/** The total length of a message's texts: Slack refuses more than some 11,000 characters. */
function lengthOfTexts(part: unknown): number {
  if (typeof part !== "object" || part === null) return 0;
  const text = "text" in part && typeof part.text === "string" ? part.text.length : 0;
  return Object.values(part).reduce<number>((sum, one) => sum + lengthOfTexts(one), text);
}

describe("for any number of any entries,", () => {
  it("Slack accepts the table, and its texts have no effect", () => {
    fc.assert(
      fc.property(anyKindAndEntries, anyOptions, ([kind, entries], options) => {
        const message = formatLogs(kind, entries, { now, ...options });
        expectRight(message);
        expect(message.shown).toBeLessThanOrEqual(Math.min(entries.length, 100));
        expect(message.shown).toBeGreaterThanOrEqual(Math.min(entries.length, 1));
      }),
    );
  });

  it.each(Object.entries(hostile))("Slack accepts %s in place of an entry or a value", (_, thing) => {
    for (const entry of [thing, { url: thing, status: thing, timestamp: thing }]) {
      expectRight(formatLogs("webhooks", [entry], { now }));
      expectRight(formatLogs("webhooks", [entry], { now, style: "compact" }));
      expectRight(formatLogDetail("webhooks", entry, { now }), "modal");
      expectRight(summed("webhooks", [entry], { now }));
      expectRight(formatStatus([logStatus("webhooks", [entry], { now })], { address: "a", answeredInMs: 1 }, { now }));
      expectRight(formatToken("ey.t.s", entry, { now }));
      expectRight(formatProblem(entry));
    }
  });

  it("Slack accepts the lines, and their texts have no effect", () => {
    fc.assert(
      fc.property(anyKindAndEntries, anyOptions, ([kind, entries], options) => {
        const message = formatLogs(kind, entries, { now, ...options, style: "compact" });
        expectRight(message);
        expect(message.shown).toBeLessThanOrEqual(Math.min(entries.length, 100));
        expect(message.shown).toBeGreaterThanOrEqual(Math.min(entries.length, 1));
        expect(lengthOfTexts(message.blocks)).toBeLessThan(11_000);
      }),
    );
  });

  it("Slack accepts the summary with either chart, and its texts have no effect", () => {
    const anyChart = fc.constantFrom("entries" as const, "latency" as const, undefined);
    fc.assert(
      fc.property(
        anyKindAndEntries,
        anyChart,
        anyTimeZone,
        anyText,
        anySearch,
        fc.constantFrom({}, { only: "failed" as const }, { only: "ok" as const }),
        ([kind, entries], chart, timeZone, title, search, only) => {
          const options = { now, chart, timeZone, title };
          expectRight(formatSummary({ ...summarize(kind, entries, { timeZone, ...search }), ...only }, options));
        },
      ),
    );
  });

  it("Slack accepts the state of their logs, and its texts have no effect", () => {
    // Unchanged, and with all entries in the last hour.
    const anyStatus = fc.tuple(anyKindAndEntries, fc.boolean()).map(([[kind, entries], isRecent]) => {
      const timestamp = new Date(now).toISOString();
      return logStatus(kind, isRecent ? entries.map((entry) => ({ ...Object(entry), timestamp })) : entries, { now });
    });
    const anyService = fc.record({ address: anyText, answeredInMs: fc.double(), askedWith: anyText });
    fc.assert(
      fc.property(fc.array(anyStatus, { maxLength: 6 }), anyService, anyTimeZone, (statuses, service, timeZone) => {
        expectRight(formatStatus(statuses, service, { now, timeZone }));
      }),
    );
  });

  it("Slack accepts their trace, whatever is shown of it, and its texts have no effect", () => {
    fc.assert(
      fc.property(anyTrace, anyTimeZone, anyText, (trace, timeZone, text) => {
        const message = formatTrace(trace, { now, timeZone, title: text, when: text, note: text });
        expectRight(message);
        expect(message.shown).toBeLessThanOrEqual(trace.lines.length);
        expect(message.shown).toBeGreaterThanOrEqual(Math.min(trace.lines.length, 10));
        expect(message.blocks.length).toBeLessThan(15);
        expect(lengthOfTexts(message.blocks)).toBeLessThan(11_300);
      }),
    );
  });

  it("Slack accepts explanations and live channels, and their texts have no effect", () => {
    fc.assert(
      fc.property(anyWhy, anyLive, anyText, (why, live, text) => {
        for (const message of [
          formatWhy(why, { now, title: text, note: text }),
          formatLive(live, { now, title: text, channel: text, note: text }),
        ]) {
          expectRight(message);
          expect(lengthOfTexts(message.blocks)).toBeLessThan(11_300);
        }
      }),
    );
  });

  it("Slack accepts the digest of their logs, and its texts have no effect", () => {
    fc.assert(
      fc.property(anyDigest, anyTimeZone, anyText, (digest, timeZone, title) => {
        const message = formatDigest(digest, { now, timeZone, title });
        expectRight(message);
        expect(lengthOfTexts(message.blocks)).toBeLessThan(11_000);
      }),
    );
  });

  it("Slack accepts one of them as a modal, and its texts have no effect", () => {
    const anyKindAndEntry = anyKind.chain((kind) => fc.tuple(fc.constant(kind), anyEntry(kind)));
    fc.assert(
      fc.property(anyKindAndEntry, anyTimeZone, ([kind, entry], timeZone) => {
        const message = formatLogDetail(kind, entry, { now, timeZone });
        expectRight(message, "modal");
      }),
    );
  });

  it("Slack accepts one of them as a modal, with any number and length of fields", () => {
    const anyLongText = fc
      .tuple(fc.oneof(anyText, fc.constantFrom('"', "\\", "“", "会", "👩‍👩‍👧‍👦")), fc.nat(5000))
      .map(([text, times]) => text.repeat(Math.min(times, 5000 / text.length)));
    fc.assert(
      fc.property(anyKind, anyLongText, anyLongText, fc.nat(200), (kind, name, value, count) => {
        const known = columnsOf(kind).map(({ field }) => [field, value]);
        const unknown = Array.from({ length: count }, (_, at) => [`${at}${name}`, value]);
        const message = formatLogDetail(kind, Object.fromEntries([...known, ...unknown]), { now });
        expectRight(message, "modal");
        // Slack accepts views of 250 kB, of which the caller needs a part.
        expect(Buffer.byteLength(JSON.stringify(message.blocks))).toBeLessThan(240_000);
      }),
      { numRuns: 20 },
    );
  });
});

describe("for any incident,", () => {
  const anyWatch = fc.record({ title: anyText, description: anyText, notes: fc.array(anyText, { maxLength: 12 }) });

  it("Slack accepts the message, its texts have no effect, and it is no all-clear if the service doesn't answer", () => {
    fc.assert(
      fc.property(anyIncident, anyWatch, anyTimeZone, (incident, watch, timeZone) => {
        const message = formatIncident(incident, { now, timeZone, ...watch });
        expectRight(message);
        expect(lengthOfTexts(message.blocks)).toBeLessThan(11_000);
        const { mark, what, details } = incidentWords(incident, { now, timeZone });
        expect(JSON.stringify(message.blocks[0])).toContain(`"text":"${mark} `);
        if (incident.blindSince !== undefined) {
          expect(mark).toBe("?");
          expect(`${message.text} ${details}`).toMatch(/^No answer.*The service has not answered since /s);
        }
        expect(`${what}${details}`).not.toContain("\n");
      }),
      { numRuns: 300 },
    );
  });

  it("every change is one line, or none", () => {
    fc.assert(
      fc.property(anyIncident, anyIncident, (before, after) => {
        const words = changeWords(before, after);
        if (words !== undefined) expect(words).toMatch(/^[^\n]+\.$/);
        expect(changeWords(before, before)).toBeUndefined();
      }),
    );
  });

  it.each(Object.entries(hostile))(
    "Slack accepts %s in place of its groups, their tallies, names and counts",
    (_, thing) => {
      const parts: unknown[] = [
        undefined,
        thing,
        [thing],
        [{ field: "reason", tallies: thing }],
        [{ field: thing, tallies: [thing, { name: thing, count: 3 }, { name: "a", count: thing }] }],
      ];
      for (const groups of parts) {
        const incident = { ...iceTimeouts, groups: groups as Incident["groups"] };
        expectRight(formatIncident(incident, { now, title: "demo", description: "failed connections" }));
      }
    },
  );
});

describe("for any claims and any thrown value,", () => {
  it("Slack accepts the token, and shows it only in its block", () => {
    const anyClaims = fc.dictionary(
      fc.constantFrom("iat", "nbf", "exp", "jti", "channel_id", "role", "max_channel_connections"),
      fc.oneof(fc.double(), anyText, fc.jsonValue()),
    );
    const token = "ey.the-secret-token.sig";
    fc.assert(
      fc.property(anyClaims, anyTimeZone, (claims, timeZone) => {
        const message = formatToken(token, claims as object, { now, timeZone });
        expectRight(message);
        expect(JSON.stringify(message).split(token)).toHaveLength(2);
        expect(message.text).not.toContain(token);
      }),
    );
  });

  it("Slack accepts the problem, and its texts have no effect", () => {
    const anyProblem = fc.record({ message: anyText, requestId: anyText, detail: anyText, next: anyText });
    fc.assert(
      fc.property(anyProblem, ({ message, requestId, detail, next }) => {
        const fields = { name: "MediaForbiddenError", code: "Forbidden", requestId, problem: { detail } };
        const error = Object.assign(new Error(message), fields);
        expectRight(formatProblem(error, { next: { Forbidden: next } }));
      }),
    );
    fc.assert(fc.property(fc.anything(), (thrown) => expectRight(formatProblem(thrown))));
  });
});
