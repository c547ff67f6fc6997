import { expect, it } from "vitest";
import {
  type ClockRecord,
  type ClockWitnesses,
  DAY_MS,
  EARLIEST,
  judgeClock,
  type PausedClock,
} from "./clock-record.js";

const HOUR = 60 * 60 * 1000;
const DAY = DAY_MS;
const NOW = Date.parse("2026-06-15T12:00:00Z");

const none: ClockWitnesses = { agreeing: 0, disagreeing: 0 };
const agree: ClockWitnesses = { agreeing: 2, disagreeing: 0 };
const disagree: ClockWitnesses = { agreeing: 0, disagreeing: 2 };
const late: ClockWitnesses = { agreeing: 1, disagreeing: 5 };

const jumped = (clock: number, more: Partial<PausedClock> = {}): PausedClock => ({
  kind: "jumped",
  clock,
  agreements: 0,
  ...more,
});
const contradicted = (clock: number): PausedClock => ({ kind: "contradicted", clock, agreements: 0 });

/** The record before a check, the witnesses' timestamps relative to NOW, and the record after it. */
const checks: readonly (readonly [name: string, known: ClockRecord, witnesses: ClockWitnesses, then: ClockRecord])[] = [
  ["a clock that ran on for an hour is trusted", { at: NOW - HOUR }, none, { at: NOW }],
  ["a clock that ran on for a day is trusted", { at: NOW - DAY }, none, { at: NOW }],
  ["a clock that was set back by an hour is trusted", { at: NOW + HOUR }, none, { at: NOW }],
  [
    "a clock that is 31 days ahead is not trusted",
    { at: NOW - 31 * DAY },
    none,
    { at: NOW - 31 * DAY, paused: jumped(NOW) },
  ],
  [
    "a clock that is a day and an hour ahead is not trusted",
    { at: NOW - DAY - HOUR },
    none,
    { at: NOW - DAY - HOUR, paused: jumped(NOW) },
  ],
  ["a stored time in the future is corrected at once", { at: NOW + 31 * DAY }, none, { at: NOW }],
  [
    "a confirmation of a stored time in the future does not count",
    { at: NOW + 31 * DAY, confirmed: true },
    disagree,
    { at: NOW, paused: contradicted(NOW) },
  ],
  [
    "a jump is detected even if timestamps agree at that moment",
    { at: NOW - 40 * DAY },
    agree,
    { at: NOW - 40 * DAY, paused: jumped(NOW, { agreesSince: NOW, agreements: 2 }) },
  ],
  [
    "after a jump, timestamps that agree for 23 hours are not enough",
    { at: NOW - 40 * DAY, paused: jumped(NOW - HOUR, { agreesSince: NOW - 23 * HOUR, agreements: 50 }) },
    agree,
    { at: NOW - 40 * DAY, paused: jumped(NOW, { agreesSince: NOW - 23 * HOUR, agreements: 52 }) },
  ],
  [
    "after a jump, a clock that agrees with timestamps for a day is trusted",
    { at: NOW - 40 * DAY, paused: jumped(NOW - HOUR, { agreesSince: NOW - DAY, agreements: 50 }) },
    agree,
    { at: NOW },
  ],
  [
    "two timestamps a day apart are too few",
    { at: NOW - 40 * DAY, paused: jumped(NOW - HOUR, { agreesSince: NOW - DAY, agreements: 1 }) },
    { agreeing: 1, disagreeing: 0 },
    { at: NOW - 40 * DAY, paused: jumped(NOW, { agreesSince: NOW - DAY, agreements: 2 }) },
  ],
  [
    "after a jump, silence neither confirms nor resets anything",
    { at: NOW - 40 * DAY, paused: jumped(NOW - HOUR, { agreesSince: NOW - 2 * DAY, agreements: 50 }) },
    none,
    { at: NOW - 40 * DAY, paused: jumped(NOW, { agreesSince: NOW - 2 * DAY, agreements: 50 }) },
  ],
  [
    "after a jump, timestamps that disagree restart the day",
    { at: NOW - 40 * DAY, paused: jumped(NOW - HOUR, { agreesSince: NOW - 2 * DAY, agreements: 50 }) },
    disagree,
    { at: NOW - 40 * DAY, paused: jumped(NOW) },
  ],
  [
    "late timestamps among agreeing ones are ignored",
    { at: NOW - 40 * DAY, paused: jumped(NOW - HOUR, { agreesSince: NOW - DAY, agreements: 50 }) },
    late,
    { at: NOW },
  ],
  [
    "agreements with another clock do not count for this one",
    { at: NOW - 400 * DAY, paused: jumped(NOW - 300 * DAY, { agreesSince: NOW - 302 * DAY, agreements: 50 }) },
    agree,
    { at: NOW - 400 * DAY, paused: jumped(NOW, { agreesSince: NOW, agreements: 2 }) },
  ],
  [
    "a clock that returns from a jump is trusted",
    { at: NOW - HOUR, paused: jumped(NOW + 31 * DAY) },
    none,
    { at: NOW },
  ],
  [
    "a clock that was always ahead of the media server's is not trusted",
    { at: NOW - HOUR },
    disagree,
    { at: NOW - HOUR, paused: contradicted(NOW) },
  ],
  [
    "it stays untrusted if the media server is silent afterwards",
    { at: NOW - 2 * HOUR, paused: contradicted(NOW - HOUR) },
    none,
    { at: NOW - 2 * HOUR, paused: contradicted(NOW) },
  ],
  [
    "it is trusted once a timestamp agrees",
    { at: NOW - 2 * HOUR, paused: contradicted(NOW - HOUR) },
    agree,
    { at: NOW },
  ],
  ["late events among others are not a contradiction", { at: NOW - HOUR }, late, { at: NOW }],
  [
    "an operator's confirmation overrides the media server's clock",
    { at: NOW - HOUR, confirmed: true },
    disagree,
    { at: NOW, confirmed: true },
  ],
  [
    "an operator's confirmation is dropped once timestamps agree",
    { at: NOW - HOUR, confirmed: true },
    agree,
    { at: NOW },
  ],
  [
    "an operator's confirmation does not cover the next jump",
    { at: NOW - 31 * DAY, confirmed: true },
    none,
    { at: NOW - 31 * DAY, paused: jumped(NOW) },
  ],
];

it.each(checks)("%s", (_, known, witnesses, then) => {
  expect(judgeClock(known, NOW, witnesses).record).toEqual(then);
});

it("a clock that shows 1970 is never trusted, and does not affect the check after it is corrected", () => {
  for (const now of [0, EARLIEST - 1]) {
    const { record, wentBack } = judgeClock({ at: NOW }, now, agree);
    expect(record).toEqual({ at: NOW, paused: { kind: "impossible", clock: now, agreements: 0 } });
    expect(wentBack).toBe(false);
    expect(judgeClock(record, NOW + HOUR, none).record).toEqual({ at: NOW + HOUR });
  }
});

it("only a clock that is more than a day behind is reported as having gone back", () => {
  expect(judgeClock({ at: NOW + 2 * DAY }, NOW, none).wentBack).toBe(true);
  expect(judgeClock({ at: NOW + HOUR }, NOW, none).wentBack).toBe(false);
  expect(judgeClock({ at: NOW - 2 * DAY }, NOW, none).wentBack).toBe(false);
});
