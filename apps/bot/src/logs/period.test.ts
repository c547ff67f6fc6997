import { describe, expect, it } from "vitest";
import { language } from "../language.js";
import { periodOf } from "./period.js";

const typedAt = Date.parse("2026-11-21T14:05:30.123Z");
// Between the reading of a command and its listing lie some milliseconds.
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
  ])("is as long as it is told to be: %s", (text, ms) => {
    expect(periodOfText(`logs webhooks ${text}`)).toBe(ms);
  });

  it.each(["", "since:today", "since:22:00", "since:2026-11-21T12:00:30.000Z", "since:2h until:1h", "until:1h"])(
    "has no length of its own where it is told by the clock: %s",
    (text) => {
      expect(periodOfText(`logs webhooks ${text}`)).toBe(undefined);
    },
  );
});
