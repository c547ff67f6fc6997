import { databaseUrl } from "@media-ops/testing";
import { Webhook } from "standardwebhooks";
import { afterAll, describe, expect, it } from "vitest";
import { keptIn } from "../test/kept-in.js";
import { eventOf, idsOf, type Received, startIntake, startReceiver } from "../test/receiver.js";
import { rotateSecret } from "../webhooks/webhooks.js";

const shared = await startIntake({ atEnd: afterAll });

/** @throws if a receiver with this secret would not accept the webhook. */
const verify = (secret = "", webhook?: Received): unknown =>
  new Webhook(secret).verify(webhook?.bytes ?? "", webhook?.headers as Record<string, string>);

describe("an event", () => {
  it("is delivered to the project's event address once, byte for byte, and signed", async () => {
    const receiver = await startReceiver();
    const { setAddress, send, deliveries } = shared;
    const secret = await setAddress("event", receiver.url, "exact");
    const text =
      '{ "type":"recording.started",\n"id":"e1", "channel_id":"ü@exact", "more":[1.50, "\\u00fc\\ud83d", 1e400] }';
    expect(await send("event", text)).toMatchObject({ status: 200 });
    await expect.poll(() => deliveries("exact")).toMatchObject([{ event_id: "e1", state: "delivered", tries: 1 }]);
    expect(receiver.received.map(({ id, bytes }) => [id, bytes.toString()])).toEqual([["e1", text]]);
    const [webhook] = receiver.received;
    verify(secret, webhook);
    expect(webhook?.headers).toMatchObject({ "content-type": "application/json" });
  });

  it("that the media server repeats is not delivered again", async () => {
    const receiver = await startReceiver();
    const { setAddress, deliveries, tries } = shared;
    const send = (id: string) => shared.send("event", eventOf(id, { project: "repeated" }));
    await setAddress("event", receiver.url, "repeated");
    await Promise.all([send("e1"), send("e1")]);
    await expect.poll(() => deliveries("repeated")).toMatchObject([{ event_id: "e1", state: "delivered" }]);
    await send("e1");
    await send("e2");
    await expect.poll(() => deliveries("repeated")).toMatchObject([{ state: "delivered" }, { state: "delivered" }]);
    expect(idsOf(receiver)).toEqual(["e1", "e2"]);
    expect(await tries("repeated")).toHaveLength(2);
  });

  it("of a project without an event address is not kept", async () => {
    const receiver = await startReceiver();
    const { setAddress, send, deliveries } = shared;
    await setAddress("event", receiver.url, "other");
    await send("event", eventOf("e1"));
    await send("event", eventOf("e2", { project: "other" }));
    await expect.poll(() => idsOf(receiver)).toEqual(["e2"]);
    expect(await deliveries()).toEqual([]);
  });

  it("has each try in the webhook log, under its original type", async () => {
    const receiver = await startReceiver(({ id }) => ({ status: id === "e2" ? 404 : 202 }));
    const { setAddress, send, tries } = shared;
    await setAddress("event", receiver.url, "typed");
    const types = ["connection.failed", "archive.available.soon", "ping", ".hidden", "ends.", "x".repeat(255)];
    for (const [at, type] of types.entries()) await send("event", eventOf(`e${at + 1}`, { type, project: "typed" }));
    await expect.poll(() => tries("typed")).toHaveLength(6);
    const seen = await tries("typed");
    expect(seen.map(({ type, status }) => [type, status])).toEqual([
      ["connection.failed", 202],
      ["archive.available.soon", 404],
      ["event.ping", 202],
      ["event.hidden", 202],
      ["event.ends.", 202],
      [`event.${"x".repeat(249)}`, 202],
    ]);
    for (const { url, elapsed_time_ms, timestamp } of seen) {
      expect(url).toBe(receiver.url);
      expect(elapsed_time_ms).toBeLessThan(10_000);
      expect(Math.abs(Date.parse(timestamp) - Date.now())).toBeLessThan(60_000);
    }
  });
});

it("delivers the events of one connection in order, and those of several in parallel", async () => {
  const CONNECTIONS = 40;
  const arrived = new Map<string, string[]>();
  const underWay = new Set<string>();
  let overlaps = 0;
  let mostAtOnce = 0;
  const receiver = await startReceiver(async ({ id, body }) => {
    const connection = String(body.connection_id);
    if (underWay.has(connection)) overlaps += 1;
    underWay.add(connection);
    mostAtOnce = Math.max(mostAtOnce, underWay.size);
    arrived.set(connection, [...(arrived.get(connection) ?? []), id]);
    // With different delays, events overtake each other unless they are serialized.
    await new Promise((done) => setTimeout(done, (Number(connection.slice(1)) * 7) % 10));
    underWay.delete(connection);
    return {};
  });
  const { setAddress, send } = await startIntake({
    env: { MEDIA_DATABASE_URL: await databaseUrl() },
  });
  await setAddress("event", receiver.url);
  const connections = Array.from({ length: CONNECTIONS }, (_, at) => `c${at}`);
  const idsOfOne = (connection: string): string[] => [1, 2, 3, 4, 5].map((nth) => `${connection}-${nth}`);
  await Promise.all(
    connections.map(async (connection) => {
      for (const id of idsOfOne(connection)) await send("event", eventOf(id, { connection }));
    }),
  );
  await expect.poll(() => receiver.received.length).toBe(CONNECTIONS * 5);
  expect(overlaps).toBe(0);
  expect(mostAtOnce).toBeGreaterThan(5);
  for (const connection of connections) expect(arrived.get(connection)).toEqual(idsOfOne(connection));
});

it("sends nothing to a private address unless that is allowed, and logs why", async () => {
  const receiver = await startReceiver();
  const { setAddress, allowAnonymous, send, deliveries, tries } = await startIntake({
    env: { MEDIA_ALLOW_PRIVATE_WEBHOOKS: "false" },
  });
  await allowAnonymous();
  await setAddress("event", receiver.url);
  await setAddress("auth", receiver.url.replace("127.0.0.1", "localhost"));
  await send("event", eventOf("e1"));
  await expect.poll(() => tries()).toMatchObject([{ type: "recording.started", status: 0 }]);
  expect(await deliveries()).toMatchObject([{ state: "waiting", last_fault: expect.stringContaining("private") }]);
  const asked = { role: "sendrecv", channel_id: "lobby@demo", connection_id: "c1" };
  expect((await send("auth", asked)).body).toMatchObject({ allowed: false, reason: expect.stringContaining("answer") });
  await expect.poll(() => tries()).toMatchObject([{}, { type: "auth.requested", status: 0 }]);
  expect(receiver.received).toEqual([]);
});

it("signs with a new secret at once, and with the old one too; puts none into the log or, unencrypted, into the database", async () => {
  const receiver = await startReceiver(() => ({ status: 500, body: "no" }));
  const url = await databaseUrl();
  const { service, vault, clock, logged, setAddress, send, tries, noticeChanges } = await startIntake({
    env: { MEDIA_DATABASE_URL: url },
  });
  const secrets = [await setAddress("event", receiver.url), await setAddress("session", receiver.url)];
  const which = { projectId: "demo", kind: "event", now: clock.now() } as const;
  secrets.push((await rotateSecret(service.storage.query, vault, which))?.secret ?? "");
  await noticeChanges();
  await send("event", eventOf("e1"));
  await expect.poll(() => tries()).toHaveLength(1);
  for (const one of [secrets[0], secrets[2]]) verify(one, receiver.received[0]);
  await service.stop();
  const kept = await keptIn(url);
  expect(kept).toContain(receiver.url);
  for (const text of [kept, logged(), JSON.stringify(receiver.received)]) {
    expect(text).not.toContain("whsec_");
    for (const secret of secrets) {
      expect(secret).toMatch(/^whsec_/);
      expect(text).not.toContain(secret.slice(6));
    }
  }
});
