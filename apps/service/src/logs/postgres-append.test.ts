import { databaseUrl } from "@media-ops/testing";
import { startPostgresProxy } from "@media-ops/testing/postgres-proxy";
import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { openLogs } from "../stores.js";
import { openTestStorage } from "../test/harness.js";
import { Listings } from "./listings.js";
import { type Batch, batchNames, type NewEntry } from "./log-store.js";

const timestamp = "2026-04-01T09:30:15Z";
const entry = (projectId: string, url: string): NewEntry => {
  return { projectId, kind: "api", timestamp, text: JSON.stringify({ timestamp, url }) };
};

async function open(url?: string) {
  const storage = await openTestStorage(url);
  const now = () => Date.parse(timestamp);
  const listings = new Listings(storage, now);
  return {
    storage,
    logs: await openLogs(storage, now),
    async urls(projectId: string): Promise<string[]> {
      const entries: { url: string }[] = JSON.parse((await listings.list(projectId, "api")).body.toString());
      return entries.map((one) => one.url).reverse();
    },
  };
}

describe("a batch", () => {
  it("that is written again because its outcome is unknown is kept once", async () => {
    const { logs, urls } = await open();
    const batch = batchNames()();
    const entries = [entry("one", "/a"), entry("one", "/a"), entry("two", "/b")];
    // As if the connection broke after the commit, and before the answer.
    for (let attempt = 0; attempt < 3; attempt++) await logs.append(entries, batch);
    expect(await urls("one")).toEqual(["/a", "/a"]);
    expect(await urls("two")).toEqual(["/b"]);
  });

  it("is kept even if its entries equal those of the batch before it, of another writer, or of none", async () => {
    const { logs, urls } = await open();
    const [next, other] = [batchNames(), batchNames()];
    for (const batch of [next(), next(), other(), undefined]) {
      const entries = [entry("one", "/a")];
      await logs.append(entries, batch);
      if (batch) await logs.append(entries, batch);
    }
    expect(await urls("one")).toEqual(["/a", "/a", "/a", "/a"]);
  });

  it("whose attempts reach the database at the same moment, or far too late, is kept once", async () => {
    const { logs, urls } = await open();
    const next = batchNames();
    const attempts = (batch: Batch, url: string) => [1, 2, 3].map(() => logs.append([entry("one", url)], batch));
    const late = next();
    await Promise.all(attempts(late, "/a"));
    await Promise.all(attempts(next(), "/b"));
    await Promise.all(attempts(late, "/a"));
    expect(await urls("one")).toEqual(["/a", "/b"]);
  });

  it("is remembered for a day after its writer's last one, in one row for each project", async () => {
    const { storage, logs } = await open();
    const [old, young] = [batchNames(), batchNames()];
    for (const batch of [old(), old(), young()]) await logs.append([entry("one", "/a"), entry("two", "/b")], batch);
    const rows = async (): Promise<number> => (await sql`select 1 from last_batch`.execute(storage.query)).rows.length;
    expect(await rows()).toBe(4);
    const { writer } = old();
    await sql`update last_batch set at = now() - interval '25 hours' where writer = ${writer}`.execute(storage.query);
    await sql`update last_batch set at = now() - interval '23 hours' where writer <> ${writer}`.execute(storage.query);
    await logs.runRetention(Date.now(), new AbortController().signal);
    expect(await rows()).toBe(2);
  });
});

it("equal calls are each kept once, even if connections break while they are written", async () => {
  const proxy = await startPostgresProxy(await databaseUrl());
  const { logs, urls } = await open(proxy.url);
  const next = batchNames();
  const calls = 20;
  let failed = 0;
  for (let call = 0; call < calls; call++) {
    const batch = next();
    const write = (): Promise<void> =>
      logs.append([entry("one", "/a"), entry("two", "/a")], batch).catch(() => {
        failed += 1;
        return write();
      });
    proxy.cut(call % 2 === 0 ? "question" : "answer");
    await write();
  }
  expect(failed).toBe(calls);
  expect(await urls("one")).toHaveLength(calls);
  expect(await urls("two")).toHaveLength(calls);
});
