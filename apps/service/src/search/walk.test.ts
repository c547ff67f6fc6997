import { describe, expect, it } from "vitest";
import { type LogName, logKinds, type NewEntry } from "../logs/log-store.js";
import { searchReadersOf } from "../stores.js";
import { openIndexedLogs, SMALL_SIZES } from "../test/indexed-logs.js";
import { LogSearch } from "./log-search.js";
import { SearchLoad } from "./pace.js";
import type { SearchBody } from "./question.js";
import type { SegmentReader } from "./segments.js";

const now = (): number => Date.parse("2026-04-10T00:00:00Z");
const signal = new AbortController().signal;

interface Webhook {
  readonly timestamp: string;
  readonly status: number;
}

/** A webhook whose URL has a number. */
function entryOf({ timestamp, status }: Webhook, n: number): NewEntry {
  const text = JSON.stringify({ timestamp, status, url: `https://hooks.example/${n}` });
  return { projectId: "demo", kind: "webhooks", timestamp, text };
}

/** Opens a log with webhooks, all of them in one segment. */
async function openWebhooks(webhooks: readonly Webhook[]) {
  const { storage, logs, newIndexer } = await openIndexedLogs(now);
  await logs.append(webhooks.map(entryOf));
  const sizes = { ...SMALL_SIZES, full: 4096, failed: 2048 };
  const log: LogName = ["demo", logKinds.webhooks.number];
  await newIndexer({ sizes }).indexLog(log);
  const readers = searchReadersOf(storage);
  return {
    storage,
    logs,
    segments: readers.segments,
    /** Builds all segments again. */
    rebuild: () => newIndexer({ sizes: { ...sizes, late: 1 } }).indexLog(log),
    async find(body: SearchBody, segments: SegmentReader = readers.segments): Promise<number[]> {
      const search = new LogSearch({ ...readers, segments, load: new SearchLoad({ perMinute: 0, now }), now });
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

describe("a late entry is found once if its segment is built again", () => {
  it.each([
    ["late", "newest"],
    ["late", "oldest"],
    ["segments", "newest"],
    ["segments", "oldest"],
    ["column", "newest"],
    ["column", "oldest"],
  ] as const)("after the search has read: %s, %s first", async (part, order) => {
    const timestamp = "2026-04-09T09:00:00Z";
    const webhook = { timestamp, status: 200 };
    const { logs, rebuild, find, segments } = await openWebhooks(Array.from({ length: 8 }, () => webhook));
    await logs.append([entryOf(webhook, 8)]);
    let isBuiltAgain = false;
    const meanwhile = new Proxy(segments, {
      get:
        (target, name) =>
        async (...args: unknown[]) => {
          const read = await Reflect.apply(Reflect.get(target, name), target, args);
          if (name === part && !isBuiltAgain) await rebuild();
          isBuiltAgain ||= name === part;
          return read;
        },
    });
    const found = await find({ where: { url: { contains: "hooks" } }, order }, meanwhile);
    expect(found.sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect(isBuiltAgain).toBe(true);
  });
});
