import { afterAll, describe, expect, it } from "vitest";
import { pathOf } from "../test/harness.js";
import { eventOf, type ReceiverAnswer, startIntake, startReceiver } from "../test/receiver.js";
import type { WebhookKind } from "../webhooks/webhooks.js";

const json = (value: unknown): ReceiverAnswer => ({ body: JSON.stringify(value) });

const shared = await startIntake({ atEnd: afterAll });
let projects = 0;

/** A new project that admits clients without a token, and has one address. */
async function projectWith(kind: WebhookKind, answer: ReceiverAnswer) {
  const projectId = `p${++projects}`;
  const receiver = await startReceiver(() => answer);
  await shared.setAddress(kind, receiver.url, projectId);
  await shared.allowAnonymous(projectId);
  const key = await shared.createKey(projectId);
  const asking = (connection = "c1", more: object = {}) => ({
    ...{ role: "sendrecv", channel_id: `lobby@${projectId}`, connection_id: connection },
    ...more,
  });
  return {
    receiver,
    asking,
    ask: async (...of: Parameters<typeof asking>) => (await shared.send("auth", asking(...of))).body,
    async tell(event: object) {
      const { status, body } = await shared.send("session", { ...event, channel_id: `lobby@${projectId}` });
      return [status, body];
    },
    setAddress: () => shared.setAddress(kind, receiver.url, projectId),
    tries: () => shared.tries(projectId),
    call: async (path: string, body?: object) => (await shared.call(path, { key, body })).body,
  };
}

describe("a client that wants to connect", () => {
  it("is admitted if the project's auth address says so, with all that the address adds", async () => {
    const more = { client_id: "camera-2", event_metadata: { room: 7 }, simulcast: true, more: [null, "ü"] };
    const answer = { allowed: true, ...more };
    const { ask, asking, receiver, tries } = await projectWith("auth", json(answer));
    expect(await ask("c1", { metadata: { seat: 12 } })).toEqual(answer);
    expect(receiver.received.map(({ body }) => body)).toEqual([asking("c1", { metadata: { seat: 12 } })]);
    await expect.poll(tries).toMatchObject([{ type: "auth.requested", status: 200, url: receiver.url }]);
  });

  it("is refused with the address's own reason, and gets no seat", async () => {
    const { call, ask, receiver } = await projectWith("auth", json({ allowed: false, reason: "Not today." }));
    const minted = await call(pathOf.createAccessToken, { max_channel_connections: 1 });
    const client = { metadata: minted };
    expect(await ask("c1", client)).toEqual({ allowed: false, reason: "Not today." });
    receiver.answer = () => json({ allowed: true });
    expect(await ask("c2", client)).toEqual({ allowed: true });
    // The channel has a free seat now.
    expect(await ask("c3", client)).toMatchObject({ allowed: false });
    expect(receiver.received).toHaveLength(2);
  });

  it("is refused with an explanation if the address gives no clear answer, or none", async () => {
    const { ask, receiver, tries } = await projectWith("auth", {});
    const unclear: [ReceiverAnswer, RegExp][] = [
      [{ status: 500, body: '{"allowed":true}' }, /answered with status 500/],
      [{ status: 302, headers: { location: "/" }, body: '{"allowed":true}' }, /answered with status 302/],
      [{ body: "allowed" }, /without "allowed"/],
      [{ status: 204 }, /without "allowed"/],
      [json([{ allowed: true }]), /without "allowed"/],
      [json({ client_id: "x" }), /without "allowed"/],
      [json({ allowed: "true" }), /without "allowed"/],
      [json({ allowed: false, client_id: "x" }), /refused/],
      [json({ allowed: false, reason: 7 }), /refused/],
    ];
    for (const [answer, reason] of unclear) {
      receiver.answer = () => answer;
      const refused = await ask();
      expect(refused).toEqual({ allowed: false, reason: expect.stringMatching(reason) });
      expect(refused).toMatchObject({ reason: expect.stringMatching(/^The project's own auth address .*\.$/) });
    }
    await receiver.close();
    expect(await ask()).toMatchObject({ allowed: false, reason: expect.stringContaining("did not answer") });
    await expect.poll(async () => (await tries()).at(-1)).toMatchObject({ type: "auth.requested", status: 0 });
  });

  it("is refused with a long reason shortened to the contract's limit", async () => {
    const { ask } = await projectWith("auth", json({ allowed: false, reason: "no ".repeat(1000) }));
    expect(await ask()).toEqual({ allowed: false, reason: "no ".repeat(1000).slice(0, 1024) });
  });

  it("is refused while the address is switched off, until it is set again", async () => {
    const { ask, receiver, setAddress, tries } = await projectWith("auth", { status: 410 });
    expect(await ask()).toMatchObject({ allowed: false, reason: expect.stringContaining("410") });
    receiver.answer = () => json({ allowed: true });
    const off = { allowed: false, reason: expect.stringContaining("is switched off") };
    expect([await ask("c2"), await ask("c3")]).toEqual([off, off]);
    expect(receiver.received).toHaveLength(1);
    await setAddress();
    expect(await ask("c4")).toEqual({ allowed: true });
    await expect.poll(tries).toMatchObject([{ status: 410 }, { status: 200 }]);
  });

  it("is not relayed if its token is refused", async () => {
    const { ask, receiver, tries } = await projectWith("auth", json({ allowed: true }));
    expect(await ask("c1", { metadata: { access_token: "no.token.here" } })).toMatchObject({ allowed: false });
    expect(receiver.received).toEqual([]);
    expect(await tries()).toEqual([]);
  });
});

describe("a session", () => {
  const created = {
    ...{ type: "session.created", id: "created", session_id: "s1" },
    timestamp: "2026-04-01T09:48:03.114Z",
    created_timestamp: "2026-04-01T09:30:15Z",
  };
  const destroyed = {
    ...{ ...created, type: "session.destroyed", id: "destroyed", max_connections: 2, total_connections: 3 },
    timestamp: new Date().toISOString(),
    destroyed_timestamp: "2026-04-01T09:48:03Z",
  };

  it("gets the settings from the project's session address", async () => {
    const answer = { session_metadata: { room: 7 }, recording: true };
    const { tell, receiver, tries } = await projectWith("session", json(answer));
    expect(await tell(created)).toEqual([200, answer]);
    expect(receiver.received).toMatchObject([{ id: "created", body: created }]);
    await expect.poll(tries).toMatchObject([{ type: "session.created", status: 200 }]);
  });

  it.each<[string, ReceiverAnswer]>([
    ["fails", { status: 500, body: '{"session_metadata":1}' }],
    ["answers without JSON", { body: "thanks" }],
    ["answers with an array", json([1])],
    ["is gone", { status: 410 }],
  ])("is kept, and acknowledged with 200, if the address %s", async (_, answer) => {
    const { tell, call } = await projectWith("session", answer);
    expect(await tell(destroyed)).toEqual([200, {}]);
    expect(await call(pathOf.listSessionLogs)).toMatchObject([{ session_id: "s1", total_connections: 3 }]);
  });

  it("is not sent to an address that is switched off", async () => {
    const { tell, receiver, setAddress } = await projectWith("session", { status: 410 });
    await tell(created);
    expect(await tell(destroyed)).toEqual([200, {}]);
    expect(receiver.received).toHaveLength(1);
    await setAddress();
    await tell(destroyed);
    expect(receiver.received).toHaveLength(2);
  });
});

it("a vanished node is reported to each project that had connections on it, and to no other", async () => {
  const { send, setAddress, tries } = shared;
  const projects = ["one", "two", "elsewhere", "none"];
  const receivers = await Promise.all(projects.map(() => startReceiver(() => json({ session_metadata: 1 }))));
  for (const [at, project] of projects.entries()) await setAddress("session", receivers[at]?.url ?? "", project);
  const timestamp = new Date().toISOString();
  const connect = (project: string, node: string, connection: string) =>
    send("event", {
      ...eventOf(`${project} ${connection}`, { project, connection, type: "connection.created" }),
      ...{ timestamp, node_name: node, session_id: `session of ${project}`, data: { created_timestamp: timestamp } },
    });
  await connect("one", "node-1", "c1");
  await connect("one", "node-1", "c2");
  await connect("two", "node-1", "c3");
  await connect("elsewhere", "node-2", "c4");
  const vanished = { type: "session.vanished", id: "v1", timestamp: new Date().toISOString(), node_name: "node-1" };
  expect((await send("session", vanished)).body).toEqual({});
  expect(receivers.map(({ received }) => received.map(({ body }) => body))).toEqual([[vanished], [vanished], [], []]);
  await expect.poll(() => tries("two")).toMatchObject([{ type: "session.vanished", status: 200 }]);
});
