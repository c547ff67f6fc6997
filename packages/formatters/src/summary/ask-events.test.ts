import { askStatus, askSummary, type LogService, summarize } from "@media-ops/reports";
import type { LogWhere } from "@media-ops/sdk";
import { describe, expect, it } from "vitest";
import { markOf } from "../status/words.js";
import { formatStatus, formatSummary as formatTerminal } from "../terminal/index.js";
import { countingService } from "../test/counting-service.js";
import { now } from "../test/samples.js";

const lastHour = { now, since: now - 3_600_000 };
const webhook = { timestamp: new Date(now - 1000).toISOString(), type: "session.created", status: 200 };

describe("a summary of the event log", () => {
  const event = (secondsAgo: number, more: object = {}) => {
    return {
      timestamp: new Date(now - secondsAgo * 1000).toISOString(),
      type: "connection.created",
      outcome: "ok",
      ...more,
    };
  };
  const refused = {
    type: "admission.refused",
    outcome: "refused",
    reason: "channel-full",
    client_id: "c1",
    node_name: "node-1",
  };
  const failed = {
    type: "connection.failed",
    outcome: "failed",
    reason: "ice-timeout",
    client_id: "c2",
    node_name: "node-2",
  };
  const events = [
    ...Array.from({ length: 60 }, (_, at) => event(1 + at)),
    ...Array.from({ length: 30 }, (_, at) => event(100 + at, failed)),
    event(200, { ...refused, count: 12 }),
    event(300, { ...failed, reason: undefined, elapsed_time_ms: 20_000 }),
    event(4000, failed),
  ];

  it("names the reasons, the clients and the nodes of what failed or was refused", async () => {
    const service = countingService(events);
    const summary = await askSummary(service, "events", lastHour);
    expect(summary).toMatchObject({
      count: 103,
      before: { count: 1, failed: 1 },
      failures: {
        count: 43,
        byStatus: [],
        byReason: [
          { name: "ice-timeout", count: 30 },
          { name: "channel-full", count: 12 },
        ],
        where: [
          { name: "c2", count: 31 },
          { name: "c1", count: 12 },
        ],
        nodes: [
          { name: "node-2", count: 31 },
          { name: "node-1", count: 12 },
        ],
        first: now - 300_000,
      },
    });
    const text = formatTerminal(summary, { now, width: 300 });
    expect(text).toContain("43 of 103 events failed (42%), most often with the reason ICE timeout. ");
    expect(text).toContain(" Failed most often: client c2 (31×).");
    expect(text).toMatch(/^Failed with +ICE timeout \(30×\), channel full \(12×\)$/m);
    expect(text).toMatch(/^On nodes +node-2 \(31×\), node-1 \(12×\)$/m);
  });

  it("does not take how long connections existed for a processing time", async () => {
    const elapsed_ms = { p50: 20_000, p95: 20_000, p99: 20_000, max: 20_000 };
    const { count, ...service } = countingService(events);
    const measuring: LogService = {
      ...service,
      async count(kind, question) {
        const { total, groups, periods, ...counts } = await count(kind, question);
        const measured = <T extends object>(one: T) => ({ ...one, elapsed_ms });
        return { ...counts, total: measured(total), groups: groups.map(measured), periods: periods.map(measured) };
      },
    };
    const summary = await askSummary(measuring, "events", { ...lastHour, by: ["reason"] });
    expect(formatTerminal(summary, { now, width: 300, chart: "latency" })).not.toMatch(/\b[Tt]ook\b|p95/);
  });

  it("has the same numbers as one made of all entries", async () => {
    const options = { ...lastHour, until: now, by: ["outcome", "reason"] } as const;
    const counted = await askSummary(countingService(events), "events", options);
    const made = summarize("events", events.slice(0, -1), options);
    expect({ ...counted, before: undefined }).toEqual({ ...made, channels: undefined, before: undefined });
    expect(formatTerminal(made, { now, width: 90 })).toMatch(
      /^Outcome +Reason +Count +Failed\n✗ failed +ICE timeout +30 +30 \(100%\)\n▲ refused +channel full +12 +12 \(100%\)\n✗ failed +– +1 +1 \(100%\)\n✓ ok +– +60 +0$/m,
    );
  });

  it.each<[where: LogWhere<"events">, only: "failed" | "ok" | undefined]>([
    [{ failed: true }, "failed"],
    [{ outcome: { eq: "refused" } }, "failed"],
    [{ outcome: { eq: ["failed", "refused"] } }, "failed"],
    [{ outcome: { not: { eq: "ok" } } }, "failed"],
    [{ outcome: { eq: "ok" } }, "ok"],
    [{ outcome: { eq: ["ok", "failed"] } }, undefined],
    [{ outcome: { contains: "e" } }, undefined],
    [{ reason: { eq: "ice-timeout" } }, undefined],
  ])("knows whether its conditions leave failed entries only, or others only: %j", async (where, only) => {
    const summary = await askSummary(countingService([]), "events", { ...lastHour, where });
    expect(summary.only).toBe(only);
  });
});

describe("the state of an event log", () => {
  const timestamp = new Date(now - 1000).toISOString();
  const kiosk = { timestamp, outcome: "refused", reason: "expired", client_id: "kiosk", count: 12 };
  const late = { timestamp, outcome: "refused", reason: "channel-full", client_id: "c1" };
  const phone = { timestamp, outcome: "failed", reason: "ice-timeout", client_id: "c2", node_name: "node-2" };
  const refused = {
    count: 13,
    byReason: [
      { name: "expired", count: 12 },
      { name: "channel-full", count: 1 },
    ],
  };

  it.each([true, false])(
    "has the failed connections, and apart from them the refused clients (counts: %s)",
    async (counts) => {
      const service = countingService([kiosk, phone, late], { counts });
      const status = await askStatus(service, "events", { now });
      expect(status).toMatchObject({
        lastHour: {
          count: 14,
          complete: true,
          failures: { count: 1, byReason: [{ name: "ice-timeout", count: 1 }], where: [{ name: "c2" }] },
        },
        refused,
      });
      expect(status).not.toHaveProperty("isMissing");
      if (counts) expect(service.asked).toHaveLength(6);
    },
  );

  it.each([true, false])(
    "is well if clients were refused only, and asks no more than for the others (counts: %s)",
    async (counts) => {
      const service = countingService([kiosk, late], { counts });
      const status = await askStatus(service, "events", { now });
      expect(status).toMatchObject({ lastHour: { count: 13, failures: { count: 0 } }, refused });
      expect(markOf(status)).toBe("✓");
      if (counts) expect(service.asked).toHaveLength(2);
    },
  );

  it("says that there may be more refused clients if the hour was not counted wholly, and no reason", async () => {
    const service = countingService([kiosk, late], { reach: now - 60_000 });
    const status = await askStatus(service, "events", { now });
    expect(status).toMatchObject({ lastHour: { complete: false }, refused: { count: 13, byReason: [] } });
    expect(formatStatus([status], { address: "a", answeredInMs: 1 }, { now, width: 200 })).toContain(
      "? Event log: newest 1 s ago, at least 13 events in the last hour; at least 13 attempts to connect refused.",
    );
  });

  it.each([true, false])("says that a service has none (counts: %s)", async (counts) => {
    const service = countingService([webhook], { lacks: "events", counts });
    const status = await askStatus(service, "events", { now });
    expect(status).toMatchObject({ kind: "events", isMissing: true, lastHour: { count: 0, complete: true } });
    expect(markOf(status)).toBe("–");
    const others = await askStatus(service, "webhooks", { now });
    expect(formatStatus([others, status], { address: "a", answeredInMs: 1 }, { now })).toBe(
      "✓ a answered in 1 ms.\n✓ Webhook log: newest 1 s ago, 1 webhook in the last hour.\n– Event log: this service has none.",
    );
  });

  it("is not known if the service fails, and another log that it lacks is an error", async () => {
    const failing = { ...countingService([]), list: () => Promise.reject(new TypeError("broken")) };
    await expect(askStatus(failing, "events", { now })).rejects.toThrow("broken");
    const service = countingService([], { lacks: "webhooks" });
    await expect(askStatus(service, "webhooks", { now })).rejects.toThrow("no such kind");
  });
});
