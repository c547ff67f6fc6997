import { randomUUID } from "node:crypto";
import { databaseUrl } from "@media-ops/testing";
import { apiKeyToTokenKey, signToken } from "@media-ops/tokens";
import { afterAll, expect, it, onTestFinished } from "vitest";
import { openStorage } from "../storage/open-storage.js";
import { pathOf, startTestService } from "../test/harness.js";
import { openRevocations, type RevocationSubject, revokeStatements, sweepRevocations } from "./revocations.js";

const DAY_MS = 24 * 60 * 60 * 1000;
const now = Date.parse("2026-04-01T09:30:15Z");

const shared = await startTestService({ atEnd: afterAll });

async function open() {
  const storage = await openStorage(await databaseUrl({ memory: true }));
  onTestFinished(() => storage.close());
  const revocations = await openRevocations(storage.query, () => {});
  onTestFinished(() => revocations.close());
  const revoke = (subject: RevocationSubject, until: number | null, projectId = "demo"): Promise<unknown> =>
    storage.writeAll(revokeStatements(storage.query, projectId, subject, { now, until, requestedBy: "ben" }));
  return { storage, revocations, revoke };
}

it("a token is found by its id, its channel and the channel that is entered, in its project alone", async () => {
  const { revocations, revoke } = await open();
  await revoke({ jwtId: "a" }, null);
  await revoke({ channelId: "lobby@demo", issuedBefore: now }, null);
  const find = async (claims: object, channelId?: string, projectId = "demo") =>
    (await revocations.among(projectId, [claims, { channel_id: channelId }])).find(claims, channelId);
  await expect.poll(() => find({ jti: "A", iat: now })).toMatchObject({ jwt_id: "a", revoked_by: "ben" });
  expect(await find({ jti: "b", channel_id: "lobby@demo", iat: 0 })).toMatchObject({ channel_id: "lobby@demo" });
  expect(await find({ jti: "b", iat: 0 }, "lobby@demo")).toBeDefined();
  expect(await find({ jti: "b", iat: now }, "lobby@demo")).toBeUndefined();
  expect(await find({ jti: "b", iat: 0 }, "stage@demo")).toBeUndefined();
  expect(await find({ jti: "a", iat: 0 }, "lobby@demo", "other")).toBeUndefined();
});

it("many tokens are looked up at once", async () => {
  const { revocations, revoke } = await open();
  const ids = Array.from({ length: 2500 }, () => randomUUID());
  for (const jwtId of ids) await revoke({ jwtId }, null);
  const all = ids.map((jti) => ({ jti }));
  await expect
    .poll(async () => {
      const list = await revocations.among("demo", all);
      return all.filter((claims) => list.find(claims)).length;
    })
    .toBe(2500);
});

it("a token that may be revoked is not let in if its revocation cannot be read", async () => {
  const { storage, revocations, revoke } = await open();
  await revoke({ jwtId: "a" }, null);
  await expect.poll(async () => (await revocations.among("demo", [{ jti: "a" }])).isEmpty).toBe(false);
  await storage.query.schema.alterTable("token_revocation").renameTo("gone").execute();
  await expect(revocations.among("demo", [{ jti: "a" }])).rejects.toThrow("token_revocation");
});

it("revocations of tokens that have ended are deleted, however many, and forgotten; those without an end stay", async () => {
  const { storage, revocations, revoke } = await open();
  const ended = Array.from({ length: 1100 }, (_, at) => `ended ${at}`);
  for (const jwtId of ended) await revoke({ jwtId }, now - 1);
  await revoke({ jwtId: "later" }, now + DAY_MS);
  await revoke({ jwtId: "endless" }, null);
  const known = async () => {
    const ids = ["ended 0", "later", "endless"];
    const list = await revocations.among(
      "demo",
      ids.map((jti) => ({ jti })),
    );
    return ids.filter((jti) => list.find({ jti }));
  };
  await expect.poll(known).toEqual(["ended 0", "later", "endless"]);
  // Its row is still there, so that it is the memory that forgets it. Memory knows minutes.
  revocations.forget(now + 60_000);
  expect(await known()).toEqual(["later", "endless"]);
  await sweepRevocations(storage.query, now, new AbortController().signal);
  const { query } = storage;
  const left = await query.selectFrom("token_revocation").select("jwt_id").orderBy("jwt_id").execute();
  expect(left.map(({ jwt_id }) => jwt_id)).toEqual(["endless", "later"]);
});

it("an id that the service has no record of is refused for a year", async () => {
  const { call, service } = await startTestService({ now: () => now });
  const jwt_id = randomUUID();
  expect(await call(pathOf.revokeAccessToken, { body: { jwt_id } })).toMatchObject({ status: 200 });
  const row = await service.storage.query.selectFrom("token_revocation").select("until").executeTakeFirst();
  expect(row).toEqual({ until: now + 366 * DAY_MS });
});

it("a revoked id is not minted again, in any case", async () => {
  const { call } = shared;
  const jwt_id = randomUUID();
  expect(await call(pathOf.createAccessToken, { body: { jwt_id } })).toMatchObject({ status: 200 });
  await call(pathOf.revokeAccessToken, { body: { jwt_id } });
  for (const again of [jwt_id, jwt_id.toUpperCase()]) {
    expect(await call(pathOf.createAccessToken, { body: { jwt_id: again } })).toMatchObject({
      status: 409,
      body: {
        type: "urn:media-ops:problem:conflict",
        detail: "This jwt_id was revoked. Choose another one, or leave it out for a new one.",
      },
    });
  }
  expect(await call(pathOf.createAccessToken, { body: { jwt_id: randomUUID() } })).toMatchObject({ status: 200 });
  expect(await call(pathOf.createAccessToken)).toMatchObject({ status: 200 });
});

it.each(["order-42", "Order 42/\u00c9\u{1f3a5}", "x".repeat(255)])(
  "a token that a program has signed with the id %j is revoked",
  async (jti) => {
    const { call, apiKey } = shared;
    const access_token = await signToken({ jti }, apiKeyToTokenKey(apiKey));
    const check = async () => (await call(pathOf.checkAccessToken, { body: { access_token } })).body;
    expect(await check()).toMatchObject({ active: true });
    expect(await call(pathOf.revokeAccessToken, { body: { jwt_id: jti.toUpperCase() } })).toMatchObject({
      status: 200,
    });
    expect(await check()).toMatchObject({ active: false, reason: "revoked" });
    expect(await call(pathOf.listAccessTokens, { body: { jwt_id: jti } })).toMatchObject({ status: 200 });
  },
);

it.each(["", "x".repeat(256), "a\0", "\ud800"])(
  "no token has the id %j, so that it cannot be revoked",
  async (jwt_id) => {
    expect(await shared.call(pathOf.revokeAccessToken, { body: { jwt_id } })).toMatchObject({ status: 400 });
  },
);
