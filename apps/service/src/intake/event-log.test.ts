import type { EventLogEntry } from "@media-ops/contract";
import { databaseUrl } from "@media-ops/testing";
import { apiKeyToTokenKey, signToken, type TokenClaims } from "@media-ops/tokens";
import { afterAll, describe, expect, it } from "vitest";
import { MAX_CHANNELS, MAX_CLIENTS, periodOf } from "../admission/refused-clients.js";
import { revokeApiKey } from "../keys/api-keys.js";
import { logKinds } from "../logs/log-store.js";
import { openStores } from "../stores.js";
import { pathOf, type TestService } from "../test/harness.js";
import { startTestIntake, type TestIntake } from "../test/intake-harness.js";
import {
  connectionCreated,
  connectionDestroyed,
  connectionFailed,
  connectionOf,
  connectionUpdated,
  mediaEvent,
  momentAt,
  present,
  sessionCreated,
  sessionDestroyed,
  sessionVanished,
} from "../test/media-events.js";

const MINUTE_MS = 60_000;
const withoutIds = ({ event_id, ...entry }: EventLogEntry): EventLogEntry => entry;

/** The events of a project, oldest first. */
async function eventsOf({ call }: Pick<TestService, "call">, more: object = {}): Promise<EventLogEntry[]> {
  const { status, body } = await call(pathOf.listEventLogs, { body: { order: "oldest", ...more } });
  expect(status).toBe(200);
  return body as EventLogEntry[];
}

/** The numbers of the entries in the event log, ascending. */
async function numbersOf({ service }: Pick<TestService, "service">): Promise<number[]> {
  const entries = service.storage.query.selectFrom("log_entry").where("kind", "=", logKinds.events.number);
  return (await entries.select("seq").orderBy("seq").execute()).map(({ seq }) => seq);
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1);

const shared = await startTestIntake({ atEnd: afterAll });
let projects = 0;

/** A new project of the shared service, with a lobby. */
async function newProject() {
  const project = `p${++projects}`;
  const [lobby, apiKey] = [`lobby@${project}`, await shared.createKey(project)];
  const call: typeof shared.call = (path, options = {}) => shared.call(path, { key: apiKey, ...options });
  const ask: typeof shared.ask = (attempt) => shared.ask({ channelId: lobby, ...attempt });
  return { ...shared, ...{ project, lobby, apiKey, call, ask } };
}

/** A service whose clock the test sets. */
async function startClocked() {
  let now = present;
  const test = await startTestIntake({ now: () => now });
  const { intake } = await openStores(test.service.storage, { owner: "test", now: () => now });
  return {
    ...test,
    /** Lets time pass, and writes what refused clients share, as the service does every few seconds. */
    async pass(ms: number): Promise<void> {
      now += ms;
      await intake.writeRefused(periodOf(now));
    },
  };
}

const sign = (apiKey: string, claims: TokenClaims = {}): Promise<string> => signToken(claims, apiKeyToTokenKey(apiKey));

describe("the event log", () => {
  it("has the events of a connection and its session, without the reports of every minute", async () => {
    const test = await newProject();
    const connection = connectionOf({ channelId: test.lobby });
    const { sessionId: session_id, connectionId: connection_id } = connection;
    await test.tell(
      sessionCreated(connection),
      { ...connectionCreated(connection), client_id: "c1", bundle_id: "b1" },
      connectionUpdated(connection),
      { ...connectionDestroyed(connection), client_id: connection_id, bundle_id: connection_id },
      sessionDestroyed(connection),
    );
    const ofSession = { channel_id: test.lobby, session_id, node_name: "node-1", outcome: "ok" };
    const ofConnection = { ...ofSession, connection_id, role: "sendrecv" };
    const [begin, end] = [momentAt(1000), momentAt(601_000)];
    expect((await eventsOf(test)).map(withoutIds)).toEqual([
      { timestamp: begin, type: "session.created", ...ofSession },
      { timestamp: begin, type: "connection.created", ...ofConnection, client_id: "c1", bundle_id: "b1" },
      { timestamp: end, type: "connection.destroyed", ...ofConnection, elapsed_time_ms: 600_000 },
      { timestamp: end, type: "session.destroyed", ...ofSession, elapsed_time_ms: 600_000 },
    ]);
  });

  it("has the reason of a connection that failed, in our word and the media server's", async () => {
    const test = await newProject();
    const connection = connectionOf({ channelId: test.lobby });
    await test.ask({ token: await sign(test.apiKey), connectionId: connection.connectionId, clientId: "c1" });
    // Without a channel: the seat tells whose it was.
    await test.tell({ ...connectionFailed(connection), data: { reason: "ICE-TIMEOUT" } });
    expect(await eventsOf(test)).toMatchObject([
      {
        type: "connection.failed",
        channel_id: test.lobby,
        client_id: "c1",
        role: "sendrecv",
        node_name: "node-1",
        outcome: "failed",
        reason: "ice-timeout",
        media_reason: "ICE-TIMEOUT",
      },
    ]);
    const failed = `media_troubled_clients_total{project="${test.project}",outcome="failed",reason="ice-timeout"}`;
    expect(await test.metric(failed)).toBe(1);
  });

  it("has a failed connection also without a reason, and one that broke later", async () => {
    const test = await newProject();
    const [first, second] = [connectionOf({ channelId: test.lobby }), connectionOf({ channelId: test.lobby })];
    const destroyed = connectionDestroyed(second);
    await test.tell({ ...connectionFailed(first), channel_id: test.lobby }, connectionCreated(second), {
      ...destroyed,
      data: { ...Object(destroyed.data), reason: "DTLS-ERROR" },
    });
    const [failed, , broken] = await eventsOf(test);
    expect(failed).toMatchObject({ type: "connection.failed", outcome: "failed" });
    expect(failed).not.toHaveProperty("reason");
    expect(broken).toMatchObject({ type: "connection.destroyed", outcome: "failed", reason: "dtls-failed" });
  });

  it("has an event of an unknown kind", async () => {
    const test = await newProject();
    await test.tell(mediaEvent("recording.started", { channel_id: test.lobby, data: { split_duration: 3600 } }));
    expect(await eventsOf(test)).toMatchObject([{ type: "recording.started", channel_id: test.lobby, outcome: "ok" }]);
  });

  it("has each session and connection of a node that died, once", async () => {
    const test = await startTestIntake();
    const stage = connectionOf({ channelId: "stage@demo" });
    const others = [1, 2].map(() => connectionOf({ sessionId: stage.sessionId, channelId: "stage@demo" }));
    const lobby = connectionOf();
    const elsewhere = connectionOf({ nodeName: "node-2" });
    await test.tell(...[stage, ...others, lobby, elsewhere].map(connectionCreated));
    const vanished = sessionVanished("node-1", momentAt(700_000));
    await test.tell(vanished, vanished);
    const gone = (await eventsOf(test)).filter(({ reason }) => reason === "node-gone");
    expect(gone.map(({ type, channel_id }) => `${type} ${channel_id}`).sort()).toEqual([
      "connection.vanished lobby@demo",
      "connection.vanished stage@demo",
      "connection.vanished stage@demo",
      "connection.vanished stage@demo",
      "session.vanished lobby@demo",
      "session.vanished stage@demo",
    ]);
    expect(gone).toContainEqual({
      timestamp: momentAt(700_000),
      type: "connection.vanished",
      channel_id: "lobby@demo",
      session_id: lobby.sessionId,
      connection_id: lobby.connectionId,
      role: "sendrecv",
      node_name: "node-1",
      outcome: "failed",
      reason: "node-gone",
      event_id: vanished.id,
    });
    expect(await test.seats()).toEqual([elsewhere.connectionId]);
    // The next entry has a number of its own.
    await test.tell(connectionDestroyed(elsewhere));
    expect(await numbersOf(test)).toEqual(upTo(12));
  });
});

/** The only event of a client that was refused; the media server gets a reason, too. */
async function refused(
  test: Pick<TestIntake, "ask" | "call">,
  attempt: Parameters<TestIntake["ask"]>[0],
): Promise<EventLogEntry> {
  expect(await test.ask(attempt)).toMatchObject({ allowed: false, reason: expect.stringMatching(/[.?]$/) });
  const [entry, ...more] = await eventsOf(test);
  expect(more).toEqual([]);
  expect(entry).toMatchObject({ type: "admission.refused", outcome: "refused" });
  return entry ?? expect.fail();
}

describe("a refused client", () => {
  const jti = "5f0c8a52-3f5e-4f0b-9d9a-3a4b8f7f2c11";
  const seconds = present / 1000;

  it.each([
    ["expired", { jti, exp: seconds - 90 }, { reason: "expired", detail: "at 2026-04-01T11:58:30Z" }],
    ["not yet valid", { jti, nbf: seconds + 60 }, { reason: "not-yet-valid", detail: "from 2026-04-01T12:01:00Z" }],
    ["for another channel", { jti, channel_id: "stage@demo" }, { reason: "wrong-channel", detail: "stage@demo" }],
    ["for another role", { jti, role: "recvonly" }, { reason: "wrong-role", detail: "recvonly" }],
    ["for no connection", { jti, max_channel_connections: 0 }, { reason: "limit-0" }],
  ] as const)("is recorded with a token that is %s, by the token's id and its key's", async (_, claims, facts) => {
    const test = await newProject();
    const token = await sign(test.apiKey, claims);
    const [, key_id] = test.apiKey.split("_");
    expect(await refused(test, { token, clientId: "c1", connectionId: "K1" })).toEqual({
      timestamp: momentAt(0),
      type: "admission.refused",
      channel_id: test.lobby,
      connection_id: "K1",
      client_id: "c1",
      role: "sendrecv",
      node_name: "node-1",
      outcome: "refused",
      ...facts,
      jwt_id: jti,
      key_id,
    });
    const text = await (await fetch(`${test.service.internalUrl}/metrics`)).text();
    expect(text).toContain(
      `media_troubled_clients_total{project="${test.project}",outcome="refused",reason="${facts.reason}"} 1`,
    );
  });

  it("is recorded without a token, with a malformed one, a forged one, and one of an unknown key", async () => {
    for (const [reason, tokenOf] of [
      ["no-token", async () => undefined],
      ["malformed", async () => "no JWT"],
      ["malformed", async () => 5],
      ["bad-signature", async ({ apiKey }: { apiKey: string }) => `${(await sign(apiKey)).slice(0, -8)}AAAAAAAA`],
      ["unknown-key", async () => sign(await shared.createKey("other"))],
    ] as const) {
      const test = await newProject();
      expect(await refused(test, { token: await tokenOf(test) })).toMatchObject({ reason });
    }
  });

  it("is recorded with the token of a revoked key", async () => {
    const test = await newProject();
    const revoked = await test.createKey(test.project);
    const token = await sign(revoked);
    const [, keyId = ""] = revoked.split("_");
    await revokeApiKey(test.service.storage.query, keyId, present);
    await expect.poll(async () => (await test.ask({ token })).allowed).toBe(false);
    expect((await eventsOf(test)).at(-1)).toMatchObject({ reason: "revoked-key", key_id: keyId });
  });

  it("is recorded with how many connections a full channel has", async () => {
    const test = await newProject();
    const token = await sign(test.apiKey, { max_channel_connections: 5 });
    expect(await refused(test, { token, reported: 5 })).toMatchObject({ reason: "channel-full", detail: "5 of 5" });
  });

  it("of an unknown project is recorded where its token comes from, and nowhere with a token that is not good", async () => {
    const test = await newProject();
    const attempt = { channelId: "lobby@dem" };
    expect(await test.ask({ ...attempt, token: "no JWT" })).toMatchObject({ allowed: false });
    const entry = await refused(test, { ...attempt, token: await sign(test.apiKey) });
    expect(entry).toMatchObject({ reason: "unknown-project", channel_id: "lobby@dem" });
  });
});

describe("refused clients", () => {
  const countOf = (entries: readonly EventLogEntry[]): number => entries.reduce((sum, { count = 1 }) => sum + count, 0);

  it("share an entry with their count, except the first of a minute; other clients and reasons have their own", async () => {
    const test = await startClocked();
    const expired = await sign(test.apiKey, { exp: present / 1000 - 1 });
    const retry = (clientId: string, token?: string, at?: string) => test.ask({ clientId, token, at });
    for (let n = 0; n < 10; n++) await retry("c1", expired, momentAt(n));
    await Promise.all(Array.from({ length: 40 }, (_, n) => retry("c1", expired, momentAt(100 + n))));
    await retry("c1");
    await retry("c2", expired);
    const counts = async () =>
      (await eventsOf(test)).map(({ client_id, reason, count = 1 }) => `${client_id} ${reason} ${count}`).sort();
    expect(await counts()).toEqual(["c1 expired 1", "c1 no-token 1", "c2 expired 1"]);

    await test.pass(MINUTE_MS);
    await retry("c1", expired);
    // The period is not over.
    await retry("c1", expired);
    await test.pass(0);
    expect(await counts()).toEqual(["c1 expired 1", "c1 expired 1", "c1 expired 49", "c1 no-token 1", "c2 expired 1"]);
    await test.pass(MINUTE_MS);
    expect(await counts()).toContain("c1 expired 1");
    expect((await counts()).length).toBe(6);
    expect(await numbersOf(test)).toEqual(upTo(6));
  });

  it("are not lost when the service stops", async () => {
    const env = { MEDIA_DATABASE_URL: await databaseUrl() };
    const test = await startTestIntake({ env });
    for (let n = 0; n < 5; n++) await test.ask({ clientId: "c1" });
    await test.service.stop();
    const again = await startTestIntake({ env, now: () => present + MINUTE_MS });
    const countsAgain = async () => (await eventsOf(again)).map(({ count = 1 }) => count).sort();
    await expect.poll(countsAgain).toEqual([1, 4]);
  });

  it.each([
    ["of one client", 17, () => ({ clientId: "c1" })],
    ["of ever new clients in one channel", 100, (n: number) => ({ clientId: `c${n}` })],
    ["of ever new clients in ever new channels", 100, (n: number) => ({ clientId: `c${n}`, channelId: `${n}@demo` })],
  ])("%s take less than %i entries a minute, and each is counted", async (_, most, attemptOf) => {
    const test = await startClocked();
    for (let n = 0; n < 600; await test.pass(1000)) {
      await Promise.all(Array.from({ length: 10 }, () => test.ask(attemptOf(n++))));
    }
    await test.pass(MINUTE_MS);
    const entries = await eventsOf(test);
    expect(countOf(entries)).toBe(600);
    expect(entries.length).toBeLessThan(most);
  });

  it("of more clients than a minute may name share an entry for each reason, in the first channels with the channel", async () => {
    const test = await startClocked();
    const refuse = (count: number, channelId: string) =>
      Promise.all(Array.from({ length: count }, (_, n) => test.ask({ clientId: `${channelId} ${n}`, channelId })));
    await refuse(MAX_CLIENTS + 50, "lobby@demo");
    for (let n = 0; n < MAX_CHANNELS + 2; n++) await refuse(7, `c${n}@demo`);
    await test.pass(MINUTE_MS);
    const unnamed = await eventsOf(test, { where: { client_id: { not: { like: "*" } } } });
    const shown = unnamed.map(({ channel_id, reason, count }) => `${channel_id} ${reason} ${count}`);
    expect(shown.sort()).toEqual(["c0@demo no-token 7", "lobby@demo no-token 50", "undefined no-token 21"]);
    expect(await numbersOf(test)).toHaveLength(MAX_CLIENTS + 3);
  });
});
