import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { ApiLogEntry, ConnectionLogEntry, MediaApiLogEntry, SessionLogEntry } from "@media-ops/contract";
import type { MediaSums } from "@media-ops/fake-media";
import { databaseUrl } from "@media-ops/testing";
import { freePort } from "@media-ops/testing/servers";
import { expect, it, onTestFinished } from "vitest";
import type { OperationId } from "../http/operations.js";
import { createIntakeKey } from "../keys/intake-keys.js";
import { mediaApiPath } from "../media-api/routes.js";
import { listings, pathOf } from "../test/harness.js";
import { idsOf, type Receiver, startIntake, startReceiver } from "../test/receiver.js";

// The installed command.
const fakeMedia = fileURLToPath(new URL("main.js", import.meta.resolve("@media-ops/fake-media")));
// Few enough that the listings show them all, including their webhooks.
const traffic = ["--for", "2s", "--rate", "60", "--channels", "8", "--twice", "0.3", "--out-of-order", "0.2"];
const busiestChannel = "lobby-1@demo";
const target = "Media_20151104.DisconnectChannel";

it("events that the fake media server repeats and reorders are logged once each, and reach the project's own addresses", async () => {
  const receivers = {
    auth: await startReceiver(() => ({ body: '{"allowed":true}' })),
    session: await startReceiver(() => ({ body: "{}" })),
    event: await startReceiver(),
  };
  const apiPort = await freePort();
  const upstreamUrl = `http://127.0.0.1:${apiPort}`;
  const { service, call, seats, tries, deliveries, intakeKey } = await startDemo(upstreamUrl, receivers);

  const to = ["--intake", service.internalUrl, "--key", intakeKey, "--api-port", String(apiPort), "--json"];
  const ended = runFakeMedia(...to, ...traffic);
  await expect.poll(async () => (await seats({ connected: 1, channel_id: busiestChannel })).length).toBeGreaterThan(5);
  const disconnected = await call(mediaApiPath, {
    headers: { "x-media-target": target },
    body: { channel_id: busiestChannel },
  });
  expect(disconnected).toMatchObject({ status: 200, body: {} });

  const { code, out, err } = await ended;
  expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining(`MEDIA_UPSTREAM_URL=${upstreamUrl}\n`) });
  const sums: MediaSums & { lost: number } = JSON.parse(out);
  expect(sums).toMatchObject({ lost: 0, refused: {} });
  expect(sums.connections).toBe(sums.attempts);
  expect(await seats()).toEqual([]);
  await expect.poll(async () => (await deliveries()).filter(({ state }) => state !== "delivered")).toEqual([]);

  const listed = async <Entry>(id: OperationId): Promise<Entry[]> => {
    const { status, body } = await call(pathOf[id]);
    expect(status).toBe(200);
    return body as Entry[];
  };
  const sessions = await listed<SessionLogEntry>("listSessionLogs");
  const connections = await listed<ConnectionLogEntry>("listConnectionLogs");
  expect({
    sessions: new Set(sessions.map(({ session_id }) => session_id)).size,
    sessionEntries: sessions.length,
    connections: new Set(connections.map(({ connection_id }) => connection_id)).size,
    connectionEntries: connections.length,
    receivedBytes: connections.reduce((sum, { total_received_bytes }) => sum + total_received_bytes, 0),
    sentBytes: connections.reduce((sum, { total_sent_bytes }) => sum + total_sent_bytes, 0),
  }).toEqual({
    sessions: sums.sessions,
    sessionEntries: sums.sessions,
    connections: sums.connections,
    connectionEntries: sums.connections,
    receivedBytes: sums.receivedBytes,
    sentBytes: sums.sentBytes,
  });
  const passedOn = await listed<MediaApiLogEntry>("listMediaApiLogs");
  expect(passedOn).toMatchObject([{ media_target: target, channel_id: busiestChannel, status: 200 }]);
  const called = await listed<ApiLogEntry>("listApiLogs");
  expect(called.map(({ url }) => new URL(url).pathname)).toContain(pathOf.listSessionLogs);

  const got = Object.values(receivers).flatMap(({ url, received }) =>
    received.map(({ body }) => `${body.type ?? "auth.requested"} 200 ${url}`),
  );
  await expect
    .poll(async () => countsOf((await tries()).map(({ type, status, url }) => `${type} ${status} ${url}`)))
    .toEqual(countsOf(got));
  for (const [id, path] of listings) expect((await call(path)).body, id).not.toEqual([]);
  expect(receivers.auth.received).toHaveLength(sums.attempts);
  for (const kind of ["session", "event"] as const) {
    const told = Object.entries(sums.events).filter(([type]) => type.startsWith("session.") === (kind === "session"));
    expect(new Set(idsOf(receivers[kind])).size).toBe(told.reduce((sum, [, { sent }]) => sum + sent, 0));
  }

  const differentEvents = Object.values(sums.events).reduce((sum, { sent }) => sum + sent, 0);
  expect(sums.requests).toBeGreaterThan(differentEvents);
  expect(hasOvertakes(receivers.event)).toBe(true);
});

/** A service with a database on disk, whose project "demo" admits every client and has all three addresses. */
async function startDemo(upstreamUrl: string, receivers: Readonly<Record<"auth" | "session" | "event", Receiver>>) {
  const intake = await startIntake({
    env: { MEDIA_DATABASE_URL: await databaseUrl(), MEDIA_UPSTREAM_URL: upstreamUrl },
  });
  const { query } = intake.service.storage;
  await intake.setAddress("auth", receivers.auth.url);
  await intake.setAddress("session", receivers.session.url);
  await intake.setAddress("event", receivers.event.url);
  await intake.allowAnonymous();
  const { text: intakeKey } = await createIntakeKey(query, "fake media server", Date.now());
  const seats = (like: { connected?: number; channel_id?: string } = {}) =>
    query
      .selectFrom("seat")
      .select("connection_id")
      .where((row) => row.and(like))
      .execute();
  return { ...intake, intakeKey, seats };
}

/** Runs the command to its end. */
async function runFakeMedia(...args: string[]): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(process.execPath, [fakeMedia, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code, out, err };
}

/** How often each text occurs. */
function countsOf(texts: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const one of texts) counts[one] = (counts[one] ?? 0) + 1;
  return counts;
}

/** Whether any connection's first event arrived before its `connection.created`. */
function hasOvertakes({ received }: Receiver): boolean {
  const known = new Set<unknown>();
  return received.some(({ body: { connection_id, type } }) => {
    const isFirst = !known.has(connection_id);
    known.add(connection_id);
    return isFirst && type !== "connection.created";
  });
}
