import { CompiledQuery } from "kysely";
import { expect, it } from "vitest";
import { openStores } from "../stores.js";
import { openTestStorage, temporaryFolder } from "../test/harness.js";
import { newestQuery } from "./listings.js";
import type { NewEntry } from "./log-store.js";

const now = Date.parse("2026-04-01T09:30:15.250Z");
const DAY_MS = 24 * 60 * 60 * 1000;

it("a log is read by one walk through one index, without sorting", async () => {
  const storage = await openTestStorage();
  const { query } = storage;
  const log = ["demo", 5];
  const plan = CompiledQuery.raw(`explain query plan ${newestQuery(storage).sql}`, [...log, ...log, "2026"]);
  const { rows } = await query.executeQuery<{ detail: string }>(plan);
  expect(rows.map(({ detail }) => detail)).toEqual([
    "CO-ROUTINE newest",
    "SEARCH log_entry USING PRIMARY KEY (project_id=? AND kind=? AND at>?)",
    "SCAN newest",
    "SCALAR SUBQUERY 1",
    "SEARCH log_head USING PRIMARY KEY (project_id=? AND kind=?)",
  ]);
});

it("expired entries are deleted in small steps, so that other writers are not blocked", async () => {
  const storage = await openTestStorage(`sqlite:${await temporaryFolder()}/media.db`);
  const { logs } = await openStores(storage, { now: () => now, owner: "test" });
  const entryOf = (timestamp: string): NewEntry => ({ projectId: "demo", kind: "webhooks", timestamp, text: "{}" });
  const old = new Date(now - 40 * DAY_MS).toISOString();
  await logs.append(Array.from({ length: 5000 }, () => entryOf(old)));
  let ended = false;
  const retention = logs.runRetention(now, new AbortController().signal).finally(() => {
    ended = true;
  });
  await logs.append([entryOf(new Date(now).toISOString())]);
  expect(ended).toBe(false);
  expect(await retention).toMatch(/^5000 /);
});
