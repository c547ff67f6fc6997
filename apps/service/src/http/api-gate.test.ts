import { describe, expect, it } from "vitest";
import { createApiKey } from "../keys/api-keys.js";
import { newCredential } from "../keys/credential.js";
import { pathOf, startTestService, type TestService } from "../test/harness.js";
import { exchange, expectAnswer, RawConnection, requestText } from "../test/raw-http.js";
import { RateLimiter } from "./api-gate.js";

const start = Date.parse("2026-04-01T09:30:15.250Z");

describe("a caller", () => {
  it("has its calls in the minute that begins with the first, and each says how many are left", () => {
    const limiter = new RateLimiter(2);
    const taken = [0, 10_000, 20_500, 59_001, 59_999, 60_000].map((ms) => limiter.take("a", start + ms));
    expect(taken).toEqual([
      { allowed: true, limit: 2, remaining: 1, resetSeconds: 60 },
      { allowed: true, limit: 2, remaining: 0, resetSeconds: 50 },
      { allowed: false, limit: 2, remaining: 0, resetSeconds: 40 },
      { allowed: false, limit: 2, remaining: 0, resetSeconds: 1 },
      { allowed: false, limit: 2, remaining: 0, resetSeconds: 1 },
      { allowed: true, limit: 2, remaining: 1, resetSeconds: 60 },
    ]);
  });

  it("never has to wait for longer than a minute, even if the clock is set back", () => {
    const limiter = new RateLimiter(1);
    limiter.take("a", start);
    const anHourAgo = start - 3_600_000;
    expect(limiter.take("a", anHourAgo)).toEqual({ allowed: true, limit: 1, remaining: 0, resetSeconds: 60 });
    expect(limiter.take("a", anHourAgo + 1).allowed).toBe(false);
    expect(limiter.take("a", anHourAgo + 60_000).allowed).toBe(true);
  });
});

it("a caller that has not called for a minute starts over, regardless of other callers", () => {
  const limiter = new RateLimiter(2);
  for (let i = 0; i < 1000; i++) limiter.take(`caller ${i}`, start + i);
  expect(limiter.take("caller 999", start + 60_998)).toMatchObject({ remaining: 0, resetSeconds: 1 });
  expect(limiter.take("caller 0", start + 60_998)).toMatchObject({ remaining: 1, resetSeconds: 60 });
});

const path = pathOf.createAccessToken;

/** A service whose callers without a good key have used up their calls. */
async function overLimit(options: { env?: Record<string, string>; now?: () => number } = {}): Promise<TestService> {
  const target = await startTestService({ ...options, limits: { wrongKeysPerMinute: 2, holdMs: 200 } });
  for (const key of [undefined, "demo"]) expect((await target.call(path, { key })).status).toBe(401);
  return target;
}

const callWith = (authorization: string): string =>
  requestText([
    `POST ${path} HTTP/1.1`,
    "Host: media.test",
    ...(authorization ? [`Authorization: ${authorization}`] : []),
  ]);

describe("an address with too many calls without a good key", () => {
  it.each([
    ["no key", ""],
    ["a malformed key", "Bearer demo"],
    ["an unknown key", `Bearer ${newCredential("mo").text}`],
  ])("gets its refusal delayed and its connection closed, if a call has %s", async (_, authorization) => {
    const { service, logged } = await overLimit();
    const since = performance.now();
    const [answer, ...more] = await exchange(service.url, callWith(authorization), { count: Number.POSITIVE_INFINITY });
    expect(performance.now() - since).toBeGreaterThan(190);
    expect(more).toEqual([]);
    if (!answer) throw new Error("Nothing was answered.");
    const { status, headers, body } = expectAnswer(path, answer);
    expect({ status, close: headers.get("connection") }).toEqual({ status: 429, close: "close" });
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(50);
    expect(body).toMatchObject({ detail: expect.stringMatching(/^The API key is missing, unknown or revoked, and/) });
    expect(logged().match(/too many calls without a good API key/g)).toHaveLength(1);
  });

  it("passes at once with a good key, on new and old connections, with any headers", async () => {
    const { call, logged } = await overLimit();
    for (const headers of [{}, { "content-encoding": "identity" }, { connection: "close" }]) {
      expect((await call(path, { body: {}, headers })).status).toBe(200);
    }
    // None of the calls was held.
    expect(logged()).not.toContain("too many calls");
  });

  it("passes with a key that another process created a moment ago", async () => {
    const { call, service, vault } = await startTestService({ limits: { wrongKeysPerMinute: 0 } });
    const { text } = await createApiKey(service.storage.query, vault, "demo", Date.now());
    expect((await call(path, { key: text })).status).toBe(200);
  });

  it("is answered with 401 again in the next minute", async () => {
    let now = Date.now();
    const { call } = await overLimit({ now: () => now });
    now += 60_000;
    expect((await call(path, { key: undefined })).status).toBe(401);
  });

  it("can't accumulate calls on one connection", async () => {
    const { service } = await overLimit();
    const connection = await RawConnection.open(service.url);
    connection.write(callWith("").repeat(3));
    await connection.closed;
    expect(await connection.answers(1)).toEqual([]);
  });

  it("gets the documentation again after a minute, and does not affect the internal listener", async () => {
    const { service } = await overLimit();
    expect((await fetch(`${service.internalUrl}/healthz`)).status).toBe(200);
    expect((await fetch(`${service.url}/docs`)).status).toBe(429);
  });
});
