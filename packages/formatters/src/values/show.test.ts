import type { EventReason, FieldContent } from "@media-ops/contract";
import { isFailure } from "@media-ops/reports/entries";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyText } from "../test/arbitrary.js";
import { now } from "../test/samples.js";
import {
  endOfAddress,
  formatStatus,
  type ReasonDetails,
  reasonIn,
  reasonWords,
  show,
  showWhole,
  splitChannel,
  withoutScheme,
} from "./show.js";
import { brief, clockFor } from "./words.js";

const clock = clockFor({ now });
const shown = (as: FieldContent, value: unknown) => show({ field: value }, { field: "field", as }, clock);
const whole = (as: FieldContent, value: unknown) => showWhole({ field: value }, { field: "field", as }, clock);

describe("a value", () => {
  it.each<[as: FieldContent, value: unknown, text: string, whole: string]>([
    [
      "time",
      "2026-11-21T14:03:22.481123Z",
      "14:03:22",
      "2026-11-21 14:03:22 UTC · 2 min ago · 2026-11-21T14:03:22.481123Z",
    ],
    ["status", 503, "✗ 503", "✗ 503"],
    ["milliseconds", 84, "84 ms", "84 ms"],
    ["milliseconds", 1240, "1.24 s", "1.24 s (1,240 ms)"],
    ["milliseconds", 84.5, "85 ms", "85 ms (84.5 ms)"],
    ["minutes", 0, "< 1 min", "< 1 min (0 min)"],
    ["minutes", 44, "44 min", "44 min"],
    ["minutes", 125, "2 h 5 min", "2 h 5 min (125 min)"],
    ["bytes", 999, "999 B", "999 B"],
    ["bytes", 1_284_331_902, "1.28 GB", "1.28 GB (1,284,331,902 bytes)"],
    ["count", 1204, "1,204", "1,204"],
    ["channel", "lobby@demo", "lobby", "lobby (project demo)"],
    ["channel", "@demo", "–", "– (project demo)"],
    ["channel", "lobby", "lobby", "lobby"],
    ["channel", "lobby@", "lobby", "lobby"],
    ["channel", "a\n@b\tc", "a␊", "a␊ (project b␉c)"],
    ["id", "01KAKV0B9E7W5Q3X1Z8N6M4K2J", "01KAKV0B…4K2J", "01KAKV0B9E7W5Q3X1Z8N6M4K2J"],
    ["id", "camera-7", "camera-7", "camera-7"],
    ["address", "https://hooks.example/media", "hooks.example/media", "https://hooks.example/media"],
    ["address", "http://hooks.example/media", "hooks.example/media", "http://hooks.example/media"],
    ["address", "https://", "–", "https://"],
    ["outcome", "ok", "✓ ok", "✓ ok"],
    ["outcome", "refused", "▲ refused", "▲ refused"],
    ["outcome", "failed", "✗ failed", "✗ failed"],
    ["outcome", "paused", "paused", "paused"],
    ["reason", "channel-full", "channel full", "channel full (channel-full)"],
    ["reason", "timeout", "timeout", "timeout"],
    ["reason", "solar-flare", "solar-flare", "solar-flare"],
    ["reason", "constructor", "constructor", "constructor"],
    ["text", "a".repeat(50), `${"a".repeat(20)}…${"a".repeat(19)}`, "a".repeat(50)],
    ["text", "a\nb", "a␊b", "a␊b"],
  ])("is shown as %s: %j", (as, value, text, all) => {
    expect(shown(as, value).text).toBe(text);
    expect(whole(as, value)).toBe(all);
  });

  it("is an outcome with its reason and details in a table, and alone in the details of an entry", () => {
    const entry = { outcome: "refused", reason: "channel-full", detail: "5 of 5" };
    const column = { field: "outcome", as: "outcome" } as const;
    expect(show(entry, column, clock)).toEqual({ text: "▲ channel full (5 of 5)", tone: "bad" });
    expect(showWhole(entry, column, clock)).toBe("▲ refused");
    expect(show({ outcome: "ok", media_reason: "NO-ERROR" }, column, clock)).toEqual({ text: "✓ ok", tone: "good" });
  });

  it("has its distance from now if it is a time", () => {
    const time = Date.parse("2026-11-21T14:03:22.481Z");
    expect(shown("time", "2026-11-21T14:03:22.481Z")).toEqual({
      text: "14:03:22",
      tone: "plain",
      time,
      ago: "2 min ago",
    });
  });

  it("has a sort key if it is a number", () => {
    expect(shown("bytes", 1240)).toEqual({ text: "1.24 kB", tone: "plain", number: 1240 });
    expect(shown("status", 404)).toEqual({ text: "▲ 404", tone: "bad", number: 404 });
    expect(shown("status", 0).number).toBeGreaterThan(599);
  });

  const kinds: FieldContent[] = [
    ...(["time", "status", "milliseconds", "minutes", "bytes"] as const),
    ...(["count", "channel", "id", "address", "outcome", "reason", "text"] as const),
  ];

  it.each(kinds)("is a dash if %s is missing, null or empty", (as) => {
    const dash = { text: "–", tone: "plain" };
    for (const value of [undefined, null, ""]) {
      expect(shown(as, value)).toEqual(dash);
      expect(whole(as, value)).toBe("–");
    }
    for (const entry of [{}, null, undefined, "text", 7, [], { constructor: 1 }]) {
      expect(show(entry, { field: "field", as }, clock)).toEqual(dash);
    }
    // Inherited members are not fields.
    expect(show({}, { field: "constructor", as }, clock)).toEqual(dash);
  });

  it.each<[as: FieldContent, value: unknown, text: string]>([
    ["time", 1_795_269_930, "1795269930"],
    ["time", "yesterday", "yesterday"],
    ["status", "503", "503"],
    ["milliseconds", "fast", "fast"],
    ["bytes", { total: 3 }, '{"total":3}'],
    ["count", true, "true"],
    ["channel", 7, "7"],
    ["id", ["a"], '["a"]'],
    ["address", false, "false"],
    ["text", 0, "0"],
  ])("is shown as its text if %s is of another type: %j", (as, value, text) => {
    expect(shown(as, value)).toEqual({ text, tone: "plain" });
    expect(whole(as, value)).toBe(text);
  });

  it("is on one line, short and never empty, for any value", () => {
    fc.assert(
      fc.property(fc.constantFrom(...kinds), fc.oneof(anyText, fc.anything(), fc.double()), (as, value) => {
        const { text } = shown(as, value);
        expect(Array.from(text).length).toBeLessThanOrEqual(64);
        for (const one of [text, whole(as, value)]) {
          expect(one).not.toBe("");
          expect(one).not.toMatch(/[\r\n\u2028\u2029]/);
        }
      }),
    );
  });
});

describe("a status", () => {
  it.each([
    [0, "✗ no answer", "bad", true],
    [100, "100", "plain", false],
    [199, "199", "plain", false],
    [200, "✓ 200", "good", false],
    [299, "✓ 299", "good", false],
    [302, "→ 302", "notice", false],
    [400, "▲ 400", "bad", true],
    [499, "▲ 499", "bad", true],
    [500, "✗ 500", "bad", true],
    [799, "✗ 799", "bad", true],
    [-1, "-1", "plain", false],
  ])("of %d is shown as %s, with a mark for its outcome", (status, text, tone, failed) => {
    expect(formatStatus(status)).toEqual({ text, tone });
    expect(isFailure(status)).toBe(failed);
  });
});

const shortened = (url: string, longest: number): string => {
  const text = withoutScheme(url);
  return brief(text, longest, endOfAddress(text, longest));
};

describe("a shortened URL", () => {
  it.each([
    ["http://127.0.0.1:9083/events", 30, "127.0.0.1:9083/events"],
    ["http://127.0.0.1:9083/events", 20, "127.0.0…:9083/events"],
    ["https://hooks.example/media", 16, "hooks.exa…/media"],
    ["https://hooks.example/teams/video/rooms/eu-1/events", 24, "hooks.exampl…eu-1/events"],
    ["https://a-very-long-name-of-a-host.example:8443/in", 24, "a-very-long-nam…:8443/in"],
    ["ftp://files.example", 12, "ftp://…ample"],
  ])("of %s in %d characters keeps the start of the host, the port and the end of the path", (url, longest, text) => {
    expect(shortened(url, longest)).toBe(text);
  });
});

describe("splitChannel", () => {
  it.each([
    ["lobby@demo", { name: "lobby", project: "demo" }],
    ["a@b@demo", { name: "a@b", project: "demo" }],
    ["会議室@demo", { name: "会議室", project: "demo" }],
    ["@demo", { name: "", project: "demo" }],
    ["lobby@", { name: "lobby", project: "" }],
    ["lobby", { name: "lobby" }],
    ["", { name: "" }],
  ])("splits %j at its last @", (id, parts) => {
    expect(splitChannel(id)).toEqual(parts);
  });
});

describe("a reason in words", () => {
  it.each<[reason: EventReason | undefined, details: ReasonDetails | undefined, words: string]>([
    [
      "revoked",
      { detail: "at 2026-04-01T09:30:15Z", time: Date.UTC(2026, 3, 1, 9, 34, 15) },
      "token revoked (4 min earlier)",
    ],
    ["channel-full", { detail: "5 of 5" }, "channel full (5 of 5)"],
    [
      "expired",
      { detail: "at 2026-04-01T09:30:15Z", time: Date.UTC(2026, 3, 1, 9, 34, 15) },
      "token expired (4 min earlier)",
    ],
    ["expired", { detail: "at 2026-04-01T09:30:15Z" }, "token expired"],
    ["expired", { detail: "at 2026-04-01T09:30:15Z", time: Date.UTC(2026, 3, 1, 9, 30, 15, 999) }, "token expired"],
    [
      "not-yet-valid",
      { detail: "from 2026-04-01T09:30:15Z", time: Date.UTC(2026, 3, 1, 8, 30, 15) },
      "token not yet valid (1 h too early)",
    ],
    ["own-address", { detail: "at noon", time: 0 }, "denied by the project's webhook (at noon)"],
    ["own-address", { detail: "not invited" }, "denied by the project's webhook (not invited)"],
    ["ice-timeout", { mediaReason: "ICE-TIMEOUT" }, "ICE timeout"],
    ["ice-timeout", { mediaReason: "ICE-CONNECTION-TIMEOUT" }, "ICE timeout"],
    ["ice-failed", { mediaReason: "ICE-RESTART" }, "ICE failed, ICE-RESTART"],
    ["dtls-failed", { mediaReason: "dtls_error" }, "DTLS failed"],
    ["signaling-lost", { mediaReason: "WEBSOCKET-ERROR" }, "signaling lost, WEBSOCKET-ERROR"],
    ["timeout", { mediaReason: "TIMEOUT" }, "timeout"],
    ["lifetime-expired", { mediaReason: "LIFETIME-EXPIRED" }, "lifetime expired"],
    ["disconnected-by-api", { mediaReason: "DISCONNECTED-API" }, "disconnected by the API"],
    ["other", {}, "another reason"],
    ["other", { mediaReason: "SOLAR-FLARE", detail: "X9" }, "SOLAR-FLARE (X9)"],
    [undefined, { mediaReason: "SOLAR-FLARE" }, "SOLAR-FLARE"],
    [undefined, { detail: "X9" }, "reason not known (X9)"],
    [undefined, undefined, "reason not known"],
  ])("%j with %j is %j", (reason, details, words) => {
    expect(reasonWords(reason, details)).toBe(words);
  });

  it("of a newer service is shown unchanged", () => {
    expect(reasonIn({ outcome: "failed", reason: "solar-flare", media_reason: "SOLAR-FLARE" })).toBe("solar-flare");
  });

  it("of an entry has the distance of its time", () => {
    const entry = { timestamp: "2026-04-01T09:30:45.5Z", outcome: "refused", reason: "revoked-key" };
    expect(reasonIn({ ...entry, detail: "at 2026-04-01T09:30:15.5Z" })).toBe("token of a revoked key (30 s earlier)");
  });

  it("is empty for an ordinary end, and for an entry without one", () => {
    expect(reasonIn({ outcome: "ok", media_reason: "NO-ERROR" })).toBe("");
    expect(reasonIn({ outcome: "failed" })).toBe("");
    for (const reason of [null, 7, " ", {}])
      expect(reasonIn({ reason, media_reason: reason, detail: reason })).toBe("");
  });
});
