import { describe, expect, it } from "vitest";
import { language } from "../language.js";
import { webhook } from "../test/entries.js";
import { headingOf, periodOf } from "./find.js";

const now = Date.parse("2026-11-21T14:05:30.123Z");

function headingFor(text: string, found: number): string {
  const read = language.parse(`logs webhooks ${text}`, { now });
  if (!read.ok || read.command.name !== "logs") throw new Error(`no logs: ${text}`);
  const listed = Array.from({ length: 1000 }, () => webhook());
  return headingOf({ command: read.command, project: { id: "demo" }, listed, now, timeZone: "UTC" }, found);
}

describe("the heading of a listing", () => {
  it.each([
    ["", 1000, "webhook logs of demo: 1,000"],
    ["status>=400 since:2h", 37, "webhook logs of demo, status ≥ 400, last 2 hours: 37 of 1,000"],
    ["last:25 as:compact", 25, "webhook logs of demo, the newest 25: 25 of 1,000"],
    ["status:999", 0, "webhook logs of demo, status 999: 0 of 1,000"],
  ])("describes the query, and counts the matching entries: %s", (text, found, heading) => {
    expect(headingFor(text, found)).toBe(heading);
  });

  it("keeps its figures even if the query is cut, and splits no surrogate pair", () => {
    const filters = ["x", "😀"].map((sign) => `-url~${sign.repeat(60 / sign.length)}`).join(" ");
    for (const more of ["", "a", "ab"]) {
      const heading = headingFor(`-url~${more}z ${filters}`, 3);
      expect(heading).toMatch(
        /^webhook logs of demo, url without [abz]+, url without x+, url without 😀+…: 3 of 1,000$/u,
      );
      expect(Buffer.from(heading).toString()).toBe(heading);
      expect(heading.length).toBeLessThanOrEqual(200);
    }
  });
});

const typedAt = Date.parse("2026-11-21T14:05:30.123Z");
// Some milliseconds pass between parsing a command and listing its entries.
const when = { now: typedAt + 40, timeZone: "Asia/Tokyo" };

function periodOfText(text: string): number | undefined {
  const read = language.parse(text, { now: typedAt, timeZone: when.timeZone });
  if (!read.ok || read.command.name !== "logs") throw new Error(`no logs: ${text}`);
  return periodOf(read.command, when);
}

describe("the period of a listing", () => {
  it.each([
    ["since:2h", 7_200_000],
    ["since:hour", 3_600_000],
    ["since:90s", 90_000],
    ["since:7d status>=400", 604_800_000],
    ["since:3d url~last", 259_200_000],
  ])("is as long as the heading says: %s", (text, ms) => {
    expect(periodOfText(`logs webhooks ${text}`)).toBe(ms);
  });

  it.each(["", "since:today", "since:22:00", "since:2026-11-21T12:00:30.000Z", "since:2h until:1h", "until:1h"])(
    "has no length if the heading gives clock times: %s",
    (text) => {
      expect(periodOfText(`logs webhooks ${text}`)).toBe(undefined);
    },
  );
});
