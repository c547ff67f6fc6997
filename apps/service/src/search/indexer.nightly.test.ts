import { setTimeout } from "node:timers/promises";
import { databaseUrl, postgresUrl } from "@media-ops/testing";
import { expect, it } from "vitest";
import { type LogName, logKinds } from "../logs/log-store.js";
import { openIndexedLogs, placesIn } from "../test/indexed-logs.js";
import { prepareProjects, sharedEnv } from "../test/prepare-projects.js";
import { supervise } from "../test/supervised.js";
import { DEFAULT_SIZES } from "./log-indexer.js";

const log: LogName = ["demo", logKinds.webhooks.number];
const BATCHES = 40;
const BATCH = 500;
const KILL_EVERY = 10;
// Entries older than two seconds are indexed, and some arrive later than that.
const LATEST_MS = 4000;

it("every entry is found once, however often services that index are killed while others are written, on SQLite and PostgreSQL", async () => {
  // In parallel, because the test mostly waits.
  await Promise.all([
    databaseUrl().then((url) => expectEachOnce(url, 1)),
    // A second process would be refused the SQLite file.
    postgresUrl().then((url) => expectEachOnce(url, 2)),
  ]);
});

async function expectEachOnce(url: string, count: number): Promise<void> {
  const env = sharedEnv(url);
  await prepareProjects(env, ["demo"], "http://127.0.0.1:1");
  const services = await Promise.all(Array.from({ length: count }, () => supervise(env)));
  await Promise.all(services.map((service) => service.ready()));
  const { logs, reader } = await openIndexedLogs(Date.now, { url });
  for (let batch = 1; batch <= BATCHES; batch++) {
    const now = Date.now();
    await logs.append(
      Array.from({ length: BATCH }, (_, at) => {
        const timestamp = new Date(now - (at * LATEST_MS) / BATCH).toISOString();
        return { projectId: "demo", kind: "webhooks", timestamp, text: JSON.stringify({ timestamp, status: 200 }) };
      }),
    );
    await setTimeout(100);
    // In turns: one of them indexes.
    if (batch % KILL_EVERY === 0) await services[(batch / KILL_EVERY) % count]?.kill();
  }
  const seqs = Array.from({ length: BATCHES * BATCH }, (_, at) => at + 1);
  // Each reader's view is right at any moment; at the end, nearly everything is indexed. Another process does so once the
  // lease of the killed one has expired.
  await expect
    .poll(async () => (await placesIn(reader, log)).tail.length, { timeout: 60_000, interval: 500 })
    .toBeLessThan(DEFAULT_SIZES.smallest);
  const { late, segments, tail } = await placesIn(reader, log);
  expect([...late, ...segments, ...tail].sort((a, b) => a - b)).toEqual(seqs);
  expect(services.flatMap((service) => service.ended)).toEqual([]);
}
