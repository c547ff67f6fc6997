import { randomUUID } from "node:crypto";
import type { RevokedTokens, TokenRevocations } from "@media-ops/contract";
import { afterAll, describe, expect, it } from "vitest";
import { pathOf, startTestService, type TestService } from "../test/harness.js";
import { sweepTokens } from "./issued-tokens.js";
import { callsOf, connect, idOf, startBoth } from "./test/acts.js";
import { TokenRecorder } from "./token-recorder.js";

const clock = { now: Date.now() };
const shared = await startTestService({ now: () => clock.now, atEnd: afterAll });
let projects = 0;

/** The calls that list, revoke and check tokens, with the key of a new project. */
async function start() {
  const projectId = `p${projects++}`;
  const key = await shared.createKey(projectId);
  const call: TestService["call"] = (path, options) => shared.call(path, { key, ...options });
  const mint: TestService["mint"] = (body, options) => shared.mint(body, { key, ...options });
  clock.now = Date.now();
  return { projectId, key, ...callsOf({ call, mint }), call };
}

describe("issued tokens", () => {
  it("are recorded for a day after they have ended, and those without an end for a year", async () => {
    const { service } = await startTestService();
    const { query } = service.storage;
    const now = Date.now();
    const day = 24 * 60 * 60_000;
    const tokens = {
      "ended long ago": { issued: 3 * day, ends: 2 * day },
      "ended today": { issued: 3 * day, ends: day / 2 },
      "issued today, as one that had ended": { issued: day / 2, ends: 5 * day },
      "still good": { issued: 3 * day, ends: -day },
      "without an end": { issued: 300 * day, ends: undefined },
      "without an end, of last year": { issued: 400 * day, ends: undefined },
    };
    const issued = new TokenRecorder({ query, write: (rows) => service.storage.writeAll(rows), onChange: expect.fail });
    const record = (jwt_id: string, { issued: issuedMs, ends }: { issued: number; ends: number | undefined }): void => {
      const token = { jwt_id, key_id: "k", issued_at: now - issuedMs };
      issued.record("demo", ends === undefined ? token : { ...token, ends_at: now - ends }, { isTimed: true });
    };
    for (const [jwtId, times] of Object.entries(tokens)) record(jwtId, times);
    for (let at = 0; at < 1200; at++) record(`old ${at}`, { issued: 3 * day + at * 1000, ends: 2 * day });
    await issued.flush();
    await sweepTokens(query, now, new AbortController().signal);
    const batches = await query.selectFrom("token_batch").select("tokens").execute();
    const left = batches.flatMap(({ tokens }) => JSON.parse(tokens) as { jwt_id: string }[]);
    expect(left.map(({ jwt_id }) => jwt_id).sort()).toEqual([
      ...["ended today", "issued today, as one that had ended", "still good", "without an end"],
    ]);
  });

  it("are listed with what they allow and who requested them, newest first, and never shown", async () => {
    const { projectId, key, mint, list } = await start();
    const channel_id = `lobby@${projectId}`;
    const expiration_time = new Date(Date.now() + 600_000).toISOString();
    const token = await mint(
      { channel_id, role: "recvonly", max_channel_connections: 5, expiration_time },
      "slack:T0/U0ANN",
    );
    clock.now += 1;
    const second = await mint();
    const { tokens } = await list();
    expect(tokens).toEqual([
      { jwt_id: idOf(second), key_id: expect.any(String), issued_at: expect.any(String), state: "active" },
      {
        jwt_id: idOf(token),
        key_id: key.split("_")[1],
        issued_at: expect.any(String),
        channel_id,
        role: "recvonly",
        max_channel_connections: 5,
        expiration_time: `${expiration_time.slice(0, 19)}.000Z`,
        requested_by: "slack:T0/U0ANN",
        state: "active",
      },
    ]);
    expect(JSON.stringify(tokens)).not.toContain(token.split(".")[2]);
    expect(await (await start()).list(), "another project's").toEqual({ tokens: [] });
    expect((await list({ channel_id })).tokens).toHaveLength(1);
    expect((await list({ requested_by: "slack:T0/U0ANN" })).tokens).toHaveLength(1);
    expect((await list({ jwt_id: idOf(second).toUpperCase() })).tokens).toHaveLength(1);
  });

  it("are left out once they have ended or are revoked, unless those are requested as well", async () => {
    const { mint, list, revoke } = await start();
    const ended = await mint({ expiration_time: new Date(clock.now + 10_000).toISOString() });
    const later = await mint({ not_before: new Date(clock.now + 60_000).toISOString() });
    const revoked = await mint();
    expect((await revoke({ jwt_id: idOf(revoked) })).status).toBe(200);
    clock.now += 11_000;
    expect((await list()).tokens.map(({ jwt_id, state }) => [jwt_id, state])).toEqual([[idOf(later), "not-yet-valid"]]);
    const all = (await list({ include_ended: true })).tokens;
    const states = { [idOf(revoked)]: "revoked", [idOf(later)]: "not-yet-valid", [idOf(ended)]: "expired" };
    expect(Object.fromEntries(all.map(({ jwt_id, state }) => [jwt_id, state]))).toEqual(states);
    expect(all.find(({ jwt_id }) => jwt_id === idOf(revoked))).toMatchObject({ revoked_by: "ben" });
  });

  it("are listed in order and each once, however many were issued in one second or by callers that choose ids", async () => {
    const { mint, list, listAll, call } = await start();
    clock.now = 1_800_000_000_000;
    const minted: string[] = [];
    // More batches than are read at once, of which many belong to one second.
    for (let at = 0; at < 60; at++) {
      clock.now += at % 2 === 0 || at > 20 ? 1 : 700;
      minted.push(
        idOf(await mint({ ...(at % 3 > 0 && { jwt_id: randomUUID() }), ...(at % 5 > 0 && { role: "recvonly" }) })),
      );
    }
    expect(await listAll(7)).toEqual([...minted].reverse());
    for (const jwt_id of minted) expect((await list({ jwt_id })).tokens).toMatchObject([{ jwt_id }]);
    expect((await list({ role: "recvonly" })).tokens).toHaveLength(48);
    expect((await list({ jwt_id: randomUUID() })).tokens).toEqual([]);
    expect(await call(pathOf.listAccessTokens, { body: { cursor: "none" } })).toMatchObject({ status: 400 });
  });

  it("that share an id, which a caller has chosen twice, are revoked together until the last of them ends", async () => {
    const { projectId, mint, list, revoke } = await start();
    const jwt_id = "018f0000-0000-7000-8000-0000000000aa";
    const [first, second] = [600_000, 900_000].map((ms) => new Date(Date.now() + ms).toISOString());
    for (const expiration_time of [second, first]) await mint({ jwt_id, expiration_time });
    expect((await list({ jwt_id })).tokens).toHaveLength(2);
    expect((await revoke({ jwt_id })).body).toMatchObject({ tokens: 2 });
    const rows = shared.service.storage.query.selectFrom("token_revocation").where("project_id", "=", projectId);
    const { until } = await rows.select("until").executeTakeFirstOrThrow();
    expect(until).toBe(Math.floor(Date.parse(second ?? "") / 1000) * 1000);
  });

  it("are recorded once, even if the answer of the database is lost, and the oldest are lost if it is away", async () => {
    const { service } = await startTestService();
    const { query } = service.storage;
    const faults: unknown[] = [];
    let isAway = true;
    const issued = new TokenRecorder({
      query,
      async write(statements) {
        await service.storage.writeAll(statements);
        if (isAway) throw new Error("lost");
      },
      onChange: (error) => faults.push(error),
    });
    // Batches of two seconds would be of other sizes.
    const issued_at = Date.now();
    const record = (jwt_id: string): void =>
      issued.record("demo", { jwt_id, key_id: "k", issued_at }, { isTimed: true });
    record("first");
    await issued.flush();
    record("second");
    await issued.flush();
    isAway = false;
    await issued.flush();
    expect(faults).toEqual([new Error("lost"), undefined]);
    const recorded = async () => {
      const rows = await query.selectFrom("token_batch").select("tokens").execute();
      return rows.flatMap(({ tokens }) => (JSON.parse(tokens) as { jwt_id: string }[]).map(({ jwt_id }) => jwt_id));
    };
    expect((await recorded()).sort()).toEqual(["first", "second"]);
    for (let at = 0; at < 52_000; at++) record(String(at));
    await issued.flush();
    const all = new Set(await recorded());
    expect([all.size, all.has("0"), all.has("51999")]).toEqual([50_002, false, true]);
  });
});

describe("a revoked token", () => {
  it("lets nobody in from the time in the answer on, and is in the event log and the audit log", async () => {
    const { mint, revoke, audit, media, call } = await startBoth();
    const token = await mint({ channel_id: "lobby@demo" });
    expect(await connect(media, token)).toMatchObject({ allowed: true });
    const { status, body } = await revoke({ jwt_id: idOf(token) });
    expect(status).toBe(200);
    const { effective_by, tokens } = body as RevokedTokens;
    expect(tokens).toBe(1);
    await expect.poll(() => Date.now()).toBeGreaterThan(Date.parse(effective_by));
    expect(await connect(media, token)).toMatchObject({ allowed: false, reason: expect.stringContaining("revoked") });
    expect(await connect(media, await mint())).toMatchObject({ allowed: true });
    await expect
      .poll(async () => (await call(pathOf.listEventLogs, { body: { where: { outcome: { eq: "refused" } } } })).body)
      .toMatchObject([{ reason: "revoked", jwt_id: idOf(token) }]);
    expect(await audit()).toMatchObject([
      {
        action: "token.revoke",
        outcome: "done",
        subject: idOf(token),
        requested_by: "ben",
        key_id: expect.any(String),
        address: "127.0.0.1",
      },
    ]);
  });

  it("may be one that the service has not issued, and revoking again changes nothing", async () => {
    const { revoke, call } = await start();
    const jwt_id = randomUUID();
    const first = (await revoke({ jwt_id })).body as RevokedTokens;
    expect(first).toMatchObject({ jwt_id, tokens: 0 });
    const again = (await revoke({ jwt_id: jwt_id.toUpperCase() })).body as RevokedTokens;
    expect(again.revoked_at).toBe(first.revoked_at);
    const { body } = await call(pathOf.listAccessTokenRevocations);
    expect((body as TokenRevocations).revocations).toEqual([
      { jwt_id, revoked_at: first.revoked_at, revoked_by: "ben" },
    ]);
  });

  it("is not revoked if its clients are to be disconnected and the service knows no media server", async () => {
    const { mint, revoke, list, audit } = await start();
    const token = await mint();
    expect(await revoke({ jwt_id: idOf(token), disconnect: true })).toMatchObject({ status: 503 });
    expect((await list()).tokens).toHaveLength(1);
    expect(await audit()).toMatchObject([{ outcome: "failed", action: "token.revoke" }]);
  });
});

it.each<[string, { jwt_id?: string; channel_id?: string; issued_before?: string }, number, string?]>([
  ["nothing", {}, 400, ""],
  ["both", { jwt_id: randomUUID(), channel_id: "lobby@own" }, 400, ""],
  ["a time for one token", { jwt_id: randomUUID(), issued_before: "2026-04-01T09:30:15Z" }, 400, "/issued_before"],
  ["a time in the future", { channel_id: "lobby@own", issued_before: "2126-04-01T09:30:15Z" }, 400, "/issued_before"],
  ["another project's channel", { channel_id: "lobby@other" }, 403],
])("revoking with %s is refused, and recorded", async (_, given, status, pointer) => {
  const { projectId, revoke, audit } = await start();
  const body = JSON.parse(JSON.stringify(given).replace("@own", `@${projectId}`));
  const errors = pointer !== undefined && { errors: [{ pointer }] };
  expect(await revoke(body)).toMatchObject({ status, body: { ...errors } });
  const { jwt_id: subject = body.channel_id } = body;
  expect(await audit()).toMatchObject([
    { action: "token.revoke", outcome: "refused", ...(subject !== undefined && { subject }) },
  ]);
});

it("revoking on behalf of somebody whose name isn't ASCII is refused", async () => {
  const { revoke } = await start();
  expect(await revoke({ jwt_id: randomUUID() }, { "x-requested-by": "\u00e4nn" })).toMatchObject({ status: 400 });
});

describe("checking a token", () => {
  it("shows its claims, and what a client with it would be answered", async () => {
    const { mint, check, media } = await startBoth();
    const access_token = await mint({ channel_id: "lobby@demo", role: "sendrecv", max_channel_connections: 1 });
    const good = { active: true, token_type: "Bearer", jti: idOf(access_token), channel_id: "lobby@demo" };
    expect(await check({ access_token })).toMatchObject({
      ...good,
      admission: { allowed: true, channel_id: "lobby@demo", role: "sendrecv", channel_connections: 0 },
    });
    await connect(media, access_token);
    expect(await check({ access_token })).toMatchObject({
      ...good,
      admission: { allowed: false, reason: "channel-full", channel_connections: 1 },
    });
    expect(await check({ access_token, role: "recvonly" })).toMatchObject({ admission: { reason: "wrong-role" } });
    expect(await check({ access_token, channel_id: "stage@demo" })).toMatchObject({
      admission: { reason: "wrong-channel", message: "The token is for another channel." },
    });
    expect(await check({ access_token: await mint() })).not.toHaveProperty("admission");
  });

  it("says why a token is not good", async () => {
    const { mint, check, revoke } = await start();
    const ends = { expiration_time: new Date(clock.now + 5000).toISOString() };
    const revoked = await mint();
    await revoke({ jwt_id: idOf(revoked) });
    const bad: readonly [token: string, reason: string][] = [
      ["none", "malformed"],
      [await mint({}, undefined, await shared.createKey("other")), "unknown-key"],
      [await mint(ends), "expired"],
      [revoked, "revoked"],
      [`${(await mint()).slice(0, -4)}AAAA`, "bad-signature"],
    ];
    clock.now += 10_000;
    for (const [access_token, reason] of bad) {
      await expect.poll(async () => (await check({ access_token })).reason).toBe(reason);
      const message = expect.stringMatching(/^[A-Z].*[.?]$/);
      expect(await check({ access_token })).toMatchObject({ active: false, message });
    }
  });
});

it("a project that signs with EdDSA has to be named, so that no verifier trusts another project's keys", async () => {
  for (const query of ["", "?project_id=", "?project_id=a&project_id=b"]) {
    expect((await fetch(`${shared.service.url}/.well-known/jwks.json${query}`)).status).toBe(400);
  }
});
