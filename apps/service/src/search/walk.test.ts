import { expect, it } from "vitest";
import { logKinds, type NewEntry } from "../logs/log-store.js";
import { searchReadersOf } from "../stores.js";
import { openIndexedLogs, SMALL_SIZES } from "../test/indexed-logs.js";
import { LogSearch } from "./log-search.js";
import { SearchLoad } from "./pace.js";
import type { SearchBody } from "./question.js";

const now = (): number => Date.parse("2026-04-10T00:00:00Z");
const signal = new AbortController().signal;

/** Opens a log with webhooks, all of them in one segment. */
async function openWebhooks(webhooks: readonly { timestamp: string; status: number }[]) {
  const { storage, logs, newIndexer } = await openIndexedLogs(now);
  await logs.append(
    webhooks.map((fields, n): NewEntry => {
      const entry = { ...fields, url: `https://hooks.example/${n}` };
      return { projectId: "demo", kind: "webhooks", timestamp: fields.timestamp, text: JSON.stringify(entry) };
    }),
  );
  const sizes = { ...SMALL_SIZES, full: 4096, failed: 2048 };
  await newIndexer({ sizes }).indexLog(["demo", logKinds.webhooks.number]);
  const search = new LogSearch({
    ...searchReadersOf(storage),
    load: new SearchLoad({ perMinute: 0, now }),
    now,
  });
  return {
    storage,
    async find(body: SearchBody): Promise<number[]> {
      const { entries } = await search.search({ projectId: "demo", keyId: "key", signal }, "webhooks", body);
      return entries.map((text) => Number((JSON.parse(text) as { url: string }).url.split("/").at(-1)));
    },
  };
}

it("entries of the same time are found once, however many there are", async () => {
  const webhooks = Array.from({ length: 900 }, (_, n) => ({
    timestamp: `2026-04-09T09:00:0${n < 300 ? 1 : 2}Z`,
    status: 200,
  }));
  const { find } = await openWebhooks(webhooks);
  const all = webhooks.map((_, n) => n);
  const where = { url: { contains: "hooks" } };
  expect(await find({ where, order: "oldest" })).toEqual(all);
  expect(await find({ where, order: "newest" })).toEqual(all.reverse());
});

it("what failed is found without a look-up of its rows", async () => {
  const webhooks = Array.from({ length: 50 }, (_, n) => ({
    timestamp: `2026-04-09T09:00:${n + 10}Z`,
    status: n % 10 === 0 ? 503 : 200,
  }));
  const { storage, find } = await openWebhooks(webhooks);
  await storage.query.deleteFrom("log_entry").execute();
  for (const where of [{ failed: true }, { status: { gte: 500 } }, { status: { eq: 503 } }])
    expect(await find({ where })).toEqual([40, 30, 20, 10, 0]);
  // Statuses of what did not fail are among these.
  expect(await find({ where: { status: { gte: 300 } } })).toEqual([]);
});
