import { type CallOptions, createMediaClient, MediaResponseError, MediaUsageError } from "@media-ops/sdk";
import { createFakeMediaService, type FakeMediaService, type FakeMediaServiceOptions } from "@media-ops/sdk/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { askTrace, askWhy, type Trace, type TraceLine, type TraceRequest } from "./index.js";

/** The clock of the traced service. */
const now = Date.parse("2026-04-01T12:00:00Z");
/** A time of the last hour, in seconds after 11:00. */
const at = (seconds: number): string => new Date(now - 3_600_000 + seconds * 1000).toISOString();

/** A service with entries, and the traces of its client. */
function setUp(options: FakeMediaServiceOptions = {}, fill: (service: FakeMediaService) => void = fillLobby) {
  const service = createFakeMediaService({ now: () => now, ...options });
  fill(service);
  const client = createMediaClient({ ...service.clientOptions, maxRetries: 0, now: () => now });
  const trace = (request: TraceRequest, options?: CallOptions) => askTrace(client, request, options);
  return { service, logs: client.logs, trace };
}

/** The channel of most entries. */
const lobby = "lobby@demo";

/** An hour: two sessions in the lobby, one of them with a refusal and a failure, and one elsewhere. */
function fillLobby(service: FakeMediaService): void {
  const s1 = { channel_id: lobby, session_id: "S1AAAAAAAAAAAAAAAAAAAAAAAA" };
  const c1 = { ...s1, connection_id: "C1AAAAAAAAAAAAAAAAAAAAAAAA", client_id: "camera", bundle_id: "stage" };
  const c2 = { ...s1, connection_id: "C2AAAAAAAAAAAAAAAAAAAAAAAA" };
  const s2 = { channel_id: lobby, session_id: "S2BBBBBBBBBBBBBBBBBBBBBBBB" };
  const s3 = { channel_id: "hall@demo", session_id: "S3CCCCCCCCCCCCCCCCCCCCCCCC" };
  const c3 = { ...s3, connection_id: "C3CCCCCCCCCCCCCCCCCCCCCCCC", client_id: "camera" };
  const failed = { channel_id: lobby, connection_id: "C9AAAAAAAAAAAAAAAAAAAAAAAA", client_id: "phone" };
  const none: object = { session_id: undefined, connection_id: undefined };
  const event = (seconds: number, type: string, fields: object) => {
    service.add("events", { ...none, timestamp: at(seconds), type, event_id: `${type} ${seconds}`, ...fields });
  };
  const webhook = (seconds: number, type: string, fields: object) => {
    service.add("webhooks", { timestamp: at(seconds), type, ...fields });
  };
  service.add("media-api", { timestamp: at(90), channel_id: lobby, media_target: "Media_1.ListConnections" });
  event(100, "session.created", s1);
  webhook(100.1, "session.created", { channel_id: lobby, event_id: "session.created 100" });
  event(101, "connection.created", c1);
  webhook(101.1, "connection.created", { channel_id: lobby, connection_id: c1.connection_id });
  event(120, "connection.created", c2);
  event(130, "admission.refused", { channel_id: lobby, client_id: "tv", outcome: "refused", reason: "channel-full" });
  event(140, "connection.failed", { ...failed, outcome: "failed", reason: "ice-timeout", elapsed_time_ms: 20_000 });
  webhook(140.1, "connection.failed", { channel_id: lobby, connection_id: failed.connection_id, status: 503 });
  service.add("media-api", { timestamp: at(190), channel_id: lobby, media_target: "Media_1.DisconnectConnection" });
  event(195, "recording.report", { channel_id: lobby });
  event(200, "connection.destroyed", { ...c2, elapsed_time_ms: 80_000, reason: "disconnected-by-api" });
  service.add("connections", { timestamp: at(200), ...c2, client_id: c2.connection_id, bundle_id: c2.connection_id });
  event(300, "connection.destroyed", { ...c1, elapsed_time_ms: 199_000 });
  service.add("connections", { timestamp: at(300), ...c1 });
  service.add("media-api", { timestamp: at(300), channel_id: lobby, media_target: "Media_1.DisconnectChannel" });
  event(310, "session.destroyed", { ...s1, elapsed_time_ms: 210_000 });
  service.add("sessions", { timestamp: at(310), ...s1, created_timestamp: at(100), destroyed_timestamp: at(310) });
  webhook(310, "session.destroyed", { channel_id: lobby, event_id: "session.destroyed 310", status: 0 });
  webhook(340.1, "session.destroyed", { channel_id: lobby, event_id: "session.destroyed 310" });
  event(320, "session.created", s2);
  event(330, "admission.refused", { channel_id: lobby, client_id: "tv", outcome: "refused", reason: "expired" });
  service.add("media-api", { timestamp: at(350), channel_id: lobby, media_target: "Media_1.ListConnections" });
  event(400, "session.created", s3);
  event(401, "connection.created", c3);
  webhook(401.1, "connection.created", { channel_id: "hall@demo", connection_id: c3.connection_id });
}

/** A line in short: its second, its log and what it is about. */
function brief(line: TraceLine): string {
  const { kind, entry } = line;
  const what = kind === "events" || kind === "webhooks" ? entry.type : kind === "media-api" ? entry.media_target : "";
  const end = kind === "events" && line.end ? "+end" : "";
  const second = (Date.parse(entry.timestamp) - now + 3_600_000) / 1000;
  return `${second} ${[kind, what].filter(Boolean).join(" ")}${end}`;
}

/** The lines of a trace in short. */
const linesOf = ({ lines }: Trace): string[] => lines.map(brief);

describe("a trace", () => {
  it.each<[request: TraceRequest, subject: string, id: string, lines: string[]]>([
    [
      { what: "C1AAAAAAAAAAAAAAAAAAAAAAAA" },
      "connection",
      "C1AAAAAAAAAAAAAAAAAAAAAAAA",
      [
        "101 events connection.created",
        "101.1 webhooks connection.created",
        "190 media-api Media_1.DisconnectConnection",
        "300 events connection.destroyed+end",
        "300 media-api Media_1.DisconnectChannel",
        "310 sessions",
      ],
    ],
    [
      { what: "C9AAAAAAAAAAAAAAAAAAAAAAAA" },
      "connection",
      "C9AAAAAAAAAAAAAAAAAAAAAAAA",
      ["140 events connection.failed", "140.1 webhooks connection.failed"],
    ],
    [
      { what: "S1AAAAAAAAAAAAAAAAAAAAAAAA" },
      "session",
      "S1AAAAAAAAAAAAAAAAAAAAAAAA",
      [
        "100 events session.created",
        "100.1 webhooks session.created",
        "101 events connection.created",
        "101.1 webhooks connection.created",
        "120 events connection.created",
        "130 events admission.refused",
        "140 events connection.failed",
        "140.1 webhooks connection.failed",
        "190 media-api Media_1.DisconnectConnection",
        "200 events connection.destroyed+end",
        "300 events connection.destroyed+end",
        "300 media-api Media_1.DisconnectChannel",
        "310 events session.destroyed+end",
        "310 webhooks session.destroyed",
        "340.1 webhooks session.destroyed",
      ],
    ],
    [
      { what: "S2BBBBBBBBBBBBBBBBBBBBBBBB" },
      "session",
      "S2BBBBBBBBBBBBBBBBBBBBBBBB",
      [
        "320 events session.created",
        "330 events admission.refused",
        "340.1 webhooks session.destroyed",
        "350 media-api Media_1.ListConnections",
      ],
    ],
    [
      { what: "camera" },
      "client",
      "camera",
      [
        "101 events connection.created",
        "101.1 webhooks connection.created",
        "300 events connection.destroyed+end",
        "401 events connection.created",
        "401.1 webhooks connection.created",
      ],
    ],
    [
      { what: "stage" },
      "bundle",
      "stage",
      ["101 events connection.created", "101.1 webhooks connection.created", "300 events connection.destroyed+end"],
    ],
    [{ what: "tv" }, "client", "tv", ["130 events admission.refused", "330 events admission.refused"]],
    [
      { what: "hall" },
      "channel",
      "hall@demo",
      ["400 events session.created", "401 events connection.created", "401.1 webhooks connection.created"],
    ],
    [
      { what: "lobby@demo", since: at(310), until: at(340) },
      "channel",
      "lobby@demo",
      [
        "310 events session.destroyed+end",
        "310 webhooks session.destroyed",
        "320 events session.created",
        "330 events admission.refused",
      ],
    ],
    [{ what: "lobby", as: "channel", since: at(350) }, "channel", "lobby", ["350 media-api Media_1.ListConnections"]],
  ])("of %j is about a %s, %s, and has all that the logs have about it", async (request, subject, id, lines) => {
    const { trace } = setUp();
    const traced = await trace(request);
    expect(traced).toMatchObject({ subject, id, complete: true, searchedTo: undefined, missing: [], candidates: [] });
    expect(linesOf(traced)).toEqual(lines);
  });
});

describe.each([false, "ignored"] as const)("a service with the six operations only (%s)", (extensions) => {
  it("has a trace of the logs that it has, and says which it lacks", async () => {
    const { service, trace } = setUp({ extensions });
    const session = await trace({ what: "S1AAAAAAAAAAAAAAAAAAAAAAAA" });
    expect(session).toMatchObject({ subject: "session", complete: true, missing: ["events", "webhooks"] });
    expect(linesOf(session)).toEqual([
      "190 media-api Media_1.DisconnectConnection",
      "200 connections",
      "300 connections",
      "300 media-api Media_1.DisconnectChannel",
      "310 sessions",
    ]);
    const client = await trace({ what: "cam…", since: at(250) });
    expect(client).toMatchObject({ subject: "client", id: "camera", missing: ["events", "webhooks"] });
    expect(linesOf(client)).toEqual(["300 connections"]);
    const { subject, id } = await trace({ what: "C2AAAAAAAAAAAAAAAAAAAAAAAA" });
    expect([subject, id]).toEqual(["connection", "C2AAAAAAAAAAAAAAAAAAAAAAAA"]);
    expect(await trace({ what: "nowhere" })).toMatchObject({ subject: undefined, complete: true });
    const events = service.calls.filter(({ path }) => path === "/orgs/list-event-logs");
    expect(events.length).toBeLessThanOrEqual(5);
  });

  it("is read once for each log, and asked for the event log once an hour", async () => {
    let clock = now;
    const service = createFakeMediaService({ extensions, now: () => now });
    fillLobby(service);
    const client = createMediaClient({ ...service.clientOptions, maxRetries: 0, now: () => clock });
    const pathsOf = async (what: string): Promise<string[]> => {
      const before = service.calls.length;
      await askTrace(client, { what });
      return service.calls.slice(before).map(({ path }) => path.replace(/.*list-|-logs/g, ""));
    };
    await pathsOf("camera");
    expect((await pathsOf("camera")).sort()).toEqual(["connection", "session"]);
    expect((await pathsOf("S1AAAAAAAAAAAAAAAAAAAAAAAA")).sort()).toEqual(["connection", "media-api", "session"]);
    clock += 3_600_000;
    expect(await pathsOf("camera")).toContain("event");
  });

  it("claims nothing beyond the point to which its shortest list goes", async () => {
    const { trace } = setUp({ extensions }, (service) => {
      fillLobby(service);
      service.add("media-api", ...Array.from({ length: 996 }, (_, i) => ({ timestamp: at(250 + i / 10) })), {
        timestamp: at(240),
      });
    });
    for (const order of ["newest", "oldest"] as const) {
      const traced = await trace({ what: lobby, as: "channel", order, until: at(330), limit: 1000 });
      expect(linesOf(traced).slice(0, 2)).toEqual([
        "200 connections",
        "240 media-api Media_20151104.DisconnectChannel",
      ]);
      expect(traced).toMatchObject({ complete: false, searchedTo: "2026-04-01T11:03:10Z" });
    }
  });
});

describe("a failure of a call", () => {
  it.each([401, 403, 404, 500])(
    "of status %i ends the trace, unless it says that there is no event log",
    async (status) => {
      const { service, trace } = setUp();
      service.fail({ status }, 20);
      await expect(trace({ what: "camera" })).rejects.toMatchObject({ status });
    },
  );

  it("that the caller causes ends the trace", async () => {
    const { trace } = setUp();
    const controller = new AbortController();
    controller.abort(new Error("enough"));
    await expect(trace({ what: "camera" }, { signal: controller.signal })).rejects.toThrow("enough");
  });
});

describe("the trace of a client", () => {
  it("has the webhooks of all of its connections, also of those before the page", async () => {
    const { trace } = setUp({}, (service) => {
      for (let i = 0; i < 250; i++) {
        service.add("events", { timestamp: at(i), connection_id: `c${i}`, client_id: "camera" });
        service.add("webhooks", { timestamp: at(1000 + i), connection_id: `c${i}` });
      }
    });
    const pages = [await trace({ what: "camera", limit: 100 })];
    for (let next = pages[0]?.older; next; next = pages.at(-1)?.older) pages.push(await trace(next));
    expect(pages.flatMap(({ lines }) => lines)).toHaveLength(500);
    const [first, ...others] = (await trace({ what: "camera", as: "client", order: "oldest", since: at(1249) })).lines;
    expect(first).toMatchObject({ kind: "webhooks", entry: { connection_id: "c249" } });
    expect(others).toEqual([]);
  });
});

describe("a text to trace", () => {
  const ids = ["0J9V6TQ2M4EXK7C3R8ZB5HW1NA", "0J9V6TQ2ZZZZZZZZZZZZZZZZZZ", "9TQ2M4EXK7C3R8ZB5HW1NA0J9V"] as const;
  const fill = (service: FakeMediaService): void => {
    const [first, second, third] = ids;
    service.add(
      "events",
      { timestamp: at(1), connection_id: first, session_id: third, client_id: "lobby", bundle_id: "lobby" },
      { timestamp: at(2), connection_id: second, client_id: "c*1", bundle_id: "stage" },
      { timestamp: at(3), connection_id: "only", client_id: "stage", bundle_id: "stage", channel_id: "hall@b@demo" },
      { timestamp: at(4), connection_id: "z", client_id: "CLIENT0000000000000000TEST" },
      { timestamp: at(4), connection_id: "x", client_id: "camera-1", bundle_id: "camera-10" },
      { timestamp: at(5), connection_id: "y", client_id: "camera-10", bundle_id: "cameras" },
    );
    // Older than the event log.
    const old = { session_id: "old-session", connection_id: "old-one", client_id: "old-one", bundle_id: "old-one" };
    service.add("connections", { timestamp: at(-9), channel_id: "old@demo", ...old });
  };

  it.each<[request: TraceRequest, named: string[]]>([
    [{ what: ids[0] }, [`connection ${ids[0]}`]],
    [{ what: ids[2] }, [`session ${ids[2]}`]],
    [{ what: "CLIENT0000000000000000TEST" }, ["client CLIENT0000000000000000TEST"]],
    [{ what: "NOWHERE000000000000000TEST" }, []],
    [{ what: "0J9V6TQ2…W1NA" }, [`connection ${ids[0]}`]],
    [{ what: "0J9V6TQ2...ZZZZ" }, [`connection ${ids[1]}`]],
    [{ what: "0J9V…" }, [`connection ${ids[1]}`, `connection ${ids[0]}`]],
    [{ what: "0J9V6TQ2M" }, [`connection ${ids[0]}`]],
    [{ what: "0J9V" }, [`connection ${ids[1]}`, `connection ${ids[0]}`]],
    [{ what: "0J9" }, []],
    [{ what: "c*1" }, ["client c*1"]],
    [{ what: "c*…" }, ["client c*1"]],
    [{ what: "lobby" }, ["channel lobby@demo", "client lobby"]],
    [{ what: "lobby", as: "client" }, ["client lobby"]],
    [{ what: "lobby", as: "bundle" }, ["bundle lobby"]],
    [{ what: "lobby", until: at(1) }, []],
    [{ what: "stage" }, ["client stage"]],
    [{ what: "hall@b" }, ["channel hall@b@demo"]],
    [{ what: "hall@b@demo" }, ["channel hall@b@demo"]],
    [{ what: "lobb" }, ["channel lobby@demo", "client lobby"]],
    [{ what: "camera-1" }, ["client camera-1"]],
    [{ what: "camera-10" }, ["client camera-10", "bundle camera-10"]],
    [{ what: "camera-", as: "client" }, ["client camera-"]],
    [{ what: "camera-…", as: "client" }, ["client camera-10", "client camera-1"]],
    [{ what: "old-one" }, ["connection old-one"]],
    [{ what: "old-s" }, ["session old-session"]],
    [{ what: "old" }, ["channel old@demo"]],
    [{ what: "nowhere" }, []],
  ])("such as %j is %j", async (request, named) => {
    const { trace } = setUp({}, fill);
    const { subject, id, candidates, lines } = await trace(request);
    const found = candidates.map((candidate) => `${candidate.subject} ${candidate.id}`);
    expect(subject ? [`${subject} ${id}`] : found).toEqual(named);
    if (!subject) expect({ id, lines }).toEqual({ id: request.what, lines: [] });
  });

  it("that looks like the id of a connection or session takes few calls", async () => {
    const { service, trace } = setUp({}, fill);
    await trace({ what: ids[0] });
    expect(service.calls.length).toBeLessThanOrEqual(9);
    const before = service.calls.length;
    await trace({ what: ids[0], as: "connection" });
    expect(service.calls.length - before).toBeLessThanOrEqual(7);
    await trace({ what: "NOWHERE000000000000000TEST" });
    // A whole id is the beginning of no other.
    expect(JSON.stringify(service.calls)).not.toContain("NOWHERE000000000000000TEST*");
  });

  it("may be several things, which come with the time of their newest event", async () => {
    const { trace } = setUp({}, fill);
    expect((await trace({ what: "0J9V" })).candidates).toEqual([
      { subject: "connection", id: ids[1], timestamp: at(2) },
      { subject: "connection", id: ids[0], timestamp: at(1) },
    ]);
  });

  it("leads to all ids that begin with it, however many events the newest of them has", async () => {
    const { trace } = setUp({}, (service) => {
      service.add("events", { timestamp: at(0), client_id: "camera-1" });
      service.add("events", ...Array.from({ length: 300 }, () => ({ timestamp: at(1), client_id: "camera-2" })));
    });
    const { candidates } = await trace({ what: "camera" });
    expect(candidates.map(({ id }) => id)).toEqual(["camera-2", "camera-1"]);
  });

  it("that occurs nowhere is not said to, if not everything was searched", async () => {
    const { trace } = setUp({ maxScanned: 10 }, (service) => {
      service.add("events", ...Array.from({ length: 100 }, (_, i) => ({ timestamp: at(i), connection_id: `x${i}` })));
    });
    expect(await trace({ what: "nowhere" })).toMatchObject({
      subject: undefined,
      candidates: [],
      complete: false,
      searchedTo: "2026-04-01T11:00:50Z",
    });
  });

  it.each<[request: object, message: string]>([
    [{}, 'what must be an id or a channel, not "undefined".'],
    [{ what: "" }, 'what must be an id or a channel, not "".'],
    [{ what: "…" }, 'what must be an id or a channel, not "…".'],
    [{ what: "x", as: "node" }, 'as must be one of connection, session, client, bundle, channel, not "node".'],
    [{ what: "x", limit: 1001 }, "limit must be a count from 1 to 1000, not 1001."],
    [{ what: "x", skip: -1 }, "skip must be a count, not -1."],
    [{ what: "x", order: "random" }, 'order must be "newest" or "oldest", not "random".'],
    [{ what: "x", since: "yesterday" }, 'since must be an RFC 3339 time or a Date, not "yesterday".'],
    [{ what: "x", since: at(1), until: at(1) }, "until must be later than since"],
  ])("is not asked for if the request is wrong: %j", async (request, message) => {
    const { service, trace } = setUp();
    await expect(Reflect.apply(trace, undefined, [request])).rejects.toThrow(message);
    expect(service.calls).toEqual([]);
  });
});

describe("the pages of a trace", () => {
  /** All pages that follow one another in a direction. */
  async function walk(
    trace: (request: TraceRequest) => Promise<Trace>,
    request: TraceRequest,
    to: "older" | "newer",
  ): Promise<Trace[]> {
    const pages: Trace[] = [];
    for (let next: TraceRequest | undefined = request; next; next = pages.at(-1)?.[to]) {
      pages.push(await trace(next));
      if (pages.length > 40) throw new Error("The pages have no end.");
    }
    return pages;
  }

  it("have each line once, in order, for any limit, however many have the same time", async () => {
    const kinds = ["events", "connections", "sessions", "media-api", "webhooks"] as const;
    const entries = fc.array(fc.record({ kind: fc.constantFrom(...kinds), second: fc.nat(6), id: fc.nat(3) }), {
      maxLength: 30,
    });
    await fc.assert(
      fc.asyncProperty(
        entries,
        fc.integer({ min: 1, max: 7 }),
        fc.constantFrom(3, 100),
        async (added, limit, maxScanned) => {
          const service = createFakeMediaService({ now: () => now, maxScanned });
          for (const [index, { kind, second, id }] of added.entries()) {
            const entry = { timestamp: at(second), channel_id: lobby };
            const ids = { connection_id: `c${id}`, session_id: `s${id}` };
            if (kind === "events") {
              const type = ["connection.destroyed", "session.destroyed", "connection.created"][index % 3] ?? "";
              service.add("events", { ...entry, ...ids, type, event_id: `${index}` });
            } else if (kind === "media-api" || kind === "webhooks")
              service.add(kind, { ...entry, elapsed_time_ms: index });
            else service.add(kind, { ...entry, ...ids, duration_min: index });
          }
          const client = createMediaClient({ ...service.clientOptions, now: () => now });
          const trace = (request: TraceRequest) => askTrace(client, request);
          const request: TraceRequest = { what: lobby, as: "channel", limit };
          const { lines } = await trace({ ...request, limit: 1000 });
          const back = await walk(trace, request, "older");
          expect([...back].reverse().flatMap((page) => page.lines)).toEqual(lines);
          const forth = await walk(trace, { ...request, order: "oldest" }, "newer");
          expect(forth.flatMap((page) => page.lines)).toEqual(lines);
          // From the oldest page forth again, and from the newest back.
          const [oldest, newest] = [back.at(-1), forth.at(-1)];
          if (oldest?.newer) {
            const others = (await walk(trace, oldest.newer, "newer")).flatMap((page) => page.lines);
            expect([...oldest.lines, ...others]).toEqual(lines);
          }
          if (newest?.older) {
            const others = (await walk(trace, newest.older, "older")).reverse().flatMap((page) => page.lines);
            expect([...others, ...newest.lines]).toEqual(lines);
          }
          for (const page of [...back, ...forth]) {
            expect(page.lines.length).toBeLessThanOrEqual(limit);
            expect(page).toMatchObject({ complete: true, subject: "channel", id: lobby });
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it("are asked for with the whole id and the range, so that nothing is looked up again", async () => {
    const { service, trace } = setUp();
    const { older, newer } = await trace({ what: "S1AA…", since: at(0), until: at(400), limit: 3 });
    const whole = { what: "S1AAAAAAAAAAAAAAAAAAAAAAAA", as: "session", limit: 3 };
    expect(older).toEqual({ ...whole, order: "newest", since: "2026-04-01T11:00:00Z", until: "2026-04-01T11:05:10Z" });
    expect(newer).toEqual({ ...whole, order: "oldest", since: "2026-04-01T11:06:40Z" });
    const before = service.calls.length;
    const page = await trace(older ?? { what: "" });
    expect(linesOf(page)).toEqual([
      "200 events connection.destroyed+end",
      "300 events connection.destroyed+end",
      "300 media-api Media_1.DisconnectChannel",
    ]);
    expect(service.calls.length - before).toBeLessThanOrEqual(11);
    expect(linesOf(await trace(page.newer ?? { what: "" }))).toEqual([
      "310 events session.destroyed+end",
      "310 webhooks session.destroyed",
      "340.1 webhooks session.destroyed",
    ]);
  });
});

describe("an answer that no service of the contract gives", () => {
  const event = { timestamp: "2026-04-01T09:30:16Z", type: "connection.failed", client_id: "camera" };
  const noEntries = [null, 5, "x", [], true];
  const counts = { complete: true, total: { count: 1 }, groups: [], omitted_groups: 0, periods: [] };

  /** Answers each listing and each count in the same way, as a service that knows searches. */
  const connectTo = (entries: unknown, counted: unknown = counts) =>
    createMediaClient({
      baseUrl: "http://media.test",
      apiKey: "key",
      now: () => Date.parse("2026-04-01T10:00:00Z"),
      fetch: async (url) =>
        Response.json(String(url).includes("/orgs/count-logs") ? counted : entries, {
          headers: { "x-searched-to": "2026-04-01T09:00:00Z" },
        }),
    });

  it.each(["connection", "session", "client", "bundle", "channel"] as const)(
    "leaves in the trace of a %s only what is an entry",
    async (as) => {
      const { lines } = await askTrace(connectTo([...noEntries, event]), { what: "camera", as });
      expect(lines.length).toBeGreaterThan(0);
      for (const { entry } of lines) expect(entry).toEqual(event);
    },
  );

  it("leaves nothing of what is no entry among what a traced text may name", async () => {
    const traced = await askTrace(connectTo(noEntries), { what: "camera" });
    expect(traced).toMatchObject({ subject: undefined, lines: [], candidates: [] });
  });

  it("leaves an explanation without what is no entry", async () => {
    const groups = [{ by: { reason: "ice-timeout", client_id: 5, node_name: null }, count: 1 }];
    const { causes } = await askWhy(connectTo(noEntries, { ...counts, groups }));
    expect(causes).toMatchObject([{ detail: undefined, clients: [], nodes: [] }, { detail: undefined }]);
  });

  it("is a response error as the counts of an explanation", async () => {
    const explained = askWhy(connectTo([event], { ...counts, groups: [null] }));
    await expect(explained).rejects.toBeInstanceOf(MediaResponseError);
  });
});

it.each(["demo", 7, null])("a request that is not an object is refused: %j", async (request) => {
  const service = createFakeMediaService();
  const client = createMediaClient(service.clientOptions);
  for (const ask of [askTrace, askWhy] as const) {
    const asked = Reflect.apply(ask, undefined, [client, request]);
    await expect(asked).rejects.toThrow(MediaUsageError);
    await expect(asked).rejects.toThrow("The request must be an object");
  }
  expect(service.calls).toHaveLength(0);
});
