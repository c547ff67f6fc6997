import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { watchLeftovers } from "../test/http-server.js";
import { takeFresh } from "./follow.js";
import {
  createMediaClient,
  isCapped,
  MediaConnectionError,
  MediaForbiddenError,
  MediaUnauthorizedError,
} from "./index.js";
import { createFakeMediaService } from "./testing/index.js";

const start = Date.parse("2026-04-01T09:30:15Z");
const at = (seconds: number): string => new Date(start + seconds * 1000).toISOString();

function setUp() {
  const service = createFakeMediaService({ now: () => start + 1_000_000 });
  const client = createMediaClient({ ...service.clientOptions, maxRetries: 0 });
  const controller = new AbortController();
  const following = (options: object = {}) =>
    client.logs.follow("webhooks", { intervalMs: 1, signal: controller.signal, ...options });
  /** Resolves after a number of further polls of the service. */
  const polls = async (count: number): Promise<void> => {
    const wanted = service.calls.length + count;
    await expect.poll(() => service.calls.length, { interval: 1 }).toBeGreaterThanOrEqual(wanted);
  };
  return { service, controller, following, polls };
}

describe("following a log", () => {
  it("yields entries after its start, each once, oldest first", async () => {
    const { service, controller, following, polls } = setUp();
    service.add("webhooks", { timestamp: at(0) });
    const entries = following();
    const first = entries.next();
    await polls(1);
    service.add("webhooks", { timestamp: at(2) }, { timestamp: at(1) });
    expect(await first).toEqual({
      done: false,
      value: { entry: expect.objectContaining({ timestamp: at(1) }), gap: false },
    });
    expect((await entries.next()).value).toMatchObject({ entry: { timestamp: at(2) }, gap: false });

    const third = entries.next();
    await polls(3);
    service.add("webhooks", { timestamp: at(3) });
    expect((await third).value).toMatchObject({ entry: { timestamp: at(3) } });
    controller.abort();
    expect(await entries.next()).toEqual({ done: true, value: undefined });
  });

  it("yields entries of the same millisecond in the order in which they were added", async () => {
    const { service, controller, following, polls } = setUp();
    const entries = following();
    const first = entries.next();
    await polls(1);
    service.add("webhooks", { status: 201, timestamp: at(1) }, { status: 202, timestamp: at(1) });
    service.add("webhooks", { status: 203, timestamp: at(1) });
    const seen = [await first, await entries.next(), await entries.next()];
    expect(seen.map(({ value }) => value?.entry.status)).toEqual([201, 202, 203]);
    controller.abort();
  });

  it("finds late entries further down the list", async () => {
    const { service, following, polls } = setUp();
    service.add("webhooks", { timestamp: at(10) });
    const entries = following();
    const first = entries.next();
    await polls(1);
    service.add("webhooks", { timestamp: at(5) });
    expect((await first).value).toMatchObject({ entry: { timestamp: at(5) }, gap: false });
    await entries.return(undefined);
  });

  it("yields an entry that equals an earlier one in every field", async () => {
    const { service, following, polls } = setUp();
    service.add("webhooks", { timestamp: at(1) });
    const entries = following();
    const first = entries.next();
    await polls(2);
    service.add("webhooks", { timestamp: at(1) });
    expect((await first).value).toMatchObject({ entry: { timestamp: at(1) } });
    await entries.return(undefined);
  });

  it("loses nothing if 999 entries arrive at once, and reports a possible gap for 1000", async () => {
    const { service, following, polls } = setUp();
    service.add("webhooks", { timestamp: at(0) });
    const entries = following();
    const batch = (count: number, from: number) =>
      service.add("webhooks", ...Array.from({ length: count }, (_, i) => ({ timestamp: at(from + i) })));
    const take = async (count: number, first = entries.next()) => {
      const taken = [(await first).value];
      while (taken.length < count) taken.push((await entries.next()).value);
      return taken;
    };

    const before = entries.next();
    await polls(1);
    batch(999, 1);
    const small = await take(999, before);
    expect(small.map((item) => item?.gap)).not.toContain(true);
    expect(new Set(small.map((item) => item?.entry.timestamp)).size).toBe(999);

    const next = entries.next();
    await polls(1);
    batch(1500, 1000);
    const large = await take(1000, next);
    expect(large.map((item) => item?.gap)).toEqual([true, ...Array.from({ length: 999 }, () => false)]);
    expect(large[0]?.entry.timestamp).toBe(at(1500));
    await entries.return(undefined);
  });

  it("yields as many existing entries as the backlog requests", async () => {
    const { service, following } = setUp();
    service.add("webhooks", { timestamp: at(1) }, { timestamp: at(2) }, { timestamp: at(3) });
    const entries = following({ backlog: 2 });
    expect((await entries.next()).value).toMatchObject({ entry: { timestamp: at(2) }, gap: false });
    expect((await entries.next()).value).toMatchObject({ entry: { timestamp: at(3) }, gap: false });
    await entries.return(undefined);
  });

  it("continues after a temporary failure of a poll, reports it, and loses nothing", async () => {
    const { service, following, polls } = setUp();
    const errors: unknown[] = [];
    const entries = following({ onError: (error: unknown) => errors.push(error) });
    const first = entries.next();
    await polls(1);
    service.fail("connection");
    service.fail({ status: 503 });
    service.fail("html");
    service.add("webhooks", { timestamp: at(1) });
    expect((await first).value).toMatchObject({ entry: { timestamp: at(1) }, gap: false });
    expect(errors).toMatchObject([{ code: "Connection" }, { status: 503 }, { code: "Response" }]);
    await entries.return(undefined);
  });

  it("throws if the first poll fails, and if a later one fails permanently", async () => {
    const { service, following, polls } = setUp();
    service.fail("connection");
    await expect(following().next()).rejects.toBeInstanceOf(MediaConnectionError);

    const entries = following();
    const first = entries.next();
    await polls(1);
    service.fail({ status: 401 });
    await expect(first).rejects.toBeInstanceOf(MediaUnauthorizedError);
    expect(await entries.next()).toEqual({ done: true, value: undefined });
  });

  it("requests the given project", async () => {
    const { following } = setUp();
    await expect(following({ project_id: "other" }).next()).rejects.toBeInstanceOf(MediaForbiddenError);
  });

  it.each(["between polls", "during a poll", "before it begins"])(
    "ends without an error on abort %s, and leaves no listeners or timers",
    async (when) => {
      const nothingLeft = watchLeftovers();
      const { service, controller, following, polls } = setUp();
      if (when === "before it begins") controller.abort();
      const entries = following({ intervalMs: 60_000 });
      const first = entries.next();
      if (when === "during a poll") service.fail("silence");
      if (when !== "before it begins") await polls(1);
      controller.abort();
      expect(await first).toEqual({ done: true, value: undefined });
      await nothingLeft();
    },
  );

  it("ends at break", async () => {
    const nothingLeft = watchLeftovers();
    const { service, following } = setUp();
    service.add("webhooks", { timestamp: at(1) }, { timestamp: at(2) });
    const taken: string[] = [];
    for await (const { entry } of following({ backlog: 5 })) {
      taken.push(entry.timestamp);
      break;
    }
    expect(taken).toEqual([at(1)]);
    await nothingLeft();
  });
});

describe("the fresh entries of a response", () => {
  it("are exactly the added ones, at any position and in any number", () => {
    const entry = fc.record({ timestamp: fc.constantFrom("a", "b", "c"), status: fc.integer({ min: 0, max: 2 }) });
    fc.assert(
      fc.property(fc.array(entry), fc.array(entry), fc.infiniteStream(fc.nat()), (old, added, places) => {
        const seen = new Set<string>();
        takeFresh(seen, old);
        const all = [...old];
        for (const item of added) all.splice((places.next().value ?? 0) % (all.length + 1), 0, item);
        const sorted = (items: object[]) => items.map((item) => JSON.stringify(item)).sort();
        expect(sorted(takeFresh(seen, all))).toEqual(sorted(added));
        expect(takeFresh(seen, all)).toEqual([]);
      }),
    );
  });

  it("exclude entries that were temporarily missing", () => {
    const seen = new Set<string>();
    takeFresh(seen, ["c", "b", "a"]);
    expect(takeFresh(seen, ["b", "a"])).toEqual([]);
    expect(takeFresh(seen, [])).toEqual([]);
    expect(takeFresh(seen, ["d", "c", "b", "a"])).toEqual(["d"]);
  });

  it("are remembered for five full responses, not forever", () => {
    const seen = new Set<string>();
    for (let answer = 0; answer < 50; answer++) {
      takeFresh(
        seen,
        Array.from({ length: 1000 }, (_, i) => answer * 1000 + i),
      );
    }
    expect(seen.size).toBe(5000);
    expect(takeFresh(seen, [49_999, 45_000])).toEqual([]);
  });
});

describe("isCapped", () => {
  it.each([
    [0, false],
    [999, false],
    [1000, true],
  ])("of %i entries is %s", (length, capped) => {
    expect(isCapped(Array.from({ length }))).toBe(capped);
  });
});
