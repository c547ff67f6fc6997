import { databaseUrl } from "@media-ops/testing";
import { describe, expect, it } from "vitest";
import { openStores } from "../stores.js";
import { openDoor } from "../test/intake-harness.js";
import {
  connectionCreated,
  connectionDestroyed,
  connectionFailed,
  connectionOf,
  connectionUpdated,
  type MediaEvent,
  mediaEvent,
  momentAt,
  newId,
  present,
  sessionCreated,
  sessionDestroyed,
  sessionVanished,
  type TestConnection,
} from "../test/media-events.js";
import { exchange, requestText } from "../test/raw-http.js";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe("the seat of an admitted client", () => {
  it("belongs to its connection once that is created: it does not expire, and counts once", async () => {
    const { isLetIn, passTo, tell, seats } = await openDoor({ most: 2 });
    const connection = connectionOf();
    expect(await isLetIn({ connectionId: connection.connectionId })).toBe(true);
    await tell(connectionCreated(connection));
    expect(await seats()).toEqual([connection.connectionId]);
    passTo(31_000);
    expect(await isLetIn()).toBe(true);
    expect(await isLetIn()).toBe(false);
  });

  it("is reused if the same client requests admission again", async () => {
    const { isLetIn, seats } = await openDoor({ most: 2 });
    const connectionId = newId();
    for (let again = 0; again < 5; again++) expect(await isLetIn({ connectionId, reported: 0 })).toBe(true);
    await Promise.all(Array.from({ length: 20 }, () => isLetIn({ connectionId, reported: 0 })));
    expect(await seats()).toEqual([connectionId]);
    expect(await isLetIn({ reported: 0 })).toBe(true);
    expect(await isLetIn({ reported: 0 })).toBe(false);
  });

  it.each([
    ["30 s, and then available to another client", [0]],
    ["30 s more if the client requests admission again", [0, 20_000]],
  ])("is kept for %s", async (_, times) => {
    const { isLetIn, passTo } = await openDoor();
    const connectionId = newId();
    for (const ms of times) {
      passTo(ms);
      expect(await isLetIn({ connectionId, reported: 0 })).toBe(true);
    }
    const end = (times.at(-1) ?? 0) + 30_000;
    passTo(end - 1);
    expect(await isLetIn({ reported: 0 })).toBe(false);
    passTo(end);
    expect(await isLetIn({ reported: 0 })).toBe(true);
    expect(await isLetIn({ reported: 0 })).toBe(false);
  });

  it("is kept if a session of its channel begins and ends before the client connects", async () => {
    // The admission answer may take longer to arrive than another client's whole visit.
    const { isLetIn, tell, seats } = await openDoor({ most: 2 });
    const slow = newId();
    expect(await isLetIn({ connectionId: slow, at: momentAt(0) })).toBe(true);
    const quick = connectionOf({ createdAt: momentAt(1000), destroyedAt: momentAt(2000) });
    await tell(sessionCreated(quick), connectionCreated(quick), connectionDestroyed(quick), sessionDestroyed(quick));
    expect(await seats()).toEqual([slow]);
    expect(await isLetIn({ at: momentAt(3000) })).toBe(true);
    expect(await isLetIn({ at: momentAt(3000) })).toBe(false);
  });
});

describe("a connection", () => {
  /** A full channel that allows one connection. */
  async function fullDoor(known: Partial<TestConnection> = {}) {
    const door = await openDoor();
    const connection = connectionOf(known);
    await door.tell(sessionCreated(connection), connectionCreated(connection));
    expect(await door.isLetIn()).toBe(false);
    return { ...door, connection };
  }

  it.each<[string, (connection: TestConnection) => MediaEvent]>([
    ["is destroyed", connectionDestroyed],
    ["fails, even if the event names no channel", connectionFailed],
  ])("frees its seat when it %s", async (_, end) => {
    const { isLetIn, tell, connection } = await fullDoor();
    await tell(end(connection));
    expect(await isLetIn()).toBe(true);
  });

  it("frees the seat of its admitted client when it fails before connecting", async () => {
    const { isLetIn, tell, seats } = await openDoor();
    const connection = connectionOf();
    expect(await isLetIn({ connectionId: connection.connectionId, reported: 0 })).toBe(true);
    await tell(connectionFailed(connection));
    expect(await seats()).toEqual([]);
    expect(await isLetIn({ reported: 0 })).toBe(true);
  });

  it("frees its seat when its session ends, as do all other connections of the session", async () => {
    const { isLetIn, tell, seats, connection } = await fullDoor();
    const others = [1, 2, 3].map(() => connectionOf({ sessionId: connection.sessionId }));
    await tell(...others.map(connectionCreated), sessionDestroyed(connection));
    expect(await seats()).toEqual([]);
    expect(await isLetIn()).toBe(true);
  });

  const earlier = connectionOf({ createdAt: momentAt(0), destroyedAt: momentAt(10_000) });
  it.each<[string, number, (connection: TestConnection) => MediaEvent[]]>([
    ["another connection fails", 1000, () => [connectionFailed(connectionOf()), mediaEvent("connection.failed")]],
    [
      "a session of another channel or project ends",
      1000,
      (own) => [
        sessionDestroyed({ ...own, channelId: "stage@demo" }),
        sessionDestroyed({ ...own, channelId: "lobby@other" }),
      ],
    ],
    ["the end of an earlier session of its channel arrives late", 10_001, () => [sessionDestroyed(earlier)]],
    // The old session ends some time after its last connection; a new one may have begun by then.
    ["a session ends that was already empty before it connected", 9000, () => [sessionDestroyed(earlier)]],
  ])("keeps its seat when %s", async (_, createdAt, events) => {
    const { isLetIn, tell, createKey, connection } = await fullDoor({ createdAt: momentAt(createdAt) });
    await createKey("other");
    await tell(...events(connection));
    expect(await isLetIn()).toBe(false);
  });

  it("keeps its seat for an hour of silence, and each report extends that by an hour", async () => {
    const { isLetIn, passTo, tell, connection } = await fullDoor();
    for (let minutes = 30; minutes <= 300; minutes += 30) {
      passTo(minutes * MINUTE);
      await tell(connectionUpdated(connection));
    }
    passTo(5 * HOUR + HOUR - 1);
    expect(await isLetIn()).toBe(false);
    passTo(5 * HOUR + HOUR);
    expect(await isLetIn()).toBe(true);
  });

  it("gets a seat from the first event that arrives, even if an earlier one was lost", async () => {
    const { isLetIn, tell } = await openDoor();
    await tell(connectionUpdated(connectionOf()));
    expect(await isLetIn()).toBe(false);
  });
});

describe("a connection that has ended", () => {
  const connection = connectionOf();
  const created = connectionCreated(connection);
  const updated = connectionUpdated(connection);
  const destroyed = connectionDestroyed(connection);
  const ended = sessionDestroyed(connection);

  it.each<[string, MediaEvent[]]>([
    ["created after destroyed", [destroyed, created]],
    ["updated after destroyed", [created, destroyed, updated]],
    ["created after failed", [{ ...connectionFailed(connection), channel_id: "lobby@demo" }, created]],
    ["created after session.destroyed", [ended, created]],
    ["updated after session.destroyed", [created, ended, updated]],
    ["destroyed after session.destroyed", [ended, destroyed]],
    ["created again", [created, destroyed, created]],
  ])("is not restored by a late event: %s", async (_, events) => {
    const { isLetIn, tell, seats } = await openDoor();
    await tell(...events);
    expect(await seats()).toEqual([]);
    expect(await isLetIn()).toBe(true);
  });

  it("is not restored if its events arrive at the same moment", async () => {
    const { tell, seats } = await openDoor();
    const many = Array.from({ length: 30 }, () => connectionOf());
    await Promise.all(
      many.flatMap((one) => [connectionUpdated, connectionDestroyed, connectionCreated].map((make) => tell(make(one)))),
    );
    expect(await seats()).toEqual([]);
  });
});

describe("a vanished node", () => {
  it("frees the seats of all its connections, in all projects, and no others", async () => {
    const test = await openDoor();
    await test.createKey("other");
    const on = (nodeName: string, channelId: string) => connectionOf({ nodeName, channelId });
    const gone = [on("node-1", "lobby@demo"), on("node-1", "stage@demo"), on("node-1", "lobby@other")];
    const beside = [on("node-11", "stage@demo"), on("NODE-1", "stage@other")];
    const left = [on("node-2", "lobby@demo"), on("node-2", "lobby@other"), ...beside];
    await test.tell(...[...gone, ...left].map(connectionCreated));
    expect(await test.seats()).toHaveLength(7);
    await test.tell(sessionVanished("node-1", momentAt(5000)));
    expect(await test.seats()).toEqual(left.map(({ connectionId }) => connectionId).sort());
  });

  it("frees the seats of clients admitted before it vanished, and keeps those of later connections", async () => {
    const { isLetIn, tell, seats } = await openDoor({ most: 9 });
    await isLetIn({ at: momentAt(1000) });
    const back = connectionOf({ createdAt: momentAt(9000) });
    await tell(connectionCreated(connectionOf({ createdAt: momentAt(2000) })), connectionCreated(back));
    await tell(sessionVanished("node-1", momentAt(5000)));
    expect(await seats()).toEqual([back.connectionId]);
  });

  it("frees the seat of a connection that is reported at the same moment", async () => {
    const { tell, seats, service, intakeKey } = await openDoor();
    const [before, reported] = [connectionOf({ nodeName: "node-2" }), connectionOf()];
    // Caches the key and the project.
    await tell(connectionCreated(before));
    const bytesOf = (kind: string, event: MediaEvent): string => {
      const body = JSON.stringify(event);
      const lines = [`POST /intake/${kind} HTTP/1.1`, "Host: media.test", `Authorization: Bearer ${intakeKey}`];
      return requestText([...lines, "Content-Type: application/json", `Content-Length: ${body.length}`], body);
    };
    const both =
      bytesOf("event", connectionCreated(reported)) + bytesOf("session", sessionVanished("node-1", momentAt(5000)));
    const answers = await exchange(service.internalUrl, both, { count: 2 });
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(await seats()).toEqual([before.connectionId]);
  });

  it("frees the seats once, and accepts a repeated report", async () => {
    const { tell, seats, metric } = await openDoor();
    const vanished = sessionVanished("node-1", momentAt(5000));
    await tell(connectionCreated(connectionOf()), vanished, vanished);
    expect(await seats()).toEqual([]);
    expect(await metric('media_intake_total{kind="session",outcome="taken"}')).toBe(2);
  });
});

describe("when the clock is wrong for a while", () => {
  it.each([
    ["an hour ahead is free again as soon as the clock is right", HOUR, true],
    ["slightly ahead is kept", 20_000, false],
  ])("a seat granted by a clock %s", async (_, ahead, isFree) => {
    const { isLetIn, setAhead } = await openDoor();
    setAhead(ahead);
    expect(await isLetIn({ reported: 0 })).toBe(true);
    setAhead(0);
    expect(await isLetIn({ reported: 0 })).toBe(isFree);
    expect(await isLetIn({ reported: 0 })).toBe(false);
  });

  it.each([61 * MINUTE, 24 * HOUR, -24 * HOUR])(
    "a connection keeps its seat when the clock jumps by %i ms",
    async (by) => {
      const { isLetIn, tell, passTo, setAhead } = await openDoor();
      const connection = connectionOf();
      await tell(sessionCreated(connection), connectionCreated(connection));
      passTo(10 * MINUTE);
      expect(await isLetIn()).toBe(false);
      setAhead(by);
      expect(await isLetIn()).toBe(false);
      // Its next report renews the seat by the new time.
      passTo(11 * MINUTE);
      await tell(connectionUpdated(connection));
      passTo(14 * MINUTE);
      expect(await isLetIn()).toBe(false);
      setAhead(0);
      expect(await isLetIn()).toBe(false);
      passTo(15 * MINUTE);
      await tell(connectionUpdated(connection));
      passTo(18 * MINUTE);
      expect(await isLetIn()).toBe(false);
      passTo(15 * MINUTE + HOUR);
      expect(await isLetIn()).toBe(true);
    },
  );

  it("a connection that is not reported after the jump loses its seat", async () => {
    const { isLetIn, tell, passTo, setAhead } = await openDoor();
    setAhead(24 * HOUR);
    await tell(connectionCreated(connectionOf()));
    passTo(10 * MINUTE);
    expect(await isLetIn()).toBe(false);
    setAhead(0);
    expect(await isLetIn()).toBe(false);
    passTo(13 * MINUTE);
    expect(await isLetIn()).toBe(true);
  });

  it("a connection keeps its seat after the service was down for more than an hour", async () => {
    const env = { MEDIA_DATABASE_URL: await databaseUrl() };
    const before = await openDoor({ env });
    const connection = connectionOf();
    await before.tell(connectionCreated(connection));
    await before.service.stop();
    const after = await openDoor({ env });
    after.setAhead(61 * MINUTE);
    expect(await after.isLetIn()).toBe(false);
    after.passTo(MINUTE);
    await after.tell(connectionUpdated(connection));
    after.passTo(4 * MINUTE);
    expect(await after.isLetIn()).toBe(false);
  });
});

it("deletes expired seats, and nothing else", async () => {
  const { isLetIn, tell, passTo, service, seats } = await openDoor({ most: 9 });
  const [silent, heard, ended] = [connectionOf(), connectionOf(), connectionOf()];
  await isLetIn();
  await tell(connectionCreated(silent), connectionDestroyed(ended));
  passTo(2 * HOUR);
  await tell(connectionCreated(heard));
  let now = present + 2 * HOUR;
  const { seats: store } = await openStores(service.storage, { now: () => now, owner: "test" });
  // A process that has just started can't know which connections are gone.
  await store.sweep(now, new AbortController().signal);
  expect(await seats()).toHaveLength(3);
  now += 3 * MINUTE;
  await store.sweep(now, new AbortController().signal);
  expect(await seats()).toEqual([heard.connectionId]);
  // Ends are remembered for longer than events are delayed.
  await tell(connectionCreated(ended));
  expect(await seats()).toEqual([heard.connectionId]);
});
