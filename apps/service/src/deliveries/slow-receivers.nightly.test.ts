import { setMaxListeners } from "node:events";
import { setTimeout } from "node:timers/promises";
import { databaseUrl } from "@media-ops/testing";
import { expect, it } from "vitest";
import { createProject, updateProject } from "../projects/projects.js";
import { eventOf, type Receiver, startIntake, startReceiver } from "../test/receiver.js";
import { setWebhook } from "../webhooks/webhooks.js";

const SLOW_PROJECTS = 40;
const GOOD_PROJECTS = 160;
const SLOW_ANSWER_MS = 4000;
/** A project's own maximum in flight: without a total limit, the slow projects would take every slot. */
const BACKLOG_PER_SLOW_PROJECT = 20;
/** Longer than a slow answer takes, so that the slow projects get new slots during the measurement. */
const LOAD_MS = 5500;
const EVENT_EVERY_MS = 10;
const AUTH_EVERY_MS = 100;
/** The project that also has an auth address. */
const WITH_AUTH = "good-0";

it("200 projects, 40 with receivers that take 4 s: the others' events arrive within 200 ms, and their auth requests do not wait", async () => {
  const intake = await startIntake({ env: { MEDIA_DATABASE_URL: await databaseUrl() } });
  const slow = await receivers("slow", SLOW_PROJECTS);
  const good = await receivers("good", GOOD_PROJECTS);
  await setAddresses(intake, [...slow, ...good]);
  const post = async (kind: "auth" | "event", body: object): Promise<unknown> => {
    const { status, body: answer } = await intake.send(kind, body);
    expect(status).toBe(200);
    return answer;
  };
  const takenAt = new Map<string, number>();
  const arrivedAt = new Map<string, number>();
  for (const [, receiver] of good) {
    receiver.answer = ({ id, body }) => {
      if (body.type === "recording.started") arrivedAt.set(id, performance.now());
      return { body: JSON.stringify({ allowed: true }) };
    };
  }
  const wellAgain = new AbortController();
  setMaxListeners(0, wellAgain.signal);
  for (const [, receiver] of slow) {
    receiver.answer = async () => {
      await setTimeout(SLOW_ANSWER_MS, undefined, wellAgain).catch(() => {});
      return {};
    };
  }

  await Promise.all(
    slow.flatMap(([project]) =>
      Array.from({ length: BACKLOG_PER_SLOW_PROJECT }, (_, at) =>
        post("event", eventOf(`${project}-${at}`, { project, connection: `c${at}` })),
      ),
    ),
  );

  const relayed: number[] = [];
  const asking: Promise<unknown>[] = [];
  const until = performance.now() + LOAD_MS;
  let sent = 0;
  for (let nextAuth = 0; performance.now() < until; sent++) {
    const project = `good-${sent % GOOD_PROJECTS}`;
    const id = `${project}-${sent}`;
    const event = eventOf(id, { project, connection: id });
    asking.push(post("event", event).then(() => takenAt.set(id, performance.now())));
    if (performance.now() >= nextAuth) {
      nextAuth = performance.now() + AUTH_EVERY_MS;
      const since = performance.now();
      const request = { role: "sendrecv", channel_id: `lobby@${WITH_AUTH}`, connection_id: id };
      asking.push(
        post("auth", request).then((answer) => {
          expect(answer).toMatchObject({ allowed: true });
          relayed.push(performance.now() - since);
        }),
      );
    }
    await setTimeout(EVENT_EVERY_MS);
  }
  await Promise.all(asking);
  await expect.poll(() => arrivedAt.size).toBe(sent);
  const latencies = [...takenAt].map(([id, taken]) => Math.max(0, (arrivedAt.get(id) ?? Number.NaN) - taken));
  const begun = () => slow.map(([, { received }]) => received.length);
  expect(percentile(latencies, 0.99)).toBeLessThan(200);
  // Each event also waits for a commit; behind the slow deliveries it would wait for seconds.
  expect(percentile(relayed, 0.9)).toBeLessThan(1000);
  // Each slow project had its turn, and another when its first tries had ended.
  await expect.poll(() => Math.min(...begun())).toBeGreaterThanOrEqual(6);

  // Once the receivers are quick again, the remaining events are delivered at full speed.
  wellAgain.abort();
  const delivered = () => slow.map(([, { received }]) => new Set(received.map(({ id }) => id)).size);
  await expect.poll(() => Math.min(...delivered()), { timeout: 5000 }).toBe(BACKLOG_PER_SLOW_PROJECT);
}, 60_000);

type ProjectReceiver = readonly [project: string, receiver: Receiver];

function receivers(name: string, count: number): Promise<ProjectReceiver[]> {
  return Promise.all(Array.from({ length: count }, async (_, at) => [`${name}-${at}`, await startReceiver()] as const));
}

async function setAddresses(
  { service: { storage }, vault, noticeChanges }: Awaited<ReturnType<typeof startIntake>>,
  all: readonly ProjectReceiver[],
): Promise<void> {
  const now = Date.now();
  for (const [projectId, { url }] of all) {
    await createProject(storage.query, projectId, now);
    await setWebhook(storage.query, vault, { projectId, kind: "event", url, now });
    if (projectId !== WITH_AUTH) continue;
    await setWebhook(storage.query, vault, { projectId, kind: "auth", url, now });
    await updateProject(storage.query, projectId, { allowAnonymous: true });
  }
  await noticeChanges();
}

function percentile(values: readonly number[], part: number): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length * part)] ?? Number.NaN;
}
