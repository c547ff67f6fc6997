import { setTimeout } from "node:timers/promises";
import { databaseUrl, postgresUrl } from "@media-ops/testing";
import { expect, it, onTestFinished } from "vitest";
import { serve } from "../cli/test/command-line.js";
import { openStorage } from "../storage/open-storage.js";
import { enqueue } from "../test/enqueue.js";
import { temporaryFolder } from "../test/harness.js";
import { prepareProjects, sharedEnv } from "../test/prepare-projects.js";
import { eventOf, idsOf, startReceiver } from "../test/receiver.js";
import { LEASE_MS } from "./delivery-queue.js";

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
  for (const project of PROJECTS) {
    const { status } = await fetch(`${stopped.internalUrl}/intake/event`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${intakeKey}` },
      body: JSON.stringify(eventOf(`${project}-0`, { project })),
    });
    expect(status).toBe(200);
  }
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
