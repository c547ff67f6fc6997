import { databaseUrl } from "@media-ops/testing";
import fc from "fast-check";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { NEVER, type SeatAttempt, type SeatChange } from "../admission/seats.js";
import { Listings } from "../logs/listings.js";
import { openStorage } from "../storage/open-storage.js";
import { openStores } from "../stores.js";
import type { EventEffects } from "./intake-store.js";

const NOW = Date.parse("2026-04-01T12:00:00Z");

const storage = await openStorage(await databaseUrl({ atEnd: afterAll }));
afterAll(() => storage.close());
const stores = await openStores(storage, { owner: "me", now: () => NOW });
let scenes = 0;

const moment = (minute: number): string => `2026-04-01T11:${String(minute).padStart(2, "0")}:00`;

interface Place {
  readonly project?: number;
  readonly channel?: number;
}

/** A node and two projects with channels on it, separate from all other scenes. */
function newScene() {
  const scene = ++scenes;
  const nodeName = `node-${scene}`;
  const placeOf = ({ project = 0, channel = 0 }: Place = {}) => ({
    projectId: `demo-${project}-${scene}`,
    channelId: `channel-${channel}@demo-${project}-${scene}`,
  });
  const connected = (
    connectionId: string,
    minute: number,
    place?: Place,
    sessionId: string | null = null,
  ): SeatChange => ({
    kind: "connected",
    clientId: null,
    role: null,
    ...placeOf(place),
    connectionId,
    nodeName,
    sessionId,
    at: moment(minute),
  });
  const ended = (connectionId: string, place?: Place): SeatChange => {
    return { kind: "ended", ...placeOf(place), connectionId, eventId: `end of ${connectionId}` };
  };
  const sessionEnded = (sessionId: string, since: number, at: number, place?: Place): SeatChange => {
    const times = { since: moment(since), at: moment(at) };
    return { kind: "session-ended", ...placeOf(place), sessionId, eventId: `end of ${sessionId}`, ...times };
  };
  const gone = (minute?: number): SeatChange => {
    return { kind: "node-gone", nodeName, eventId: "gone", at: minute === undefined ? NEVER : moment(minute) };
  };
  return {
    placeOf,
    connected,
    ended,
    sessionEnded,
    gone,
    take: (...changes: SeatChange[]) => stores.intake.write(changes.map((seats) => ({ seats }))),
    admit: (connectionId: string, minute: number, place?: Place) =>
      stores.seats.decide([
        { ...placeOf(place), connectionId, claims: {}, role: "sendrecv", nodeName, at: moment(minute), reported: 0 },
      ] satisfies SeatAttempt[]),
    /** The seats, each with its connection and channel, and whether it is only granted. */
    async seats(): Promise<string[]> {
      const rows = await storage.query
        .selectFrom("seat")
        .select(["connection_id", "channel_id", "connected", "at"])
        .where("project_id", "in", [placeOf().projectId, placeOf({ project: 1 }).projectId])
        .orderBy("project_id")
        .orderBy("channel_id")
        .orderBy("connection_id")
        .execute();
      return rows.map(({ connection_id, channel_id, connected: isSeen, at }) => {
        const [channel] = channel_id.split("@");
        return `${connection_id} in ${channel} since ${at}${isSeen === 1 ? "" : ", granted"}`;
      });
    },
  };
}

type Scene = ReturnType<typeof newScene>;

const projectOfSeat = (change: SeatChange): string => ("projectId" in change ? change.projectId : "");

describe("within one batch", () => {
  it("a node that vanishes after a connection was created on it leaves no seat", async () => {
    const { take, connected, gone, seats } = newScene();
    await take(connected("a", 10), connected("b", 10, { project: 1 }), gone(20));
    expect(await seats()).toEqual([]);
  });

  it("a node that vanishes leaves no seat of admitted clients, connected or not", async () => {
    const { take, admit, connected, gone, seats } = newScene();
    await admit("a", 9);
    await admit("b", 9);
    await take(connected("a", 10), gone(20));
    expect(await seats()).toEqual([]);
  });

  it("a connection created after its node vanished keeps its seat, even if the time of that is unknown", async () => {
    const { take, connected, gone, seats } = newScene();
    await take(connected("a", 10), gone(), connected("b", 21));
    expect(await seats()).toEqual([`b in channel-0 since ${moment(21)}`]);
  });

  it("a connection on a vanished node gets no new seat from a late report", async () => {
    const { take, connected, gone, seats } = newScene();
    await take(connected("a", 10), gone(20), connected("a", 10));
    expect(await seats()).toEqual([]);
  });

  it("a session that ends after its client has connected leaves neither a granted nor a connected seat", async () => {
    const { take, admit, connected, sessionEnded, seats } = newScene();
    await admit("a", 9);
    await take(connected("a", 10, {}, "s"), sessionEnded("s", 10, 20));
    expect(await seats()).toEqual([]);
  });

  it("the projects on a vanished node are reported, including those whose connections were created just before", async () => {
    const { connected, gone } = newScene();
    const [first, second] = [{ seats: gone(20) }, { seats: gone(20) }];
    const made = [connected("a", 10), connected("b", 10, { project: 1 }), connected("c", 10)];
    const { onNodes } = await stores.intake.write([...made.map((seats) => ({ seats })), first, second]);
    expect(onNodes.get(first)).toEqual([...new Set(made.map(projectOfSeat))]);
    expect(onNodes.get(second)).toEqual([]);
  });
});

it("a vanished node may have had any number of a project's connections", async () => {
  const { take, connected, gone, seats, placeOf } = newScene();
  const made = Array.from({ length: 17_000 }, (_, nth) => connected(`connection-${nth}`, 10));
  await take(...made);
  await take(gone(20));
  expect(await seats()).toEqual([]);
  const noted = storage.query.selectFrom("log_entry").select("seq").where("project_id", "=", placeOf().projectId);
  // Each connection, and their session.
  expect(await noted.execute()).toHaveLength(made.length + 1);
});

it("a vanished node waits for the batches before it, and later batches wait for it", async () => {
  for (let round = 0; round < 10; round++) {
    const { take, connected, gone, seats } = newScene();
    await Promise.all([take(connected("a", 10)), take(gone()), take(connected("b", 21)), take(connected("c", 22))]);
    expect(await seats()).toEqual([`b in channel-0 since ${moment(21)}`, `c in channel-0 since ${moment(22)}`]);
  }
});

it("events in one batch have the same effects as one by one", async () => {
  const minute = fc.integer({ min: 0, max: 5 });
  // A connection belongs to one channel, and to one session of it or none.
  const connection = fc.constantFrom(
    { id: "a", place: { project: 0, channel: 0 }, session: "s" },
    { id: "b", place: { project: 0, channel: 0 }, session: null },
    { id: "c", place: { project: 0, channel: 1 }, session: "t" },
    { id: "d", place: { project: 1, channel: 0 }, session: "u" },
  );
  const times = fc.record({ since: minute, at: minute });
  const change: fc.Arbitrary<(scene: Scene) => SeatChange> = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.tuple(connection, minute).map(([{ id, place, session }, at]) => {
        return ({ connected }: Scene) => connected(id, at, place, session);
      }),
    },
    {
      weight: 1,
      arbitrary: connection.map(
        ({ id, place }) =>
          ({ ended }: Scene) =>
            ended(id, place),
      ),
    },
    {
      weight: 2,
      arbitrary: fc.tuple(connection, times).map(([{ place, session }, { since, at }]) => {
        return ({ sessionEnded }: Scene) => sessionEnded(session ?? "v", since, at, place);
      }),
    },
    {
      weight: 2,
      arbitrary: fc.option(minute, { nil: undefined }).map(
        (at) =>
          ({ gone }: Scene) =>
            gone(at),
      ),
    },
  );
  const admitted = fc.array(fc.tuple(connection, minute), { maxLength: 2 });
  await fc.assert(
    fc.asyncProperty(admitted, fc.array(change, { minLength: 2, maxLength: 7 }), async (admissions, changes) => {
      const [together, apart] = [newScene(), newScene()];
      for (const [{ id, place }, at] of admissions) {
        for (const scene of [together, apart]) await scene.admit(id, at, place);
      }
      await together.take(...changes.map((make) => make(together)));
      for (const make of changes) await apart.take(make(apart));
      expect(await together.seats()).toEqual(await apart.seats());
    }),
    { numRuns: 60 },
  );
});

const now = Date.parse("2026-04-01T00:00:05Z");

it.each(["2026-03-31T23:59:60Z", "2026-03-31T23:59:60.999999999Z", "2026-03-31T23:59:59.1Z"])(
  "an end at %s is logged once, however often its event arrives",
  async (timestamp) => {
    const storage = await openStorage(await databaseUrl({ memory: true }));
    onTestFinished(() => storage.close());
    const { intake } = await openStores(storage, { owner: "me", now: () => now });
    const ended: EventEffects = {
      seats: { kind: "ended", projectId: "demo", channelId: "lobby@demo", connectionId: "c1", eventId: "e1" },
      entries: [{ projectId: "demo", kind: "connections", timestamp, text: JSON.stringify({ timestamp }) }],
    };
    await intake.write([ended, ended]);
    await intake.write([ended]);
    expect(JSON.parse((await new Listings(storage, () => now).list("demo", "connections")).body.toString())).toEqual([
      { timestamp },
    ]);
  },
);
