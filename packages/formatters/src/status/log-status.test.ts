import { type LogStatusOptions, logStatus } from "@media-ops/reports";
import { describe, expect, it } from "vitest";
import { now, samples } from "../test/samples.js";

const MINUTE = 60_000;
const at = (minutes: number, fields: object = {}): object => ({
  timestamp: new Date(now - minutes * MINUTE).toISOString(),
  status: 200,
  ...fields,
});

describe("the state of a log", () => {
  it("has the time of its newest entry, and a summary of the last hour", () => {
    const status = logStatus("webhooks", samples.webhooks, { now });
    expect(status).toMatchObject({
      kind: "webhooks",
      newest: Date.parse("2026-11-21T14:05:28.001Z"),
      lastHour: { kind: "webhooks", count: 4, failures: { count: 3 }, complete: true },
    });
    const { overTime } = status.lastHour;
    expect(overTime.at(0)?.from).toBeLessThanOrEqual(now - 60 * MINUTE);
    expect(overTime.at(-1)?.to).toBeGreaterThan(now);
  });

  it("finds the newest entry in any position, and none without a time", () => {
    const entries = [at(5), { status: 500 }, at(2), null, at(59), at(60)];
    const { newest, lastHour } = logStatus("api", entries, { now });
    expect(newest).toBe(now - 2 * MINUTE);
    expect(lastHour).toMatchObject({ count: 3, failures: { count: 0 } });
  });

  it("counts no failure if the service only refused invalid requests", () => {
    const statuses = [200, 400, 401, 403, 429].map((status) => at(5, { status }));
    expect(logStatus("api", statuses, { now }).lastHour.failures?.count).toBe(0);
    expect(logStatus("webhooks", statuses, { now }).lastHour.failures?.count).toBe(4);
    const { lastHour } = logStatus("api", [...statuses, at(5, { status: 500 }), at(5, { status: 0 })], { now });
    expect(lastHour.failures).toMatchObject({ count: 2, byStatus: [{ status: 500 }, { status: 0 }] });
  });

  it.each([[[]], [[{}, "text"]]])("of %j has no newest entry", (entries) => {
    const status = logStatus("sessions", entries, { now });
    expect(status).not.toHaveProperty("newest");
    expect(status).toMatchObject({ lastHour: { count: 0, complete: true } });
  });

  it.each<[why: string, entries: unknown[], options: Omit<LogStatusOptions, "now">, complete: boolean]>([
    ["as many as the limit, all within this hour", Array(1000).fill(at(5)), {}, false],
    ["one fewer", Array(999).fill(at(5)), {}, true],
    ["as many as the limit, with an older one", [...Array(999).fill(at(5)), at(61)], {}, true],
    ["as many as the limit, one without a time", [...Array(999).fill(at(5)), {}], {}, false],
    ["few of a search that did not reach back", [at(5)], { searchedTo: now - 30 * MINUTE }, false],
    ["few of a search that did", [at(5)], { searchedTo: now - 60 * MINUTE }, true],
    ["many of a complete listing", Array(1000).fill(at(5)), { searchedTo: now - 60 * MINUTE }, true],
  ])("of %s says whether the hour may have more entries", (_, entries, options, complete) => {
    expect(logStatus("api", entries, { now, ...options }).lastHour.complete).toBe(complete);
  });

  it("is refused if the current time is not finite", () => {
    expect(() => logStatus("api", [], { now: Number.NaN })).toThrow(/^now must be .* is NaN/);
  });
});
