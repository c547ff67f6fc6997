import type { EventLogEntry } from "@media-ops/contract";
import { createMediaClient, MediaNotFoundError } from "@media-ops/sdk";
import { createFakeMediaService, type FakeMediaService, type FakeMediaServiceOptions } from "@media-ops/sdk/testing";
import { describe, expect, it } from "vitest";
import { askWhy, type WhyRequest } from "./index.js";
import { type MeasuredCause, rankCauses } from "./why.js";

const now = Date.parse("2026-04-01T12:00:00Z");
/** A time in seconds after 11:00. */
const at = (seconds: number): string => new Date(now - 3_600_000 + seconds * 1000).toISOString();
const range = (length: number): number[] => Array.from({ length }, (_, index) => index);

function setUp(fill: (service: FakeMediaService) => void, options: FakeMediaServiceOptions = {}) {
  const service = createFakeMediaService({ now: () => now, ...options });
  fill(service);
  const client = createMediaClient({ ...service.clientOptions, maxRetries: 0, now: () => now });
  return { service, why: (request?: WhyRequest) => askWhy(client, request) };
}

const end = (fields: Partial<EventLogEntry>): Partial<EventLogEntry> => ({ type: "connection.destroyed", ...fields });
const refused = (fields: Partial<EventLogEntry>): Partial<EventLogEntry> => ({
  type: "admission.refused",
  outcome: "refused",
  ...fields,
});
const iceTimeout = { outcome: "failed", reason: "ice-timeout", media_reason: "ICE-TIMEOUT" } as const;

/** An hour with three incidents, after one without. */
function fillIncidents(service: FakeMediaService): void {
  // Well in both hours; as many are refused because the lobby is full as the hour before.
  for (const hour of [-3600, 0]) {
    for (const i of range(100)) {
      service.add("events", { timestamp: at(hour + i), client_id: `client-${i}` });
      if (i < 90) service.add("events", end({ timestamp: at(hour + i + 20), client_id: `client-${i}` }));
    }
    for (const i of range(8)) {
      const full = { reason: "channel-full", detail: `${i} of 5`, client_id: `late-${i}` } as const;
      service.add("events", refused({ timestamp: at(hour + 100 + i), count: 10, ...full }));
    }
  }
  // A relay of node-2 is down.
  for (const i of range(45)) {
    const fields = { timestamp: at(200 + i), node_name: i < 44 ? "node-2" : "node-1", client_id: `phone-${i}` };
    service.add("events", { type: "connection.failed", channel_id: "hall@demo", ...fields, ...iceTimeout });
  }
  service.add("events", end({ timestamp: at(250), node_name: "node-2", client_id: "phone-3", ...iceTimeout }));
  // A client with an expired token tries again and again.
  for (const i of range(60)) {
    const fields = { timestamp: at(300 + i * 10), client_id: "kiosk", count: 100, reason: "expired" } as const;
    service.add("events", refused(fields));
  }
}

describe("an explanation", () => {
  it("has the counts of a period and of the one before, and the most likely cause first, with its numbers", async () => {
    const { why } = setUp(fillIncidents);
    const explained = await why({ since: at(0), until: at(3600) });
    expect(explained).toMatchObject({
      since: "2026-04-01T11:00:00Z",
      until: "2026-04-01T12:00:00Z",
      complete: true,
      counts: { connected: 100, ok: 90, failed: 46, refused: 6080 },
      before: { connected: 100, ok: 90, failed: 0, refused: 80 },
    });
    const [first, second, third, ...others] = explained.causes;
    expect(others).toEqual([]);
    expect(first).toMatchObject({
      outcome: "failed",
      reason: "ice-timeout",
      mediaReason: "ICE-TIMEOUT",
      count: 46,
      before: 0,
      detail: undefined,
      clientCount: 45,
      nodes: [
        { name: "node-2", count: 45 },
        { name: "node-1", count: 1 },
      ],
      channels: [
        { name: "hall@demo", count: 45 },
        { name: "lobby@demo", count: 1 },
      ],
    });
    expect(first?.clients).toHaveLength(10);
    expect(first?.clients[0]).toEqual({ name: "phone-3", count: 2 });
    expect(second).toMatchObject({ outcome: "refused", reason: "expired", mediaReason: undefined, count: 6000 });
    expect(second).toMatchObject({ before: 0, clients: [{ name: "kiosk", count: 6000 }], clientCount: 1 });
    expect(third).toMatchObject({ reason: "channel-full", count: 80, before: 80, detail: "7 of 5", clientCount: 8 });
  });

  it("is of one channel, by its name or its id", async () => {
    const { why } = setUp(fillIncidents);
    for (const channel of ["hall", "hall@demo"]) {
      const { counts, causes } = await why({ channel, since: at(0) });
      expect(counts).toEqual({ connected: 0, ok: 0, failed: 45, refused: 0 });
      expect(causes.map(({ reason, count }) => [reason, count])).toEqual([["ice-timeout", 45]]);
    }
  });

  it("has conditions that list exactly the entries of each cause", async () => {
    const { service, why } = setUp(fillIncidents);
    const { logs } = createMediaClient(service.clientOptions);
    for (const request of [{}, { channel: "lobby" }]) {
      for (const { where, count } of (await why(request)).causes) {
        const entries = await logs.events({ where, since: at(0) });
        expect(entries.reduce((sum, entry) => sum + (entry.count ?? 1), 0)).toBe(count);
      }
    }
  });

  it("keeps failures apart by the media server's word, also those without a reason", async () => {
    const { service, why } = setUp((service) => {
      const failed = { timestamp: at(1), type: "connection.failed", outcome: "failed" } as const;
      service.add(
        "events",
        { ...failed, reason: "other", media_reason: "SCTP" },
        { ...failed, reason: "other", media_reason: "CODEC" },
        failed,
        { ...failed, type: "connection.vanished", reason: "node-gone" },
        { ...failed, type: "session.vanished", reason: "node-gone" },
      );
    });
    const { causes, counts } = await why();
    expect(counts.failed).toBe(4);
    const found = causes.map(({ reason, mediaReason, count }) => `${reason} ${mediaReason} ${count}`).sort();
    expect(found).toEqual(["node-gone undefined 1", "other CODEC 1", "other SCTP 1", "undefined undefined 1"]);
    const { logs } = createMediaClient(service.clientOptions);
    for (const { where, count } of causes) expect(await logs.events({ where })).toHaveLength(count);
  });

  it("counts all clients, however many they are", async () => {
    const { why } = setUp((service) => {
      const clients = range(1200).map((i) =>
        refused({ timestamp: at(1), reason: "expired", client_id: `client-${i}` }),
      );
      service.add("events", ...clients);
    });
    expect((await why()).causes).toMatchObject([{ count: 1200, clientCount: 1200, clients: { length: 10 } }]);
  });

  it("counts clients without an id once for each failure, and once for all refusals", async () => {
    const { why } = setUp((service) => {
      service.add("events", ...range(3).map(() => ({ timestamp: at(1), type: "connection.failed", ...iceTimeout })));
      service.add("events", refused({ timestamp: at(1), count: 5000, reason: "no-token" }));
      for (const client_id of ["a", "b"]) {
        service.add("events", refused({ timestamp: at(1), count: 10, reason: "expired", client_id }));
      }
    });
    const { causes } = await why();
    expect(causes.map(({ reason, clientCount }) => [reason, clientCount])).toEqual([
      ["ice-timeout", 0],
      ["expired", 2],
      ["no-token", 0],
    ]);
  });

  it.each<[request: WhyRequest, since: string, until: string, before: boolean]>([
    [{}, "2026-04-01T11:00:00Z", "2026-04-01T12:00:00Z", true],
    [{ until: at(1.5) }, "2026-04-01T10:00:01.5Z", "2026-04-01T11:00:01.5Z", true],
    [{ since: new Date(at(0)) }, "2026-04-01T11:00:00Z", "2026-04-01T12:00:00Z", true],
    [{ since: "2026-03-17T12:00:00Z" }, "2026-03-17T12:00:00Z", "2026-04-01T12:00:00Z", true],
    [{ since: "2026-03-17T11:59:59Z" }, "2026-03-17T11:59:59Z", "2026-04-01T12:00:00Z", false],
  ])(
    "of %j is from %s to %s, and compared if the log has the period before: %j",
    async (request, since, until, before) => {
      const { why } = setUp(fillIncidents);
      const explained = await why(request);
      expect(explained).toMatchObject({ since, until });
      expect(explained.before !== undefined).toBe(before);
      for (const cause of explained.causes) expect(cause.before !== undefined).toBe(before);
    },
  );

  it("is not compared with a period that was not counted wholly, and says if it is not complete itself", async () => {
    const { service, why } = setUp(fillIncidents);
    const { fetch } = service;
    const incomplete = (isMeant: (body: string) => boolean) =>
      createMediaClient({
        ...service.clientOptions,
        now: () => now,
        fetch: async (input, init) => {
          const answer = await fetch(input, init);
          if (!String(input).includes("count-logs") || !isMeant(String(init?.body))) return answer;
          return Response.json({ ...(await answer.json()), complete: false });
        },
      });
    const client = incomplete((body) => body.includes('"until":"2026-04-01T11:00:00Z"'));
    expect(await askWhy(client)).toMatchObject({
      complete: true,
      before: undefined,
      causes: [{ before: undefined }, {}, {}],
    });
    const other = incomplete((body) => body.includes('"until":"2026-04-01T12:00:00Z"'));
    expect(await askWhy(other)).toMatchObject({ complete: false });
    expect(await why()).toMatchObject({ complete: true });
  });

  it("says from when on all was counted, if its counts reach back to different times", async () => {
    const { service } = setUp(fillIncidents);
    const reaches = ["2026-04-01T11:10:00Z", "2026-04-01T13:20:00.5+02:00", "2026-04-01T11:20:00Z"];
    const client = createMediaClient({
      ...service.clientOptions,
      now: () => now,
      fetch: async (input, init) => {
        const answer = await service.fetch(input, init);
        const body = String(init?.body);
        if (!String(input).includes("count-logs") || !body.includes('"until":"2026-04-01T12:00:00Z"')) return answer;
        const [at] = ['"by":["type"', '"by":["reason","media_reason"', '"by":["reason"]'].flatMap((by, at) =>
          body.includes(by) ? at : [],
        );
        return Response.json({
          ...(await answer.json()),
          ...(at !== undefined && { complete: false, since: reaches[at] }),
        });
      },
    });
    expect(await askWhy(client)).toMatchObject({
      complete: false,
      since: "2026-04-01T11:20:00.5Z",
      until: "2026-04-01T12:00:00Z",
    });
  });

  it.each([false, "ignored"] as const)("of a service without an event log is an error (%s)", async (extensions) => {
    const { service, why } = setUp(fillIncidents, { extensions });
    await expect(why()).rejects.toBeInstanceOf(MediaNotFoundError);
    const { length } = service.calls;
    await expect(why()).rejects.toBeInstanceOf(MediaNotFoundError);
    expect(service.calls).toHaveLength(length);
  });

  it.each<[request: object, message: string]>([
    [{ channel: "" }, 'channel must be the name or the id of a channel, not "".'],
    [{ channel: 5 }, 'channel must be the name or the id of a channel, not "5".'],
    [{ since: "today" }, 'since must be an RFC 3339 time or a Date, not "today".'],
    [{ since: at(9999) }, "until must be later than since"],
  ])("is not asked for if the request is wrong: %j", async (request, message) => {
    const { service, why } = setUp(fillIncidents);
    await expect(why(request)).rejects.toThrow(message);
    expect(service.calls).toEqual([]);
  });
});

/** A cause by its name, count and affected clients, and the same of the period before. */
function cause(name: string, [count, affected]: [number, number], before?: [number, number]): MeasuredCause {
  return {
    cause: {
      outcome: "refused",
      reason: "other",
      mediaReason: name,
      count,
      before: before?.[0],
      detail: undefined,
      clients: [],
      clientCount: 0,
      nodes: [],
      channels: [],
      where: {},
    },
    affected,
    affectedBefore: before?.[1] ?? 0,
  };
}

describe("the most likely cause", () => {
  it.each<[why: string, causes: MeasuredCause[], ranked: string[]]>([
    ["affects the most clients", [cause("a", [5, 5]), cause("b", [45, 45])], ["b", "a"]],
    ["is no client that tries again and again", [cause("loop", [6000, 1]), cause("ice", [60, 45])], ["ice", "loop"]],
    [
      "affects more clients than before",
      [cause("always", [300, 100], [300, 100]), cause("new", [20, 20], [0, 0])],
      ["new", "always"],
    ],
    [
      "has become more frequent, among those that affect as many more",
      [cause("always", [900, 1], [900, 1]), cause("more", [200, 1], [100, 1])],
      ["more", "always"],
    ],
    [
      "is the most frequent, if nothing has changed",
      [cause("few", [3, 2], [3, 2]), cause("many", [9, 2], [9, 2])],
      ["many", "few"],
    ],
    [
      "is not one that affects fewer than before",
      [cause("better", [50, 40], [90, 80]), cause("same", [1, 1], [1, 1])],
      ["same", "better"],
    ],
    ["is the first one, if all are equal", [cause("a", [1, 1]), cause("b", [1, 1])], ["a", "b"]],
    ["is nothing, if nothing failed", [], []],
  ])("%s", (_, causes, ranked) => {
    expect(rankCauses(causes).map(({ mediaReason }) => mediaReason)).toEqual(ranked);
  });

  it("leaves the given causes in their order", () => {
    const causes = [cause("a", [1, 1]), cause("b", [2, 2])];
    rankCauses(causes);
    expect(causes.map(({ cause: { mediaReason } }) => mediaReason)).toEqual(["a", "b"]);
  });
});
