import { setTimeout } from "node:timers/promises";
import { databaseUrl, postgresUrl } from "@media-ops/testing";
import { expect, it, onTestFinished } from "vitest";
import { startEndingConnections } from "../test/ending-connections.js";
import { callWithin, pathOf } from "../test/harness.js";
import { atNight } from "../test/level.js";

const onSqlite = ["SQLite", () => databaseUrl()] as const;
const databases = atNight([onSqlite, ["PostgreSQL", () => postgresUrl()] as const], [onSqlite]);

// Some 10 s, and much longer on a busy machine.
const LONGEST_MS = 300_000;
const EXISTING = atNight(10_000, 4000);
const PER_SECOND = 1000;
const PAGE = 250;
// So that the walk is still on its way when the service has been killed and has started again.
const PAUSE_MS = 50;

/** What a walk asks for, and which of the existing entries it has to find. */
const requests = [
  { name: "newest first", request: {}, isEvery: true },
  { name: "oldest first", request: { order: "oldest" }, isEvery: true },
  {
    name: "what matches",
    request: { where: { session_id: { starts_with: ["0", "1", "2", "A", "B"] } } },
    isEvery: false,
  },
];

it.each(databases)(
  `a walk over all pages yields each entry once while ${PER_SECOND} a second arrive and the service is killed, on %s`,
  async (_, makeUrl) => {
    const { service, apiKey, end, endMany } = await startEndingConnections(await makeUrl());
    const existing = new Set(await end(EXISTING, { lateMs: 3_600_000 }));
    const stop = new AbortController();
    onTestFinished(() => stop.abort());
    const arriving = endMany(PER_SECOND, stop.signal);

    /** Asks until the service answers, as it does after a restart. */
    const page = async (body: object): Promise<{ entries: Record<string, string>[]; next: string | undefined }> => {
      for (;;) {
        const call = { key: apiKey, body };
        const answer = await callWithin(service.url, pathOf.listConnectionLogs, call).catch(() => undefined);
        if (answer?.status === 200) {
          expect(answer.headers.get("x-searched-to")).not.toBe(null);
          const next = answer.headers.get("x-next-cursor") ?? undefined;
          return { entries: answer.body as Record<string, string>[], next };
        }
        if (answer) expect(answer.status, answer.text).toBe(503);
        await setTimeout(PAUSE_MS);
      }
    };
    const walk = async (request: object): Promise<Record<string, string>[]> => {
      const found: Record<string, string>[] = [];
      for (let cursor: string | undefined, isLast = false; !isLast; await setTimeout(PAUSE_MS)) {
        const { entries, next } = await page({ ...request, limit: PAGE, ...(cursor && { cursor }) });
        found.push(...entries);
        cursor = next;
        isLast = next === undefined;
      }
      return found;
    };
    const walks = requests.map(({ request }) => walk(request));
    // Oldest first, a walk ends once it has caught up.
    void walks[0]?.finally(() => stop.abort()).catch(() => {});
    const walking = Promise.all(walks);
    walking.catch(() => {});
    await setTimeout(1500);
    await service.kill();
    const walked = await walking;
    const arrived = new Set(await arriving);

    for (const [at, { name, isEvery }] of requests.entries()) {
      const entries = walked[at] ?? [];
      const ids = entries.map(({ connection_id }) => String(connection_id));
      expect(new Set(ids).size, `${name}: none twice`).toBe(ids.length);
      expect(
        ids.filter((id) => !existing.has(id) && !arrived.has(id)),
        `${name}: none unknown`,
      ).toEqual([]);
      const found = new Set(ids);
      const missing = [...existing].filter((id) => !found.has(id));
      if (isEvery) expect(missing, `${name}: none missing`).toEqual([]);
      else {
        // The walk without conditions has found each entry.
        const matching = walked[0]?.filter((entry) => /^[012AB]/.test(String(entry.session_id))) ?? [];
        const expected = matching.map(({ connection_id }) => String(connection_id)).filter((id) => existing.has(id));
        expect(ids.filter((id) => existing.has(id)).sort(), name).toEqual(expected.sort());
        expect(expected.length).toBeGreaterThan(EXISTING / 10);
      }
      const times = entries.map(({ timestamp }) => String(timestamp));
      const sorted = [...times].sort();
      expect(times, `${name}: in order`).toEqual(name === "oldest first" ? sorted : sorted.reverse());
    }
    expect(service.ended).toEqual([]);
    // Without these, the test would prove nothing.
    expect(arrived.size).toBeGreaterThan(PER_SECOND);
  },
  LONGEST_MS,
);
