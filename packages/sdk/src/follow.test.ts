import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import fc from "fast-check";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { answerBy, watchLeftovers } from "../test/http-server.js";
import { takeFresh } from "./follow.js";
import {
  createMediaClient,
  type Followed,
  MediaConnectionError,
  MediaForbiddenError,
  MediaUnauthorizedError,
} from "./index.js";
import { createFakeMediaService, type FakeMediaService } from "./testing/index.js";

afterEach(() => void vi.useRealTimers());

const start = Date.parse("2026-04-01T09:30:15Z");
const at = (seconds: number): string => new Date(start + seconds * 1000).toISOString();

function setUp(extensions: boolean | "ignored") {
  const service = createFakeMediaService({ now: () => start + 1_000_000, extensions });
  const client = createMediaClient({ ...service.clientOptions, maxRetries: 0, from: "test" });
  const controller = new AbortController();
  onTestFinished(() => controller.abort());
  const following = (options: object = {}) =>
    client.logs.follow("webhooks", { intervalMs: 1, signal: controller.signal, ...options });
  /** Resolves after a number of further polls of the service. */
  const polls = async (count: number): Promise<void> => {
    const wanted = service.calls.length + count;
    await expect.poll(() => service.calls.length, { interval: 1 }).toBeGreaterThanOrEqual(wanted);
  };
  return { service, controller, following, polls };
}

const services = [
  ["with cursors", true],
  ["that refuses searches", false],
  ["that ignores searches", "ignored"],
] as const;

describe.each(services)("following a log of a service %s", (_, extensions) => {
  it("yields entries after its start, each once", async () => {
    const { service, controller, following, polls } = setUp(extensions);
    service.add("webhooks", { timestamp: at(0) });
    const entries = following();
    const first = entries.next();
    await polls(2);
    service.add("webhooks", { timestamp: at(1) }, { timestamp: at(2) });
    expect((await first).value).toMatchObject({ entry: { timestamp: at(1) }, gap: false });
    expect((await entries.next()).value).toMatchObject({ entry: { timestamp: at(2) }, gap: false });

    const third = entries.next();
    await polls(1);
    service.add("webhooks", { timestamp: at(3) });
    expect((await third).value).toMatchObject({ entry: { timestamp: at(3) } });
    controller.abort();
    expect(await entries.next()).toEqual({ done: true, value: undefined });
  });

  it("yields entries of the same millisecond in the order in which they were added", async () => {
    const { service, controller, following, polls } = setUp(extensions);
    const entries = following();
    const first = entries.next();
    await polls(2);
    service.add("webhooks", { status: 201, timestamp: at(1) }, { status: 202, timestamp: at(1) });
    service.add("webhooks", { status: 203, timestamp: at(1) });
    const seen = [await first, await entries.next(), await entries.next()];
    expect(seen.map(({ value }) => value?.entry.status)).toEqual([201, 202, 203]);
    controller.abort();
  });

  it.each([
    ["a late entry", 10, 5],
    ["an entry that equals an earlier one in every field", 1, 1],
  ])("finds %s", async (_, before, late) => {
    const { service, following, polls } = setUp(extensions);
    service.add("webhooks", { timestamp: at(before) });
    const first = following().next();
    await polls(2);
    service.add("webhooks", { timestamp: at(late) });
    expect((await first).value).toMatchObject({ entry: { timestamp: at(late) }, gap: false });
  });

  it("yields only entries that meet its conditions", async () => {
    const { service, following, polls } = setUp(extensions);
    service.add("webhooks", { status: 500, timestamp: at(0) }, { status: 200, timestamp: at(0) });
    const entries = following({ where: { failed: true }, backlog: 5 });
    expect((await entries.next()).value).toMatchObject({ entry: { status: 500 } });
    const next = entries.next();
    await polls(1);
    service.add("webhooks", { status: 200 }, { status: 0 });
    expect((await next).value).toMatchObject({ entry: { status: 0 } });
  });

  it("yields only entries since a time, existing and new ones", async () => {
    const { service, following, polls } = setUp(extensions);
    service.add("webhooks", { timestamp: at(1) }, { timestamp: at(2) });
    const entries = following({ since: new Date(at(2)), backlog: 1000 });
    expect((await entries.next()).value).toMatchObject({ entry: { timestamp: at(2) } });
    const next = entries.next();
    await polls(1);
    service.add("webhooks", { timestamp: at(1.5) }, { timestamp: at(3) });
    expect((await next).value).toMatchObject({ entry: { timestamp: at(3) } });
  });

  it("yields as many existing entries as the backlog requests, oldest first", async () => {
    const { service, following } = setUp(extensions);
    service.add("webhooks", { timestamp: at(1) }, { timestamp: at(2) }, { timestamp: at(3) });
    const entries = following({ backlog: 2 });
    expect((await entries.next()).value).toMatchObject({ entry: { timestamp: at(2) }, gap: false });
    expect((await entries.next()).value).toMatchObject({ entry: { timestamp: at(3) }, gap: false });
  });

  it("continues after a temporary failure, reports it, and loses nothing", async () => {
    const { service, following, polls } = setUp(extensions);
    const errors: unknown[] = [];
    const entries = following({ waitSeconds: 0, onError: (error: unknown) => errors.push(error) });
    const first = entries.next();
    await polls(2);
    service.fail("connection");
    service.fail({ status: 503 });
    service.fail("html");
    service.add("webhooks", { timestamp: at(1) });
    expect((await first).value).toMatchObject({ entry: { timestamp: at(1) }, gap: false });
    expect(errors).toMatchObject(
      [{ code: "Connection" }, { status: 503 }, { code: "Response" }].slice(0, errors.length),
    );
  });

  it("throws if the first call fails, and if a later one fails permanently", async () => {
    const { service, following, polls } = setUp(extensions);
    service.fail("connection");
    await expect(following().next()).rejects.toBeInstanceOf(MediaConnectionError);

    const entries = following({ waitSeconds: 0 });
    const first = entries.next();
    await polls(2);
    service.fail({ status: 401 });
    await expect(first).rejects.toBeInstanceOf(MediaUnauthorizedError);
    expect(await entries.next()).toEqual({ done: true, value: undefined });
  });

  it("requests the given project", async () => {
    const { following } = setUp(extensions);
    await expect(following({ project_id: "other" }).next()).rejects.toBeInstanceOf(MediaForbiddenError);
  });

  it.each(["between calls", "during a call", "before it begins"])(
    "ends without an error on abort %s, and leaves no listeners or timers",
    async (when) => {
      const nothingLeft = watchLeftovers();
      const { service, controller, following, polls } = setUp(extensions);
      if (when === "before it begins") controller.abort();
      const entries = following({ intervalMs: 60_000 });
      const first = entries.next();
      if (when === "during a call") service.fail("silence");
      if (when !== "before it begins") await polls(1);
      controller.abort();
      expect(await first).toEqual({ done: true, value: undefined });
      await nothingLeft();
    },
  );

  it("ends at break", async () => {
    const nothingLeft = watchLeftovers();
    const { service, following } = setUp(extensions);
    service.add("webhooks", { timestamp: at(1) }, { timestamp: at(2) });
    const taken: string[] = [];
    for await (const { entry } of following({ backlog: 5 })) {
      taken.push(entry.timestamp);
      break;
    }
    expect(taken).toEqual([at(1)]);
    await nothingLeft();
  });

  it("tells its calls apart from others in the API log", async () => {
    const { service, controller, following, polls } = setUp(extensions);
    const first = following().next();
    await polls(2);
    controller.abort();
    await first;
    expect(new Set(service.calls.map(({ from }) => from))).toEqual(new Set(["test-follow"]));
  });
});

describe("a burst", () => {
  const batch = (count: number, from: number) => Array.from({ length: count }, (_, i) => ({ timestamp: at(from + i) }));
  const take = async (entries: AsyncGenerator<Followed<"webhooks">>, count: number) => {
    const taken: Followed<"webhooks">[] = [];
    for (let i = 0; i < count; i++) {
      const { value } = await entries.next();
      taken.push(value);
    }
    return taken;
  };

  it("of 5000 entries at once is followed without a gap", async () => {
    const { service, following, polls } = setUp(true);
    const entries = following();
    const all = take(entries, 5000);
    await polls(2);
    service.add("webhooks", ...batch(5000, 0));
    const taken = await all;
    expect(taken.some(({ gap }) => gap)).toBe(false);
    expect(taken.map(({ entry }) => entry.timestamp)).toEqual(batch(5000, 0).map(({ timestamp }) => timestamp));
  });

  it.each([false, "ignored"] as const)("is a gap from 1000 entries on without cursors: %s", async (extensions) => {
    const { service, following, polls } = setUp(extensions);
    service.add("webhooks", { timestamp: at(0) });
    const entries = following({ where: { status: { lt: 300 } } });
    const small = take(entries, 999);
    await polls(2);
    service.add("webhooks", ...batch(999, 1));
    expect(new Set((await small).map(({ entry, gap }) => `${entry.timestamp}${gap}`)).size).toBe(999);

    const large = take(entries, 1000);
    await polls(1);
    service.add("webhooks", ...batch(1500, 1000));
    expect((await large).map(({ gap }) => gap)).toEqual([true, ...Array.from({ length: 999 }, () => false)]);
    expect((await large)[0]?.entry.timestamp).toBe(at(1500));
  });
});

describe("a saved cursor", () => {
  it("resumes after any entry: none is lost, none is repeated", async () => {
    const { service, following } = setUp(true);
    const client = createMediaClient(service.clientOptions);
    const { followCursor } = await client.logs.webhooks({ limit: 1 }).withResponse();
    const all = Array.from({ length: 2500 }, (_, i) => at(i));
    service.add("webhooks", ...all.map((timestamp) => ({ timestamp })));
    const seen: string[] = [];
    let saved = followCursor;
    // Each run ends after some entries, at the end of a page, within one, and after the first.
    for (const count of [1, 998, 1, 400, 1, 99, 1000]) {
      const entries = following({ cursor: saved });
      for (let i = 0; i < count; i++) {
        const { value } = await entries.next();
        seen.push(value?.entry.timestamp ?? "nothing");
        saved = value?.cursor;
      }
    }
    expect(seen).toEqual(all);
  });

  it("is that of the last entry of a backlog", async () => {
    const { service, following } = setUp(true);
    service.add("webhooks", { timestamp: at(1) }, { timestamp: at(2) });
    const entries = following({ backlog: 2 });
    expect((await entries.next()).value?.cursor).toBeUndefined();
    const cursor = (await entries.next()).value?.cursor;
    service.add("webhooks", { timestamp: at(0) });
    const [next] = [await following({ cursor }).next()];
    expect(next.value).toMatchObject({ entry: { timestamp: at(0) }, gap: false });
  });

  it("that the service refuses, such as one of another question, is an error", async () => {
    const { service, following } = setUp(true);
    const errors = [{ pointer: "/cursor", detail: "Is not a cursor of this question." }];
    service.fail({ status: 400, errors });
    await expect(following({ cursor: "abc" }).next()).rejects.toMatchObject({
      code: "BadRequest",
      problem: { errors },
    });
  });

  it.each([false, "ignored"] as const)("that the service no longer knows leaves a gap: %s", async (extensions) => {
    const { followCursor } = await createMediaClient(setUp(true).service.clientOptions)
      .logs.webhooks({ limit: 1 })
      .withResponse();
    const { service, following, polls } = setUp(extensions);
    service.add("webhooks", { timestamp: at(1) });
    const entries = following({ cursor: followCursor });
    const first = entries.next();
    await polls(3);
    service.add("webhooks", { timestamp: at(2) });
    expect((await first).value).toMatchObject({ entry: { timestamp: at(2) }, gap: true, cursor: undefined });
  });
});

describe("a service that restarts", () => {
  it("is followed over real HTTP: no entry is lost, none is repeated", async () => {
    const service = createFakeMediaService();
    let server = await serve(service);
    const { port } = server.address() as AddressInfo;
    const client = createMediaClient({
      baseUrl: `http://127.0.0.1:${port}`,
      apiKey: service.clientOptions.apiKey,
      maxRetries: 0,
    });
    const errors: unknown[] = [];
    const entries = client.logs.follow("webhooks", { intervalMs: 10, onError: (error) => errors.push(error) });
    const seen: number[] = [];
    const reading = (async () => {
      for await (const { entry, gap } of entries) {
        expect(gap).toBe(false);
        if (seen.push(entry.status) === 600) break;
      }
    })();
    await expect.poll(() => service.calls.length).toBe(2);
    for (let burst = 0; burst < 3; burst++) {
      service.add("webhooks", ...Array.from({ length: 100 }, (_, i) => ({ status: burst * 200 + i })));
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      service.add("webhooks", ...Array.from({ length: 100 }, (_, i) => ({ status: burst * 200 + 100 + i })));
      const failures = errors.length;
      await expect.poll(() => errors.length).toBeGreaterThan(failures);
      server = await serve(service, port);
      await expect.poll(() => seen.length).toBe((burst + 1) * 200);
    }
    await reading;
    expect(seen).toEqual(Array.from({ length: 600 }, (_, i) => i));
    server.closeAllConnections();
    server.close();
  });
});

/** Serves a fake over HTTP. */
async function serve(service: FakeMediaService, port = 0): Promise<Server> {
  const answer = answerBy(service);
  const server = createServer(async (request, response) => answer(response, request, await text(request)));
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return server;
}

describe("a follower at rest", () => {
  it("costs two calls a minute", async () => {
    vi.useFakeTimers();
    const { service, controller, following } = setUp(true);
    const first = following({ intervalMs: undefined }).next();
    await vi.advanceTimersByTimeAsync(10 * 60_000);
    // One more finds the cursor.
    expect(service.calls).toHaveLength(1 + 20);
    expect(service.calls.at(-1)?.body).toEqual({ cursor: expect.any(String), wait_s: 30 });
    controller.abort();
    await first;
  });

  it("does not flood a service that answers at once instead of holding the call", async () => {
    vi.useFakeTimers();
    const { service, controller, following } = setUp(true);
    const first = following({ intervalMs: undefined, waitSeconds: 0 }).next();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(service.calls.length).toBeLessThanOrEqual(14);
    controller.abort();
    await first;
  });

  it("collects entries that arrive one by one, and yields each within a second", async () => {
    vi.useFakeTimers();
    const { service, controller, following } = setUp(true);
    const seen: number[] = [];
    const reading = (async () => {
      for await (const { entry } of following({ intervalMs: undefined })) {
        seen.push(Date.now() - entry.status);
      }
    })();
    await vi.advanceTimersByTimeAsync(100);
    for (let i = 0; i < 100; i++) {
      service.add("webhooks", { status: Date.now() });
      await vi.advanceTimersByTimeAsync(100);
    }
    await vi.advanceTimersByTimeAsync(1000);
    expect(seen).toHaveLength(100);
    expect(Math.max(...seen)).toBeLessThan(1000);
    expect(service.calls.length).toBeLessThan(30);
    controller.abort();
    await reading;
  });
});

describe("a service that learns cursors", () => {
  it("is followed by cursor from then on, without a gap", async () => {
    let clock = start + 1_000_000;
    const plain = createFakeMediaService({ extensions: false, now: () => clock });
    const full = createFakeMediaService({ now: () => clock });
    let current = plain;
    const add = (status: number) =>
      [plain, full].map((service) => service.add("webhooks", { status, timestamp: at(status) }));
    const entries = createMediaClient({
      ...plain.clientOptions,
      fetch: (input, init) => current.fetch(input, init),
      now: () => clock,
    }).logs.follow("webhooks", { intervalMs: 1 });
    const first = entries.next();
    await expect.poll(() => plain.calls.length).toBeGreaterThan(2);
    add(1);
    expect((await first).value).toMatchObject({ entry: { status: 1 }, gap: false, cursor: undefined });
    add(2);
    current = full;
    clock += 3_600_000;
    for (const status of [2, 3]) {
      if (status === 3) add(3);
      const { value } = await entries.next();
      expect(value).toMatchObject({ entry: { status }, gap: false, cursor: expect.any(String) });
    }
    await entries.return(undefined);
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
