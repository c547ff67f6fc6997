import { Agent, request } from "node:http";
import { text } from "node:stream/consumers";
import type { EventLogEntry, LogCounts } from "@media-ops/contract";
import { databaseUrl, postgresUrl } from "@media-ops/testing";
import { apiKeyToTokenKey, signToken } from "@media-ops/tokens";
import { expect, it, onTestFinished } from "vitest";
import { pathOf } from "../test/harness.js";
import { startTestIntake } from "../test/intake-harness.js";
import { authRequest, connectionCreated, connectionOf, newId, present } from "../test/media-events.js";

const STEP_MS = 4000;
const STEPS_A_MINUTE = 15;
const MINUTES = 3;
const PER_STEP = 450;
const AT_ONCE = 64;

const databases = [
  ["SQLite", () => databaseUrl()],
  ["PostgreSQL", () => postgresUrl()],
] as const;

it.each(databases)(
  `a client that is refused ${PER_STEP * STEPS_A_MINUTE} times a minute for ${MINUTES} minutes takes at most 16 entries a minute, which count each refusal, on %s`,
  { timeout: 300_000 },
  async (_, makeUrl) => {
    let now = present;
    const test = await startTestIntake({ env: { MEDIA_DATABASE_URL: await makeUrl() }, now: () => now });
    const token = await signToken({ exp: present / 1000 - 1 }, apiKeyToTokenKey(test.apiKey));
    const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
    onTestFinished(() => agent.destroy());
    const whole = { ...authRequest({ token, clientId: "flood" }), timestamp: undefined };

    const refuse = (): Promise<string> =>
      new Promise((resolve, reject) => {
        const headers = { "content-type": "application/json", authorization: `Bearer ${test.intakeKey}` };
        const options = { agent, method: "POST", headers };
        request(`${test.service.internalUrl}/intake/auth`, options, (response) => resolve(text(response)))
          .on("error", reject)
          .end(JSON.stringify({ ...whole, connection_id: newId() }));
      });
    const others: string[] = [];
    for (let step = 0; step < STEPS_A_MINUTE * MINUTES; step++) {
      let left = PER_STEP;
      await Promise.all(
        Array.from({ length: AT_ONCE }, async () => {
          while (left-- > 0) expect(await refuse()).toContain('"allowed":false');
        }),
      );
      const connection = connectionOf();
      others.push(connection.connectionId);
      await test.tell({ ...connectionCreated(connection), timestamp: new Date(now).toISOString() });
      now += STEP_MS;
    }

    const body = { kind: "events", where: { client_id: { eq: "flood" } }, by: ["reason"] };
    const counted = async () => (await test.call(pathOf.countLogs, { body })).body as LogCounts;
    const count = PER_STEP * STEPS_A_MINUTE * MINUTES;
    await expect.poll(async () => (await counted()).total.count, { timeout: 10_000 }).toBe(count);
    expect((await counted()).total.entries).toBeLessThanOrEqual(16 * MINUTES);
    const [group, ...more] = (await counted()).groups;
    expect(more).toEqual([]);
    expect(group).toMatchObject({ by: { reason: "expired" }, count });
    const listed = await test.call(pathOf.listEventLogs, { body: { where: { outcome: { eq: "ok" } } } });
    expect((listed.body as EventLogEntry[]).map(({ connection_id }) => connection_id).sort()).toEqual(others.sort());
  },
);
