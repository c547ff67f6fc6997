import type { FakeMediaService } from "@media-ops/sdk/testing";
import { describe, expect, it } from "vitest";
import type { TraceRequest } from "../index.js";
import { at, setUp } from "../test/lobby.js";

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
