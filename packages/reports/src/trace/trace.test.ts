import { createMediaClient } from "@media-ops/sdk";
import { createFakeMediaService } from "@media-ops/sdk/testing";
import { describe, expect, it } from "vitest";
import { askTrace, type TraceRequest } from "../index.js";
import { at, fillLobby, linesOf, lobby, now, setUp } from "../test/lobby.js";
import { traceSubjects } from "./subject.js";

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
    expect(events.length).toBeLessThanOrEqual(traceSubjects.length);
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
