import { setTimeout } from "node:timers/promises";
import { createMediaClient } from "@media-ops/sdk";
import { databaseUrl, postgresUrl } from "@media-ops/testing";
import { expect, it, onTestFinished } from "vitest";
import { connectionDestroyed, connectionOf, newId } from "../test/media-events.js";
import { prepareProjects, sharedEnv } from "../test/prepare-projects.js";
import { oddClient } from "../test/raw-http.js";
import { supervise } from "../test/supervised.js";

const SOCKETS = 64;
const RETRY_MS = 20;

/** Starts a service in a process of its own, with a project "demo" whose connections end. */
async function startEndingConnections(databaseUrl: string) {
  const { MEDIA_PORT, MEDIA_INTAKE_PORT, ...shared } = sharedEnv(databaseUrl);
  const env = { ...shared, MEDIA_LISTINGS_PER_MINUTE: "0", MEDIA_SEARCHES_PER_MINUTE: "0" };
  const { intakeKey, apiKeys } = await prepareProjects(env, ["demo"]);
  const service = await supervise(env);
  await service.ready();
  const send = oddClient(service.internalUrl);
  const request = {
    method: "POST",
    path: "/intake/event",
    headers: { "content-type": "application/json", authorization: `Bearer ${intakeKey}` },
  };
  const endOne = async (lateMs: number): Promise<string> => {
    const connectionId = newId();
    const at = (ms: number): string => new Date(Date.now() - ms).toISOString().replace("Z", "250Z");
    const known = { connectionId, createdAt: at(lateMs + 600_000), destroyedAt: at(lateMs) };
    const body = Buffer.from(JSON.stringify(connectionDestroyed(connectionOf(known))));
    const isAcknowledged = (): Promise<boolean> =>
      send({ ...request, body }).then(
        ({ status }) => status === 200,
        () => false,
      );
    // Repeats the same event, as a media server does.
    while (!(await isAcknowledged())) await setTimeout(RETRY_MS);
    return connectionId;
  };
  /**
   * Reports the end of connections until the service has acknowledged each, through kills and restarts; returns their
   * ids. On average, the time of each lies `lateMs` in the past.
   */
  const end = async (count: number, { lateMs = 0 } = {}): Promise<string[]> => {
    const ids: string[] = [];
    let sent = 0;
    const senders = Array.from({ length: SOCKETS }, async () => {
      while (sent < count) {
        sent += 1;
        ids.push(await endOne(Math.floor(2 * Math.random() * lateMs)));
      }
    });
    await Promise.all(senders);
    return ids;
  };
  return { service, apiKey: apiKeys.get("demo") ?? "", end };
}

const databases = [
  ["SQLite", () => databaseUrl()],
  ["PostgreSQL", () => postgresUrl()],
] as const;

// Some 40 s, and much longer on a busy machine.
const LONGEST_MS = 300_000;
const BURST = 100_000;

it.each(databases)(
  `following yields each of ${BURST} entries of a burst once, though the service is killed, on %s`,
  async (_, makeUrl) => {
    const { service, apiKey, end } = await startEndingConnections(await makeUrl());
    const old = await end(100);
    const client = createMediaClient({ baseUrl: service.url, apiKey });
    const stop = new AbortController();
    onTestFinished(() => stop.abort());
    const seen: string[] = [];
    const gaps: boolean[] = [];
    const times = new Map<string, number>();
    const options = { signal: stop.signal, intervalMs: 100, onError: () => {} };
    const following = (async () => {
      for await (const { entry, gap } of client.logs.follow("connections", { ...options, backlog: 1 })) {
        seen.push(entry.connection_id);
        times.set(entry.connection_id, performance.now());
        gaps.push(gap);
      }
    })();
    following.catch(() => {});
    await expect.poll(() => seen.length).toBe(1);

    const burst = end(BURST, { lateMs: 1000 });
    await expect.poll(() => seen.length, { timeout: LONGEST_MS, interval: 10 }).toBeGreaterThan(BURST / 5);
    await service.kill();
    const ids = await burst;
    await expect.poll(() => seen.length, { timeout: LONGEST_MS }).toBeGreaterThanOrEqual(BURST + 1);
    const lags: number[] = [];
    for (let nth = 0; nth < 9; nth++) {
      const [id = ""] = await end(1);
      const committed = performance.now();
      await expect.poll(() => times.has(id), { interval: 5 }).toBe(true);
      lags.push((times.get(id) ?? Number.NaN) - committed);
      ids.push(id);
    }
    stop.abort();
    await following;

    expect(new Set(seen).size, "none twice").toBe(seen.length);
    const found = new Set(seen);
    expect(
      ids.filter((id) => !found.has(id)),
      "none lost",
    ).toEqual([]);
    const known = new Set([...old, ...ids]);
    expect(
      seen.filter((id) => !known.has(id)),
      "none unknown",
    ).toEqual([]);
    expect(gaps).not.toContain(true);
    // A busy machine may delay one.
    expect(lags.sort((a, b) => a - b)[4], `ms until a new entry arrived: ${lags.map(Math.round)}`).toBeLessThan(1000);
  },
  LONGEST_MS,
);
