import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { json, startServer } from "../test/http-server.js";
import {
  createMediaClient,
  type ListLogsRequest,
  type LogPage,
  MediaBadRequestError,
  MediaNotFoundError,
  MediaResponseError,
  MediaUsageError,
} from "./index.js";
import { createFakeMediaService, type FakeMediaServiceOptions } from "./testing/index.js";
import { timeKey } from "./time.js";
import { matches } from "./where.js";

const now = Date.parse("2026-04-01T12:00:00Z");
const at = (seconds: number): string => new Date(now - 3_600_000 + seconds * 1000).toISOString();
const WINDOW_START = "2026-03-02T12:00:00Z";

function setUp(options: FakeMediaServiceOptions = {}) {
  let clock = now;
  const service = createFakeMediaService({ now: () => clock, ...options });
  const client = createMediaClient({ ...service.clientOptions, maxRetries: 0, now: () => clock });
  const pass = (ms: number): void => {
    clock += ms;
  };
  return { service, logs: client.logs, pass };
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const taken: T[] = [];
  for await (const item of items) taken.push(item);
  return taken;
}

const statuses = (entries: readonly { status: number }[]): number[] => entries.map(({ status }) => status);
const positionOf = <K extends "webhooks">({ nextCursor, searchedTo, complete }: LogPage<K>) => ({
  nextCursor: nextCursor && "…",
  searchedTo,
  complete,
});

const modes = [
  ["with searches", true],
  ["that refuses searches", false],
  ["that ignores searches", "ignored"],
] as const;

describe.each(modes)("a search of a service %s", (_, extensions) => {
  it("finds what matches, in the range, up to its limit, in either order", async () => {
    const { service, logs } = setUp({ extensions });
    service.add("webhooks", ...[0, 1, 2, 3, 4].map((i) => ({ timestamp: at(i), status: i % 2 ? 500 + i : 200 + i })));
    const where = { failed: true };
    expect(statuses(await logs.webhooks({ where }))).toEqual([503, 501]);
    expect(statuses(await logs.webhooks({ where, order: "oldest" }))).toEqual([501, 503]);
    expect(statuses(await logs.list("webhooks", { where, limit: 1 }))).toEqual([503]);
    expect(statuses(await logs.webhooks({ since: at(1), until: at(3) }))).toEqual([202, 501]);
    expect(statuses(await logs.webhooks({ since: new Date(at(1)), until: new Date(at(3)) }))).toEqual([202, 501]);
    expect(statuses(await logs.webhooks({ since: at(3).replace("Z", "000001Z") }))).toEqual([204]);
    expect(statuses(await logs.webhooks({ until: at(1).replace("Z", "+00:00"), limit: 5 }))).toEqual([200]);
  });

  it("says that it has searched everything", async () => {
    const { service, logs } = setUp({ extensions });
    service.add("webhooks", { timestamp: at(0), status: 500 });
    const where = { failed: true };
    const ask = async (request: ListLogsRequest<"webhooks">) => positionOf(await logs.webhooks(request).withResponse());
    expect(await ask({ where })).toEqual({ searchedTo: WINDOW_START, complete: true });
    expect(await ask({ where, since: at(-9) })).toEqual({ searchedTo: "2026-04-01T10:59:51Z", complete: true });
    expect(await ask({ where, since: "2020-01-01T00:00:00Z" })).toEqual({ searchedTo: WINDOW_START, complete: true });
    expect(await ask({ where, order: "oldest" })).toEqual({ searchedTo: "2026-04-01T12:00:00Z", complete: true });
    const end = "2026-04-01T11:00:01Z";
    expect(await ask({ order: "oldest", until: at(1) })).toEqual({ searchedTo: end, complete: true });
  });

  it("is walked to the last match, for any size of the pages", async () => {
    const { service, logs } = setUp({ extensions });
    const ids = Array.from({ length: 50 }, (_, i) => i);
    const matching = ids.map((i) => ({ timestamp: at(Math.floor(i / 7)), status: 400 + i }));
    service.add("webhooks", ...matching, { status: 200 });
    for (const limit of [1, 7, 49, 50, 1000]) {
      const seen = await all(logs.webhooks.all({ where: { failed: true }, order: "oldest", limit }));
      expect(statuses(seen)).toEqual(ids.map((i) => 400 + i));
    }
    const pages = await all(logs.all("webhooks", { where: { failed: true } }).pages());
    expect(pages.flatMap(({ data }) => statuses(data))).toEqual(ids.map((i) => 400 + i).reverse());
    expect(pages.at(-1)).toMatchObject({ complete: true, nextCursor: undefined });
  });

  it("is not asked for if it is wrong", async () => {
    const { service, logs } = setUp({ extensions });
    const second = "2026-04-01T11:00:01Z";
    const wrong: [request: object, message: string][] = [
      [{ since: "yesterday" }, 'since must be an RFC 3339 time or a Date, not "yesterday".'],
      [{ until: new Date(Number.NaN) }, 'until must be an RFC 3339 time or a Date, not "Invalid Date".'],
      [{ since: at(1), until: at(1) }, `until must be later than since (${second}), not ${second}.`],
      [{ limit: 0 }, "limit must be a count from 1 to 1000, not 0."],
      [{ limit: 1001 }, "limit must be a count from 1 to 1000, not 1001."],
      [{ order: "random" }, 'order must be "newest" or "oldest", not "random".'],
      [{ where: "failed" }, "where must be an object, not of type string."],
    ];
    for (const [request, message] of wrong) {
      await expect(logs.webhooks(request)).rejects.toThrow(new MediaUsageError(message));
      await expect(logs.webhooks.all(request).pages().next()).rejects.toThrow(new MediaUsageError(message));
    }
    expect(service.calls).toEqual([]);
  });

  it("ends its walk with the reason of an abort", async () => {
    const { service, logs } = setUp({ extensions });
    service.add("webhooks", {}, {}, {});
    const controller = new AbortController();
    const seen: unknown[] = [];
    const walking = (async () => {
      for await (const entry of logs.webhooks.all({ limit: 2 }, { signal: controller.signal })) {
        seen.push(entry);
        controller.abort(new Error("enough"));
      }
    })();
    await expect(walking).rejects.toThrow("enough");
    expect(seen).toHaveLength(1);
  });
});

describe("a search", () => {
  it("sends its times in UTC with all digits, and its conditions unchanged", async () => {
    const { service, logs } = setUp();
    const where = { url: { contains: "hooks", not: { like: "*/old" } } };
    await logs.webhooks({ since: "2026-04-01T18:30:15.1234567890+09:00", until: new Date(now), where, limit: 5 });
    const body = { since: "2026-04-01T09:30:15.123456789Z", until: "2026-04-01T12:00:00Z", where, limit: 5 };
    expect(service.calls[0]?.body).toEqual(body);
  });

  it("has a cursor for its next page, and for what is written after it", async () => {
    const { service, logs } = setUp();
    service.add("webhooks", ...[1, 2, 3].map((i) => ({ timestamp: at(i), status: 200 + i })));
    const first = await logs.webhooks({ limit: 2 }).withResponse();
    expect(statuses(first.data)).toEqual([203, 202]);
    expect(positionOf(first)).toEqual({ nextCursor: "…", searchedTo: "2026-04-01T11:00:02Z", complete: false });
    service.add("webhooks", { timestamp: at(1.5), status: 204 }, { timestamp: at(9), status: 205 });
    const second = await logs.webhooks({ cursor: first.nextCursor }).withResponse();
    expect(statuses(second.data)).toEqual([204, 201]);
    expect(positionOf(second)).toEqual({ searchedTo: WINDOW_START, complete: true });
    const later = await logs.webhooks({ cursor: first.followCursor }).withResponse();
    expect(statuses(later.data)).toEqual([204, 205]);
    expect(later).toMatchObject({ nextCursor: expect.any(String), searchedTo: undefined, status: 200 });
  });

  it("is walked through pages that are empty because they took long", async () => {
    const { service, logs } = setUp({ maxScanned: 10 });
    const good = Array.from({ length: 95 }, () => ({ timestamp: at(1) }));
    service.add("webhooks", { timestamp: at(0), status: 500 }, ...good);
    const pages = await all(logs.webhooks.all({ where: { failed: true } }).pages());
    expect(pages.map(({ data }) => data.length)).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
    expect(pages.map(({ complete }) => complete)).toEqual([...Array.from({ length: 9 }, () => false), true]);
    expect(pages[3]?.searchedTo).toBe("2026-04-01T11:00:01Z");
  });

  it("yields each entry once while others arrive, at any time and in any order", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(5), { maxLength: 30 }),
        fc.infiniteStream(fc.array(fc.nat(9), { maxLength: 3 })),
        fc.integer({ min: 1, max: 5 }),
        fc.constantFrom("newest" as const, "oldest" as const),
        async (before, arriving, limit, order) => {
          const { service, logs } = setUp();
          let id = 0;
          const add = (seconds: readonly number[]) =>
            service.add("webhooks", ...seconds.map((second) => ({ timestamp: at(second), elapsed_time_ms: id++ })));
          const first = add(before).map(({ elapsed_time_ms }) => elapsed_time_ms);
          const seen: number[] = [];
          let pages = 0;
          for await (const { data } of logs.webhooks.all({ limit, order }).pages()) {
            seen.push(...data.map(({ elapsed_time_ms }) => elapsed_time_ms));
            if (pages++ < 20) add(arriving.next().value ?? []);
          }
          expect(new Set(seen).size).toBe(seen.length);
          expect(seen).toEqual(expect.arrayContaining(first));
        },
      ),
      { numRuns: 50 },
    );
  });

  it.each(["/cursor", "/limt", "/where/statsu"])(
    "that is refused for its %s is an error, and the service is asked again",
    async (pointer) => {
      const { service, logs } = setUp();
      const errors = [{ pointer, detail: "Is refused." }];
      service.fail({ status: 400, errors });
      const refused = logs.webhooks({ cursor: "abc", where: { failed: true } });
      await expect(refused).rejects.toMatchObject({ code: "BadRequest", problem: { errors } });
      await logs.webhooks({ limit: 1 });
      expect(service.calls.at(-1)?.body).toEqual({ limit: 1 });
    },
  );
});

describe("a plain listing", () => {
  it.each([undefined, {}, { project_id: "demo" }, { where: undefined }])("is sent as ever: %j", async (request) => {
    const { service, logs } = setUp();
    service.add("webhooks", { timestamp: at(0) });
    const page = await logs.webhooks(request).withResponse();
    expect(positionOf(page)).toEqual({ searchedTo: WINDOW_START, complete: true });
    expect(service.calls.map(({ body }) => body)).toEqual([JSON.parse(JSON.stringify(request ?? {}))]);
  });

  it("is not complete if it is full", async () => {
    const { service, logs } = setUp();
    service.add("webhooks", ...Array.from({ length: 1000 }, (_, i) => ({ timestamp: at(i) })));
    const page = await logs.webhooks().withResponse();
    expect(positionOf(page)).toEqual({ searchedTo: "2026-04-01T11:00:00Z", complete: false });
  });
});

describe.each([false, "ignored"] as const)("a service with the six operations only (%s)", (extensions) => {
  const full = () => {
    const parts = setUp({ extensions });
    const many = Array.from({ length: 1500 }, (_, i) => ({ timestamp: at(i), status: i % 2 ? 500 : 200 }));
    parts.service.add("webhooks", ...many);
    return parts;
  };

  it("has been searched only as far as its list goes", async () => {
    const { logs } = full();
    const ask = async (request: ListLogsRequest<"webhooks">) => {
      const page = await logs.webhooks(request).withResponse();
      return [page.data.length, page.complete, page.searchedTo, page.nextCursor];
    };
    const oldest = "2026-04-01T11:08:20Z";
    const where = { failed: true };
    expect(await ask({ where })).toEqual([500, false, oldest, undefined]);
    expect(await ask({ where, since: at(0) })).toEqual([500, false, oldest, undefined]);
    // Others of the oldest entry's time may be missing.
    expect(await ask({ where, since: at(500) })).toEqual([500, false, oldest, undefined]);
    expect(await ask({ where, since: at(501) })).toEqual([500, true, "2026-04-01T11:08:21Z", undefined]);
    expect(await ask({ where, until: at(100) })).toEqual([0, false, oldest, undefined]);
    expect(await ask({ where, order: "oldest" })).toEqual([500, false, oldest, undefined]);
    expect(await ask({ where, limit: 2, since: at(501) })).toEqual([2, false, at(1497), undefined]);
  });

  it("is walked as far as its list goes, and the last page says so", async () => {
    const { logs } = full();
    const pages = await all(logs.webhooks.all({ where: { failed: true }, limit: 10 }).pages());
    expect(pages.map(({ data, complete }) => [data.length, complete])).toEqual([[500, false]]);
  });

  it("is asked for searches once an hour", async () => {
    const { service, logs, pass } = setUp({ extensions });
    let read = 0;
    const bodies = () => {
      const fresh = service.calls.slice(read).map(({ body }) => body);
      read += fresh.length;
      return fresh;
    };
    await logs.webhooks({ limit: 5 });
    expect(bodies()).toEqual([{ limit: 5 }, {}]);
    await logs.api({ where: { failed: true } });
    await all(logs.sessions.all());
    pass(3_599_999);
    await logs.webhooks({ limit: 5 });
    expect(bodies()).toEqual([{}, {}, {}]);
    pass(1);
    await logs.webhooks({ limit: 5 });
    expect(bodies()).toEqual([{ limit: 5 }, {}]);
  });

  it("cannot continue from a cursor that a better one gave", async () => {
    const { logs } = setUp({ extensions });
    const expected = extensions ? MediaResponseError : MediaBadRequestError;
    await expect(logs.webhooks({ cursor: "abc" })).rejects.toBeInstanceOf(expected);
    await expect(logs.webhooks.all({ cursor: "abc" }).pages().next()).rejects.toBeInstanceOf(expected);
  });

  it("cannot count, and is asked once an hour", async () => {
    const { service, logs, pass } = setUp({ extensions });
    for (const kind of ["webhooks", "api", "webhooks"] as const) {
      await expect(logs.count(kind)).rejects.toBeInstanceOf(MediaNotFoundError);
    }
    expect(service.calls).toHaveLength(1);
    pass(3_600_000);
    await expect(logs.count("webhooks")).rejects.toBeInstanceOf(MediaNotFoundError);
    expect(service.calls).toHaveLength(2);
  });
});

describe("a failure of a search", () => {
  it.each([400, 401, 403, 404, 429, 500])("of status %i is thrown, and the service is asked again", async (status) => {
    const { service, logs } = setUp();
    service.fail({ status });
    await expect(logs.webhooks({ limit: 5 })).rejects.toMatchObject({ status });
    await logs.webhooks({ limit: 5 });
    expect(service.calls.map(({ body }) => body)).toEqual([{ limit: 5 }, { limit: 5 }]);
  });

  it.each<[errors: unknown]>([["none"], [[null]], [{ pointer: 5 }], [null]])(
    "with odd errors is thrown: %j",
    async (errors) => {
      const server = await startServer(json({ errors }, 400));
      const { logs } = createMediaClient({ baseUrl: server.baseUrl, apiKey: "key" });
      await expect(logs.webhooks({ limit: 5 })).rejects.toBeInstanceOf(MediaBadRequestError);
    },
  );
});

describe("a list of odd entries", () => {
  it("is filtered without an error, over real HTTP", async () => {
    const server = await startServer(json([null, {}, { timestamp: 5 }, { timestamp: at(1), status: 500 }]));
    const { logs } = createMediaClient({ baseUrl: server.baseUrl, apiKey: "key" });
    expect(await logs.webhooks({ where: { failed: true } })).toEqual([{ timestamp: at(1), status: 500 }]);
    expect(await logs.webhooks({ since: at(0) })).toHaveLength(1);
    expect(await logs.webhooks()).toHaveLength(4);
  });
});

describe("a count", () => {
  it("has totals, groups and periods", async () => {
    const { service, logs } = setUp();
    const url = "https://b.example";
    service.add(
      "webhooks",
      { timestamp: at(0), status: 0, elapsed_time_ms: 10, url },
      { timestamp: at(10), status: 200, elapsed_time_ms: 30 },
      { timestamp: at(4000), status: 500, elapsed_time_ms: 20, url },
    );
    const request = { since: at(0), until: new Date(at(9000)), by: ["url" as const], every: 3600, top: 1 };
    const { data } = await logs.count("webhooks", request).withResponse();
    const range = { since: "2026-04-01T11:00:00Z", until: "2026-04-01T13:30:00Z" };
    expect(service.calls[0]?.body).toMatchObject({ kind: "webhooks", ...range });
    expect(data).toMatchObject({
      complete: true,
      total: { entries: 3, count: 3, failed: 2, elapsed_ms: { p50: 20, p95: 30, p99: 30, max: 30 } },
      groups: [{ by: { url }, entries: 2, failed: 2 }],
      omitted_groups: 1,
      periods: [
        { start: "2026-04-01T11:00:00Z", entries: 2, failed: 1 },
        { start: "2026-04-01T12:00:00Z", entries: 1, failed: 1 },
      ],
    });
    expect((await logs.count("webhooks", { where: { status: { eq: 0 } } })).total.entries).toBe(1);
  });

  it("of an unknown log, or with a wrong time, is not asked for", async () => {
    const { service, logs } = setUp();
    await expect(Reflect.apply(logs.count, logs, ["calls"])).rejects.toThrow('Unknown kind of log "calls".');
    await expect(logs.count("api", { since: "now" })).rejects.toBeInstanceOf(MediaUsageError);
    expect(service.calls).toEqual([]);
  });
});

const connection = {
  timestamp: "2026-04-01T09:30:15.123456789Z",
  channel_id: "a@b@demo",
  total_received_bytes: 700,
  total_sent_bytes: 300,
  created_timestamp: null,
  session_id: "SESSION-*-\\1",
  duration_min: "12",
};
const call = { timestamp: "2026-04-01T09:30:15Z", url: "https://m.example/x?a=1&from=bot-follow#end", status: 404 };

describe("a condition", () => {
  it.each<[where: object, entry: object, holds: boolean]>([
    [{}, call, true],
    [{ status: { eq: 404 } }, call, true],
    [{ status: { eq: [200, 404] } }, call, true],
    [{ status: { eq: "404" } }, call, false],
    [{ status: { gt: 404 } }, call, false],
    [{ status: { gte: 404, lt: 405 } }, call, true],
    [{ status: { lte: 403 } }, call, false],
    [{ status: { any: [{ eq: 1 }, { gt: 400 }] } }, call, true],
    [{ status: { all: [{ gt: 400 }, { lt: 404 }] } }, call, false],
    [{ status: { not: { eq: 404 } } }, call, false],
    [{ status: { gt: 0, not: { eq: 500 } } }, call, true],
    [{ status: undefined }, call, true],
    [{ status: { gte: undefined } }, call, true],
    [{ failed: true }, call, true],
    [{ failed: false }, call, false],
    [{ failed: true }, { status: 0 }, true],
    [{ failed: true }, { status: 399 }, false],
    [{ failed: false }, { status: 399 }, true],
    [{ failed: false }, { status: "0" }, false],
    [{ failed: true }, {}, false],
    [{ count: { eq: 1 } }, call, false],
    [{ count: { not: { eq: 1 } } }, call, true],
    [{ count: { not: { not: { eq: 1 } } } }, call, false],
    [{ url: { contains: "M.EXAMPLE" } }, call, true],
    [{ url: { contains: ["nowhere", "https"] } }, call, true],
    [{ url: { eq: "HTTPS" } }, call, false],
    [{ url: { starts_with: "HTTPS" } }, call, false],
    [{ url: { starts_with: ["ftp:", "https:"] } }, call, true],
    [{ url: { like: "https://*.example/*" } }, call, true],
    [{ url: { like: "HTTPS*" } }, call, false],
    [{ from: { eq: "bot-follow" } }, call, true],
    [{ from: { like: "*" } }, { url: "https://m.example/x" }, false],
    [{ from: { not: { like: "*" } } }, { url: "https://m.example/from=x" }, true],
    [{ channel: { eq: "a@b" } }, connection, true],
    [{ channel: { eq: "lobby" } }, { channel_id: "lobby" }, true],
    [{ channel: { not: { eq: "lobby" } } }, {}, true],
    [{ total_bytes: { eq: 1000 } }, connection, true],
    [{ total_bytes: { gte: 0 } }, { total_sent_bytes: 1 }, false],
    [{ duration_min: { gt: 0 } }, connection, false],
    [{ created_timestamp: { gt: "2020-01-01T00:00:00Z" } }, connection, false],
    [{ created_timestamp: { not: { gt: "2020-01-01T00:00:00Z" } } }, connection, true],
    [{ timestamp: { gt: "2026-04-01T09:30:15.123456788Z" } }, connection, true],
    [{ timestamp: { gte: "2026-04-01T18:30:15.1234567890+09:00" } }, connection, true],
    [{ timestamp: { lt: "2026-04-01T09:30:15.12345679Z" } }, connection, true],
    [{ timestamp: { lte: "2026-04-01T09:30:15.123Z" } }, connection, false],
    [{ session_id: { like: "SESSION-\\*-\\\\*" } }, connection, true],
    [{ session_id: { like: "SESSION-\\*" } }, connection, false],
    [{ status: { gte: 400 }, url: { contains: "elsewhere" } }, call, false],
  ])("%j on %j: %s", (where, entry, holds) => expect(matches(where, entry)).toBe(holds));

  it("of a test that does not exist is refused, for it would seem to hold", () => {
    expect(() => matches({ status: { gtee: 400 } }, call)).toThrow('Unknown test "gtee" in where.');
    expect(() => matches({ status: { toString: 400 } }, call)).toThrow('Unknown test "toString" in where.');
  });

  it("holds for a pattern exactly if the regular expression does", () => {
    const letter = fc.constantFrom("a", "b", "*", "\\", "\n");
    const few = fc.string({ unit: letter, maxLength: 8 });
    fc.assert(
      fc.property(few, few, (text, pattern) => {
        const source = pattern.replace(/\\[\\*]|./gs, (token) =>
          token === "*" ? "[^]*" : `\\u{${token.at(-1)?.codePointAt(0)?.toString(16)}}`,
        );
        expect(matches({ url: { like: pattern } }, { url: text })).toBe(new RegExp(`^${source}$`, "u").test(text));
      }),
      { numRuns: 2000 },
    );
  });

  it("of a pattern of many stars takes no longer than the text", () => {
    const where = { url: { like: `${"*a".repeat(1000)}*b` } };
    expect(matches(where, { url: "a".repeat(20_000) })).toBe(false);
  });

  it("agrees with its plain reading, for any combination of tests of numbers and times", () => {
    const instants = [
      "09:30:15Z",
      "18:30:15+09:00",
      "09:30:15.0Z",
      "09:30:15.000001Z",
      "09:30:15.0000010001Z",
      "09:30:16Z",
    ];
    const moment = fc.constantFrom(...instants).map((time) => `2026-04-01T${time}`);
    const value = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constant(undefined), fc.constant(null), fc.constant("1"));
    const testOf = (operand: fc.Arbitrary<string | number>, depth = 2): fc.Arbitrary<object> => {
      const ordered = { gt: operand, gte: operand, lt: operand, lte: operand };
      if (depth === 0) return fc.record(ordered, { requiredKeys: [] });
      const inner = testOf(operand, depth - 1);
      const some = fc.array(inner, { minLength: 1, maxLength: 2 });
      return fc.record({ ...ordered, any: some, all: some, not: inner }, { requiredKeys: [] });
    };
    // Times as fractions of a second since 1970, in digits.
    const exact = (time: string): bigint => {
      const [, fraction = ""] = /\.(\d+)/.exec(time) ?? [];
      return BigInt(Date.parse(time.replace(/\.\d+/, ""))) * 10n ** 9n + BigInt(fraction.padEnd(12, "0"));
    };
    const plain = (
      test: Record<string, never>,
      actual: unknown,
      read: (operand: never) => number | bigint,
    ): boolean => {
      const known = actual === undefined ? undefined : (actual as number);
      for (const [name, operand] of Object.entries(test)) {
        if (name === "not") {
          if (plain(operand, actual, read)) return false;
        } else if (name === "any" || name === "all") {
          const results = (operand as never[]).map((one) => plain(one, actual, read));
          if (!(name === "any" ? results.includes(true) : !results.includes(false))) return false;
        } else {
          if (known === undefined) return false;
          const other = read(operand);
          const order = known < other ? -1 : known > other ? 1 : 0;
          const holds = { gt: order > 0, gte: order >= 0, lt: order < 0, lte: order <= 0 }[name];
          if (!holds) return false;
        }
      }
      return true;
    };
    fc.assert(
      fc.property(testOf(fc.integer({ min: 0, max: 3 })), value, (test, status) => {
        const known = typeof status === "number" ? status : undefined;
        expect(matches({ status: test }, { status })).toBe(plain({ ...test }, known, (operand: number) => operand));
      }),
    );
    fc.assert(
      fc.property(testOf(moment), moment, (test, timestamp) => {
        expect(matches({ timestamp: test }, { timestamp })).toBe(plain({ ...test }, exact(timestamp), exact));
      }),
    );
  });
});

describe("the sorting text of a time", () => {
  it.each([
    ["2026-04-01T09:30:15.500Z", "2026-04-01T09:30:15.5"],
    ["2026-04-01T18:30:15.000+09:00", "2026-04-01T09:30:15"],
    ["2026-04-01t09:30:15.0100z", "2026-04-01T09:30:15.01"],
    [new Date(0), "1970-01-01T00:00:00"],
    [new Date(Number.NaN), undefined],
    ["yesterday", undefined],
    [null, undefined],
    [5, undefined],
  ])("of %s is %s", (time, key) => expect(timeKey(time)).toBe(key));
});
