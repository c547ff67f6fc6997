import { setTimeout } from "node:timers/promises";
import { placeOfValue } from "@media-ops/database";
import { expect, it } from "vitest";
import { callWithin, pathOf } from "../test/harness.js";
import { connectionDestroyed, connectionOf } from "../test/media-events.js";
import { startOwnCitus } from "../test/own-citus.js";
import { prepareProjects, sharedEnv } from "../test/prepare-projects.js";
import { supervise } from "../test/supervised.js";
import { migrations } from "./migrations.js";
import { openStorage } from "./open-storage.js";

const PROJECTS = Array.from({ length: 40 }, (_, nth) => `project-${nth}`);
// A statement that waits for the worker takes 8 s until it is given up.
const SOON_MS = 2000;

interface Answered {
  readonly projectId: string;
  readonly status: number;
  readonly isSoon: boolean;
}

it("a worker that hangs holds up the projects of the others only for seconds; its own are refused at once", async () => {
  const { TEST_CITUS_PROGRAMS = "" } = process.env;
  const citus = await startOwnCitus(TEST_CITUS_PROGRAMS, 2);
  const [worker] = citus.workers;
  const env = sharedEnv(citus.url);
  const { intakeKey, apiKeys } = await prepareProjects(env, PROJECTS, "http://127.0.0.1:1/");
  const service = await supervise(env);
  await service.ready();
  const storage = await openStorage(citus.url);
  const onWorker = new Set<string>();
  for (const projectId of PROJECTS) {
    const place = await placeOfValue(storage.query, migrations.distributed, projectId);
    if (place?.worker === new URL(worker?.url ?? "").host) onWorker.add(projectId);
  }
  await storage.close();
  expect(onWorker.size).toBeGreaterThan(5);
  expect(onWorker.size).toBeLessThan(PROJECTS.length - 5);

  const answered = async (projectId: string, call: () => Promise<Response>): Promise<Answered> => {
    const sentAt = performance.now();
    const { status, headers } = await call();
    if (status === 503) expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    return { projectId, status, isSoon: performance.now() - sentAt < SOON_MS };
  };
  const post = (url: string, key: string, body: object): Promise<Response> => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    return fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  };
  /** Sends an event for each project, or lists a log of each. */
  const askAll = (what: "event" | "listing"): Promise<Answered[]> =>
    Promise.all(
      PROJECTS.map((projectId) =>
        answered(projectId, () =>
          what === "event"
            ? post(
                `${service.internalUrl}/intake/event`,
                intakeKey,
                connectionDestroyed(connectionOf({ channelId: `lobby@${projectId}` })),
              )
            : post(service.url + pathOf.listConnectionLogs, apiKeys.get(projectId) ?? "", {}),
        ),
      ),
    );
  const whenAway = PROJECTS.map((projectId) => ({
    projectId,
    status: onWorker.has(projectId) ? 503 : 200,
    isSoon: true,
  }));
  const whenWell = PROJECTS.map((projectId) => ({ projectId, status: 200, isSoon: true }));
  const kinds = ["event", "listing"] as const;

  for (const what of kinds) expect((await askAll(what)).map(({ status }) => status)).toEqual(PROJECTS.map(() => 200));
  await worker?.freeze();
  for (const what of kinds) await expect.poll(() => askAll(what), { timeout: 45_000, interval: 500 }).toEqual(whenAway);
  for (let round = 0; round < 5; round++) {
    for (const what of kinds) expect(await askAll(what)).toEqual(whenAway);
    await setTimeout(SOON_MS);
  }
  const minted = await callWithin(service.url, pathOf.createAccessToken, { key: apiKeys.get([...onWorker][0] ?? "") });
  expect(minted.status).toBe(200);
  await worker?.thaw();
  for (const what of kinds) await expect.poll(() => askAll(what), { timeout: 45_000, interval: 500 }).toEqual(whenWell);
}, 240_000);
