import { setTimeout } from "node:timers/promises";
import { databaseUrl, postgresUrl } from "@media-ops/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { serve } from "../cli/test/command-line.js";
import { openStorage } from "../storage/open-storage.js";
import { enqueue } from "../test/enqueue.js";
import { temporaryFolder } from "../test/harness.js";
import { prepareProjects, sharedEnv } from "../test/prepare-projects.js";
import { eventOf, idsOf, onOneDatabase, startIntake, startReceiver, type TestIntake } from "../test/receiver.js";
import { LEASE_MS } from "./delivery-queue.js";

const HOUR_MS = 3_600_000;

/** Waits until a service has polled for due deliveries once more: it must deliver one of a separate project. */
async function untilItHasLooked({ service, clock, setAddress, deliveries }: TestIntake, name: string): Promise<void> {
  const { url } = await startReceiver();
  await setAddress("event", url, name);
  const delivery = { projectId: name, eventId: "look", type: "a.b", lane: "", body: "{}" };
  await enqueue(service.storage, [delivery], { now: clock.now(), owner: "" });
  await service.storage.query
    .updateTable("delivery_queue")
    .set({ owned_until: 0 })
    .where("project_id", "=", name)
    .execute();
  await expect.poll(() => deliveries(name)).toMatchObject([{ state: "delivered" }]);
}

describe("two services on one database", () => {
  // By then, the delivering process's lease has expired, because nothing was due meanwhile.
  it("make a late try once, even if the receiver is slow", async () => {
    const { clock, start } = await onOneDatabase();
    const receiver = await startReceiver(() => ({ status: 500 }));
    const [one, other] = [await start(), await start()];
    await one.setAddress("event", receiver.url);
    await one.send("event", eventOf("e1"));
    await expect.poll(() => one.deliveries()).toMatchObject([{ tries: 1 }]);
    // Longer than the interval at which each service polls for due deliveries.
    receiver.answer = async () => {
      await setTimeout(2500);
      return {};
    };
    clock.putForward(HOUR_MS);
    await expect.poll(() => one.deliveries()).toMatchObject([{ state: "delivered" }]);
    await Promise.all([one.service.stop(), other.service.stop()]);
    expect(idsOf(receiver)).toEqual(["e1", "e1"]);
  });

  it("make a try once that begins just before the lease expires", async () => {
    const { clock, start } = await onOneDatabase();
    const receiver = await startReceiver();
    const [one, other] = [await start(), await start()];
    await one.setAddress("event", receiver.url);
    await one.send("event", eventOf("e1"));
    await expect.poll(() => one.deliveries()).toMatchObject([{ state: "delivered" }]);
    receiver.answer = async () => {
      await setTimeout(2500);
      return {};
    };
    clock.putForward(14_800);
    await one.send("event", eventOf("e2"));
    await expect.poll(() => one.deliveries()).toMatchObject([{}, { state: "delivered" }]);
    await Promise.all([one.service.stop(), other.service.stop()]);
    expect(idsOf(receiver)).toEqual(["e1", "e2"]);
  });

  it("continue a killed service's deliveries after 15 seconds, and not before", async () => {
    const { clock, start } = await onOneDatabase();
    const receiver = await startReceiver();
    const one = await start();
    await one.setAddress("event", receiver.url);
    const delivery = { projectId: "demo", eventId: "e1", type: "a.b", lane: "c1", body: '{"id":"e1"}' };
    await enqueue(one.service.storage, [delivery], { now: clock.now(), owner: "killed" });
    clock.putForward(8000);
    await untilItHasLooked(one, "look1");
    await untilItHasLooked(one, "look2");
    expect(receiver.received).toEqual([]);
    // This service must not deliver it while the other one may be alive.
    await one.send("event", eventOf("e2"));
    await untilItHasLooked(one, "look3");
    expect(receiver.received).toEqual([]);
    clock.putForward(7000);
    await expect.poll(() => idsOf(receiver)).toEqual(["e1", "e2"]);
  });

  it("drop deliveries that they have not begun, if the lease expires before it is renewed", async () => {
    const { clock, start } = await onOneDatabase();
    const held: (() => void)[] = [];
    const receiver = await startReceiver(async () => {
      await new Promise<void>((done) => held.push(done));
      return {};
    });
    const one = await start();
    await one.setAddress("event", receiver.url);
    const ids = Array.from({ length: 30 }, (_, at) => `e${at}`);
    await Promise.all(ids.map((id) => one.send("event", eventOf(id, { connection: id }))));
    await expect.poll(() => held.length).toBe(20);
    // Simulates a suspended process: another one has claimed the queue before this one can check it.
    const { query } = one.service.storage;
    await query
      .updateTable("delivery_queue")
      .set({ owner: "other", owned_until: clock.now() + 100_000 })
      .execute();
    clock.putForward(80_000);
    for (const done of held) done();
    await expect
      .poll(async () => (await one.deliveries()).filter(({ state }) => state === "delivered").length)
      .toBe(20);
    await untilItHasLooked(one, "look");
    await untilItHasLooked(one, "again");
    expect(receiver.received).toHaveLength(20);
  });
});

it("continues within 5 s after its clock was an hour ahead, without a restart", async () => {
  const { clock, start } = await onOneDatabase();
  const receiver = await startReceiver(() => ({ status: 500 }));
  const service = await start();
  const { setAddress, send, deliveries } = service;
  await setAddress("event", receiver.url);
  clock.setAhead(HOUR_MS);
  await send("event", eventOf("e1"));
  await expect.poll(() => deliveries()).toMatchObject([{ tries: 1 }]);
  receiver.answer = () => ({});
  await untilItHasLooked(service, "look");
  clock.setAhead(0);
  await expect.poll(() => deliveries(), { timeout: 5000 }).toMatchObject([{ state: "delivered", tries: 2 }]);
  await send("event", eventOf("e2"));
  await expect.poll(() => idsOf(receiver)).toEqual(["e1", "e1", "e2"]);
});

const PROJECTS = ["alpha", "beta", "gamma", "delta"];
const EVENTS = 500;
// Slow enough that much is left to deliver when the suspended process resumes.
const ANSWERS_AFTER_MS = 500;
const STOPPED_MS = LEASE_MS + 5000;
// A project's maximum of deliveries in flight, both sent and just begun.
const UNDER_WAY_OF_A_PROJECT = 20;

it("a process suspended for 20 s repeats only deliveries that were in flight, and each only once, on SQLite and PostgreSQL", async () => {
  // In parallel, because the test mostly waits.
  await Promise.all([databaseUrl(), postgresUrl()].map(async (url) => tryOn(await url)));
});

async function tryOn(url: string): Promise<void> {
  const env = sharedEnv(url);
  const receiver = await startReceiver(async () => {
    await setTimeout(ANSWERS_AFTER_MS);
    return {};
  });
  const { intakeKey } = await prepareProjects(env, PROJECTS, receiver.url);
  const options = { cwd: await temporaryFolder(), env: { ...env, PATH: process.env.PATH } };
  const [stopped, other] = [await serve(options), await serve(options)];
  const storage = await openStorage(env.MEDIA_DATABASE_URL);
  onTestFinished(() => storage.close());
  const idsInState = async (state: "waiting" | "delivered"): Promise<string[]> => {
    const rows = await storage.query.selectFrom("delivery").select("event_id").where("state", "=", state).execute();
    return rows.map(({ event_id }) => event_id);
  };

  // The process that receives a project's first event owns its queue, and also delivers what is enqueued behind it.
  for (const project of PROJECTS) await stopped.tell("event", intakeKey, eventOf(`${project}-0`, { project }));
  const events = PROJECTS.flatMap((projectId) =>
    Array.from({ length: EVENTS }, (_, at) => ({
      ...{ projectId, eventId: `${projectId}-${at}`, lane: `c${at}` },
      ...{ type: "recording.started", body: "{}" },
    })),
  );
  await enqueue(storage, events, { now: Date.now(), owner: "" });
  await expect.poll(() => receiver.received.length, { interval: 20 }).toBeGreaterThan(100);

  stopped.child.kill("SIGSTOP");
  await setTimeout(STOPPED_MS);
  const whenBack = receiver.received.length;
  stopped.child.kill("SIGCONT");
  await expect.poll(() => idsInState("waiting"), { timeout: 30_000, interval: 250 }).toEqual([]);
  // The deliveries that the resumed process still had in memory.
  await setTimeout(2 * ANSWERS_AFTER_MS);

  const times = new Map<string, number>();
  for (const id of idsOf(receiver)) times.set(id, (times.get(id) ?? 0) + 1);
  const again = [...times].filter(([, count]) => count > 1).map(([id]) => id);
  for (const project of PROJECTS) {
    expect(again.filter((id) => id.startsWith(`${project}-`)).length).toBeLessThanOrEqual(UNDER_WAY_OF_A_PROJECT);
  }
  expect(Math.max(...times.values())).toBeLessThanOrEqual(2);
  expect([...times.keys()].sort()).toEqual(events.map(({ eventId }) => eventId).sort());
  // Otherwise no delivery was left that two processes could have made.
  expect(whenBack).toBeLessThan(events.length);
  expect(await idsInState("delivered")).toHaveLength(events.length);
  for (const { child } of [stopped, other]) child.kill("SIGTERM");
}

it("a receiver that never answers is given 10 s for an event, and gets all events once it answers", async () => {
  const receiver = await startReceiver(() => "never");
  const { clock, setAddress, send, tries } = await startIntake();
  await setAddress("event", receiver.url);
  const ids = Array.from({ length: 100 }, (_, at) => `e${at}`);
  await Promise.all(ids.map((id) => send("event", eventOf(id, { connection: id }))));
  await expect.poll(() => tries(), { timeout: 15_000 }).not.toEqual([]);
  for (const { status, elapsed_time_ms } of await tries()) {
    expect(status).toBe(0);
    expect(elapsed_time_ms).toBeGreaterThanOrEqual(9_990);
    expect(elapsed_time_ms).toBeLessThan(12_000);
  }
  receiver.answer = () => ({});
  clock.putForward(6_000);
  await expect.poll(() => new Set(idsOf(receiver)).size, { timeout: 15_000 }).toBe(100);
});

it("the media server is answered within 10 s, even if the receiver never answers", async () => {
  const receiver = await startReceiver(() => "never");
  const { send, setAddress, allowAnonymous, tries } = await startIntake();
  await setAddress("auth", receiver.url);
  await setAddress("session", receiver.url);
  await allowAnonymous();
  const began = performance.now();
  const [auth, session] = await Promise.all([
    send("auth", { role: "sendrecv", channel_id: "lobby@demo", connection_id: "c1" }),
    send("session", {
      type: "session.created",
      id: "s1",
      timestamp: "2026-04-01T09:48:03.114Z",
      channel_id: "lobby@demo",
      session_id: "s1",
      created_timestamp: "2026-04-01T09:30:15Z",
    }),
  ]);
  expect(performance.now() - began).toBeLessThan(10_000);
  expect(auth.body).toMatchObject({ allowed: false, reason: expect.stringContaining("did not answer") });
  expect(session.body).toEqual({});
  await expect.poll(() => tries()).toHaveLength(2);
  for (const { status, elapsed_time_ms } of await tries()) {
    expect(status).toBe(0);
    expect(elapsed_time_ms).toBeGreaterThanOrEqual(8990);
  }
});
