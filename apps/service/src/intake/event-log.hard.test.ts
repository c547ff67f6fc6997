import type { EventLogEntry, LogCounts } from "@media-ops/contract";
import { databaseUrl } from "@media-ops/testing";
import { expect, it } from "vitest";
import { pathOf, type TestService } from "../test/harness.js";
import { startTestIntake } from "../test/intake-harness.js";
import { present } from "../test/media-events.js";

/** The events of a project, oldest first. */
async function eventsOf({ call }: Pick<TestService, "call">, more: object = {}): Promise<EventLogEntry[]> {
  const { status, body } = await call(pathOf.listEventLogs, { body: { order: "oldest", ...more } });
  expect(status).toBe(200);
  return body as EventLogEntry[];
}

const countOf = (entries: readonly EventLogEntry[]): number => entries.reduce((sum, { count = 1 }) => sum + count, 0);

it("refused clients are all counted 5 s later, by each of several services, in listings and to followers, each once", async () => {
  let now = present;
  const env = { MEDIA_DATABASE_URL: await databaseUrl() };
  const one = await startTestIntake({ env, now: () => now });
  const other = await startTestIntake({ env, now: () => now });
  const first = await one.call(pathOf.listEventLogs, { body: { limit: 1000 } });
  let cursor = first.headers.get("x-follow-cursor");
  const followed: EventLogEntry[] = [];
  for (let seconds = 0; seconds < 30; seconds += 5) {
    for (const test of [one, other]) for (let n = 0; n < 15; n++) await test.ask({ clientId: "c1" });
    now += 5000;
    const expected = (seconds / 5 + 1) * 30;
    for (const test of [one, other]) {
      await expect.poll(async () => countOf(await eventsOf(test))).toBe(expected);
      const body = { kind: "events", by: ["client_id"] };
      const { groups } = (await test.call(pathOf.countLogs, { body })).body as LogCounts;
      expect(groups).toMatchObject([{ by: { client_id: "c1" }, count: expected }]);
    }
    const next = await one.call(pathOf.listEventLogs, { body: { limit: 1000, cursor } });
    expect(next.status, next.text).toBe(200);
    followed.push(...(next.body as EventLogEntry[]));
    cursor = next.headers.get("x-next-cursor");
    expect(countOf(followed)).toBe(expected);
  }
});
