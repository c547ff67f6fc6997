import { describe, expect, it } from "vitest";
import { type LogName, logKinds, type NewEntry } from "../logs/log-store.js";
import { ReadLoad } from "../reads/pace.js";
import { openIndexedLogs, SMALL_SIZES } from "../test/indexed-logs.js";
import { LogSearch, type SearchBody } from "./search.js";
import { deleteParts, type Segment, SegmentStore } from "./segment-store.js";

const now = (): number => Date.parse("2026-04-10T00:00:00Z");
const signal = new AbortController().signal;

/** A webhook whose URL has a number. */
function entryOf({ timestamp, status }: { timestamp: string; status: number }, n: number): NewEntry {
  const text = JSON.stringify({ timestamp, status, url: `https://hooks.example/${n}` });
  return { projectId: "demo", kind: "webhooks", timestamp, text };
}

interface Asked {
  readonly segments?: SegmentStore;
  readonly maxMs?: number;
}

/** Opens a log with entries, which are indexed. */
async function openWith(entries: readonly NewEntry[], full: number) {
  const { storage, logs, newIndexer } = await openIndexedLogs(now);
  await logs.append(entries);
  const kind = entries[0]?.kind ?? "webhooks";
  const log: LogName = ["demo", logKinds[kind].number];
  const rebuild = () => newIndexer({ sizes: { ...SMALL_SIZES, full, failed: 100_000 } }).indexLog(log);
  await rebuild();
  const reader = new SegmentStore(storage);
  const ask = (body: SearchBody, { segments = reader, maxMs }: Asked = {}) => {
    const load = new ReadLoad({ perMinute: 0, now, ...(maxMs !== undefined && { maxMs }) });
    const search = new LogSearch({ reader: segments, load, now });
    return search.search({ projectId: "demo", keyId: "key", signal }, kind, body);
  };
  return { storage, logs, log, segments: reader, rebuild, ask };
}

/** Opens a log with webhooks, all of them in one segment. */
async function openWebhooks(webhooks: readonly { timestamp: string; status: number }[]) {
  const opened = await openWith(webhooks.map(entryOf), 4096);
  return {
    ...opened,
    /** The numbers of those that are found. */
    async find(body: SearchBody, asked?: Asked): Promise<number[]> {
      const { entries } = await opened.ask(body, asked);
      return entries.map((text) => Number((JSON.parse(text) as { url: string }).url.split("/").at(-1)));
    },
  };
}

/** A reader during which something happens once: after it has first read by one of its methods. */
function interrupted(segments: SegmentStore, method: string, happen: (read: unknown) => Promise<unknown>) {
  let isInterrupted = false;
  const reader = new Proxy(segments, {
    get:
      (target, name) =>
      async (...args: unknown[]) => {
        const read = await Reflect.apply(Reflect.get(target, name), target, args);
        if (name === method && !isInterrupted) {
          isInterrupted = true;
          await happen(read);
        }
        return read;
      },
  });
  return { reader, isInterrupted: () => isInterrupted };
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

// As many tests as the contract allows.
const costly = { url: { any: Array.from({ length: 100 }, (_, n) => ({ contains: [`/${n}1`, "never"] })) } };

it.each(["newest", "oldest"] as const)(
  "a search that has no time left answers with a part of a segment, %s first",
  async (order) => {
    const { ask } = await openWebhooks(
      Array.from({ length: 300 }, (_, n) => ({
        timestamp: `2026-04-09T09:00:${10 + Math.floor(n / 8)}Z`,
        status: 200,
      })),
    );
    const all = (await ask({ where: costly, order })).entries;
    expect(all.length).toBeGreaterThan(20);
    const found: string[] = [];
    let cursor: string | undefined;
    let calls = 0;
    do {
      const page = await ask({ where: costly, order, ...(cursor && { cursor }) }, { maxMs: 0 });
      found.push(...page.entries);
      cursor = page.nextCursor;
      calls += 1;
    } while (cursor && calls < 300);
    expect(found).toEqual(all);
    expect(calls).toBeGreaterThan(10);
  },
);

it("what failed is found without a look-up of its rows", async () => {
  const webhooks = Array.from({ length: 50 }, (_, n) => ({
    timestamp: `2026-04-09T09:00:${n + 10}Z`,
    status: n % 10 === 0 ? 503 : 200,
  }));
  const { storage, find } = await openWebhooks(webhooks);
  const events = ["ok", "refused", "ok", "failed", undefined].map((outcome, n): NewEntry => {
    const timestamp = `2026-04-09T09:00:0${n}Z`;
    return { projectId: "demo", kind: "events", timestamp, text: JSON.stringify({ timestamp, outcome }) };
  });
  const ofEvents = await openWith(events, 4096);
  for (const { query } of [storage, ofEvents.storage]) await query.deleteFrom("log_entry").execute();
  for (const where of [{ failed: true }, { status: { gte: 500 } }, { status: { eq: 503 } }])
    expect(await find({ where })).toEqual([40, 30, 20, 10, 0]);
  // Statuses of what did not fail are among these.
  expect(await find({ where: { status: { gte: 300 } } })).toEqual([]);
  const textsOf = async (where: SearchBody["where"] & object) => (await ofEvents.ask({ where })).entries;
  const failed = [events[3]?.text, events[1]?.text];
  for (const where of [{ failed: true }, { outcome: { eq: ["failed", "refused"] } }])
    expect(await textsOf(where)).toEqual(failed);
  expect(await textsOf({ failed: false })).toEqual([]);
});

it("webhooks that were indexed before they named their connection are found by what they have", async () => {
  const connection = { channel_id: "lobby@demo", connection_id: "C" };
  const webhookAt = (timestamp: string, fields: object): NewEntry => ({
    projectId: "demo",
    kind: "webhooks",
    timestamp,
    text: JSON.stringify({ timestamp, url: "https://hooks.example/", ...fields }),
  });
  const old = [1, 2, 3, 4].map((n) => webhookAt(`2026-04-09T09:00:0${n}Z`, { status: 200 }));
  const { storage, logs, log, segments, rebuild, ask } = await openWith(old, 4);
  const [segment] = await segments.segments(log, { from: "", until: "~" }, "newest", 1);
  const { channel_id, connection_id, event_id, ...before } = segment?.fields ?? {};
  expect([channel_id, connection_id, event_id]).toEqual([{ values: [null] }, { values: [null] }, { values: [null] }]);
  await storage.query
    .updateTable("log_segment")
    .set({ fields: JSON.stringify(before), pages: 0 })
    .execute();
  const late = webhookAt("2026-04-09T09:00:02.5Z", { status: 503, ...connection });
  const newer = [5, 6, 7, 8].map((n) => webhookAt(`2026-04-09T09:00:0${n}Z`, { status: 500, ...connection }));
  await logs.append([late, ...newer]);
  const textsOf = (...entries: (NewEntry | undefined)[]) => entries.map((entry) => entry?.text);
  const newestFirst = [...newer].reverse();
  for (let isRebuilt = false; ; isRebuilt = true) {
    const find = async (where: SearchBody["where"]) => (await ask({ ...(where && { where }) })).entries;
    const withConnection = textsOf(...newestFirst, late);
    expect(await find({ connection_id: { eq: "C" } })).toEqual(withConnection);
    expect(await find({ channel: { eq: "lobby" }, failed: true })).toEqual(withConnection);
    const without = textsOf(old[3], old[2], old[1], old[0]);
    expect(await find({ connection_id: { not: { eq: "C" } } })).toEqual(without);
    expect(await find({ channel: { not: { like: "*" } }, status: { eq: 200 } })).toEqual(without);
    if (isRebuilt) break;
    await rebuild();
  }
});

it("as many ids are found as a search may name", async () => {
  const timestampOf = (n: number): string => new Date(now() - n * 1000).toISOString();
  const sessions = Array.from({ length: 600 }, (_, n): NewEntry => {
    const text = JSON.stringify({ timestamp: timestampOf(n), session_id: `S${n}` });
    return { projectId: "demo", kind: "sessions", timestamp: timestampOf(n), text };
  });
  const { ask } = await openWith(sessions, 200);
  for (const count of [1, 2, 100, 200]) {
    const wanted = sessions.filter((_, n) => n % Math.floor(600 / count) === 0).slice(0, count);
    const eq = wanted.map(({ text }) => (JSON.parse(text) as { session_id: string }).session_id);
    const { entries } = await ask({ where: { session_id: { eq } } });
    expect(entries).toEqual(wanted.map(({ text }) => text));
  }
});

it("a search goes on if a segment's parts are deleted meanwhile", async () => {
  const { logs, log, rebuild, find, segments, storage } = await openWebhooks(
    Array.from({ length: 8 }, (_, n) => ({ timestamp: `2026-04-09T09:00:0${n}Z`, status: 200 })),
  );
  await logs.append([entryOf({ timestamp: "2026-04-09T09:00:00Z", status: 200 }, 8)]);
  const meanwhile = interrupted(segments, "segments", async (read) => {
    const [old] = read as Segment[];
    await rebuild();
    await deleteParts(log, old?.build ?? 0).execute(storage.query);
  });
  const found = await find({ where: { url: { contains: "hooks" } } }, { segments: meanwhile.reader });
  expect(found.sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  expect(meanwhile.isInterrupted()).toBe(true);
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
    const meanwhile = interrupted(segments, part, rebuild);
    const found = await find({ where: { url: { contains: "hooks" } }, order }, { segments: meanwhile.reader });
    expect(found.sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect(meanwhile.isInterrupted()).toBe(true);
  });
});
