import { intakeContract, type Node, resolve } from "@media-ops/openapi/contract";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { elapsedBetween, eventReaders, readReason } from "./events.js";

describe("the whole minutes between two moments", () => {
  it.each([
    ["60 s are 1", "2026-04-01T09:30:15Z", "2026-04-01T09:31:15Z", 1],
    ["to the microsecond is 1", "2026-04-01T09:30:15.482913Z", "2026-04-01T09:31:15.482913Z", 1],
    ["trailing zeros do not count", "2026-04-01T09:30:15.400000Z", "2026-04-01T09:31:15.4Z", 1],
    ["no fraction equals a zero fraction", "2026-04-01T09:30:15.000Z", "2026-04-01T09:31:15Z", 1],
    ["a leap second is the last of its minute", "2016-12-31T23:30:00Z", "2016-12-31T23:59:60Z", 30],
    ["the fraction of a leap second counts", "2016-12-31T23:30:00.5Z", "2016-12-31T23:59:60.499999Z", 29],
    ["a leap second at the beginning counts", "2016-12-31T23:59:60.25Z", "2017-01-01T00:01:00.25Z", 1],
    ["both times in one leap second are 0", "2016-12-31T23:59:60Z", "2016-12-31T23:59:60.9Z", 0],
    ["a clock that was set back results in 0", "2026-04-01T09:31:15Z", "2026-04-01T09:30:15Z", 0],
  ])("%s", (_, from, until, minutes) => {
    expect(elapsedBetween(from, until).minutes).toBe(minutes);
  });

  it("are exact to the last digit for any two moments", () => {
    const moment = fc.record({
      seconds: fc.integer({ min: 0, max: 2_000_000_000 }),
      fraction: fc.stringMatching(/^\d{0,9}$/),
    });
    const textOf = ({ seconds, fraction }: { seconds: number; fraction: string }): string =>
      new Date(seconds * 1000).toISOString().replace(".000Z", fraction === "" ? "Z" : `.${fraction}Z`);
    const nanosecondsOf = ({ seconds, fraction }: { seconds: number; fraction: string }): bigint =>
      BigInt(seconds) * 1_000_000_000n + BigInt(fraction.padEnd(9, "0"));
    // Includes moments that are close together: only there do the fractions decide.
    const pair = fc.oneof(
      fc.tuple(moment, moment),
      fc
        .tuple(moment, fc.integer({ min: 0, max: 3 }), fc.stringMatching(/^\d{0,9}$/))
        .map(([from, minutes, fraction]) => [from, { seconds: from.seconds + minutes * 60, fraction }] as const),
    );
    fc.assert(
      fc.property(pair, ([from, until]) => {
        const minutes = (nanosecondsOf(until) - nanosecondsOf(from)) / 60_000_000_000n;
        expect(elapsedBetween(textOf(from), textOf(until)).minutes).toBe(Math.max(0, Number(minutes)));
      }),
    );
  });
});

const schemas = Object.values(intakeContract.components?.schemas ?? {});

/** Every type that a schema declares by `const`. */
function constsIn(schema: Node): string[] {
  const own: unknown = schema.properties?.type?.const;
  const parts = Object.values(schema.allOf ?? {}).flatMap(constsIn);
  return typeof own === "string" ? [own, ...parts] : parts;
}

it("the handled event types are those that the contract defines", () => {
  const named = schemas.flatMap(constsIn);
  expect(named.length).toBeGreaterThan(0);
  expect(Object.keys(eventReaders).sort()).toEqual(named.sort());
});

it("the contract's schema for other events excludes exactly the handled types", () => {
  const other = Object.values(resolve(intakeContract.components?.schemas?.OtherEvent ?? {}).allOf ?? {});
  const excluded = other.flatMap(({ properties }) => Object.values(properties?.type?.not?.enum ?? {}).map(String));
  expect(excluded.sort()).toEqual(Object.keys(eventReaders).sort());
});

it.each([
  [undefined, { outcome: "ok" }],
  ["", { outcome: "ok" }],
  ["NO-ERROR", { outcome: "ok" }],
  ["WEBSOCKET-ONCLOSE", { outcome: "ok" }],
  ["ICE-TIMEOUT", { outcome: "failed", reason: "ice-timeout" }],
  ["ICE-CONNECTION-STATE-FAILED", { outcome: "failed", reason: "ice-failed" }],
  ["ice_timeout", { outcome: "failed", reason: "ice-timeout" }],
  ["DTLS-HANDSHAKE-ERROR", { outcome: "failed", reason: "dtls-failed" }],
  ["DISCONNECTED-API", { outcome: "ok", reason: "disconnected-by-api" }],
  ["LIFETIME-EXPIRED", { outcome: "ok", reason: "lifetime-expired" }],
  ["SIGNALING-ERROR", { outcome: "failed", reason: "signaling-lost" }],
  ["PONG-TIMEOUT", { outcome: "failed", reason: "timeout" }],
  ["SERVICE-RESTART", { outcome: "ok", reason: "other" }],
])("the media server's word %j is read as %j", (word, { outcome, ...more }) => {
  expect(readReason(word)).toEqual({ outcome, ...more, ...(word && { media_reason: word }) });
});

it("a word is cut to the contract's 255 characters", () => {
  expect(readReason("X".repeat(300)).media_reason).toHaveLength(255);
});
