import { describe, expect, it } from "vitest";
import { pathOf } from "../test/harness.js";
import { eventOf, type ReceiverAnswer, startIntake, startReceiver } from "../test/receiver.js";

const asking = (connection = "c1", more: object = {}) => ({
  role: "sendrecv",
  channel_id: "lobby@demo",
  connection_id: connection,
  ...more,
});
const json = (value: unknown): ReceiverAnswer => ({ body: JSON.stringify(value) });

/** A service whose project "demo" admits clients without a token, and has an auth address. */
async function withAuthAddress(answer: ReceiverAnswer) {
  const receiver = await startReceiver(() => answer);
  const intake = await startIntake();
  await intake.setAddress("auth", receiver.url);
  await intake.allowAnonymous();
  const ask = async (connection?: string, more?: object): Promise<unknown> =>
    (await intake.send("auth", asking(connection, more))).body;
  return { ...intake, receiver, ask };
}

describe("a client that wants to connect", () => {
  it("is admitted if the project's auth address says so, with all that the address adds", async () => {
    const answer = {
      allowed: true,
      client_id: "camera-2",
      event_metadata: { room: 7 },
      simulcast: true,
      more: [null, "ü"],
    };
    const { ask, receiver, tries } = await withAuthAddress(json(answer));
    expect(await ask("c1", { metadata: { seat: 12 } })).toEqual(answer);
    expect(receiver.received.map(({ body }) => body)).toEqual([asking("c1", { metadata: { seat: 12 } })]);
    await expect.poll(() => tries()).toMatchObject([{ type: "auth.requested", status: 200, url: receiver.url }]);
  });

  it("is refused with the address's own reason, and gets no seat", async () => {
    const { call, ask, receiver } = await withAuthAddress(json({ allowed: false, reason: "Not today." }));
    const { body } = await call(pathOf.createAccessToken, { body: { max_channel_connections: 1 } });
    const { access_token } = body as { access_token: string };
    const client = { metadata: { access_token } };
    expect(await ask("c1", client)).toEqual({ allowed: false, reason: "Not today." });
    receiver.answer = () => json({ allowed: true });
    expect(await ask("c2", client)).toEqual({ allowed: true });
    // The channel has a free seat now.
    expect(await ask("c3", client)).toMatchObject({ allowed: false });
    expect(receiver.received).toHaveLength(2);
  });

  it("is refused with an explanation if the address gives no clear answer", async () => {
    const { ask, receiver } = await withAuthAddress({});
    const unclear: [string, ReceiverAnswer, RegExp][] = [
      ["fails", { status: 500, body: '{"allowed":true}' }, /answered with status 500/],
      ["redirects", { status: 302, headers: { location: "/" }, body: '{"allowed":true}' }, /answered with status 302/],
      ["answers no JSON", { body: "allowed" }, /without "allowed"/],
      ["answers nothing", { status: 204 }, /without "allowed"/],
      ["answers a list", json([{ allowed: true }]), /without "allowed"/],
      ["answers without a word on it", json({ client_id: "x" }), /without "allowed"/],
      ["answers with a text for yes", json({ allowed: "true" }), /without "allowed"/],
      ["answers no without a reason", json({ allowed: false, client_id: "x" }), /refused/],
      ["answers no with a reason that is none", json({ allowed: false, reason: 7 }), /refused/],
    ];
    for (const [what, answer, reason] of unclear) {
      receiver.answer = () => answer;
      const refused = await ask();
      expect(refused, what).toEqual({ allowed: false, reason: expect.stringMatching(reason) });
      expect(refused, what).toEqual({
        allowed: false,
        reason: expect.stringMatching(/^The project's own auth address .*\.$/),
      });
    }
  });

  it("is refused with a long reason shortened to the contract's limit", async () => {
    const { ask } = await withAuthAddress(json({ allowed: false, reason: "no ".repeat(1000) }));
    expect(await ask()).toEqual({ allowed: false, reason: "no ".repeat(1000).slice(0, 1024) });
  });

  it("is refused if the address cannot be reached", async () => {
    const { ask, receiver, tries } = await withAuthAddress({});
    await receiver.close();
    expect(await ask()).toMatchObject({ allowed: false, reason: expect.stringContaining("did not answer") });
    await expect.poll(() => tries()).toMatchObject([{ type: "auth.requested", status: 0 }]);
  });

  it("is refused while the address is switched off, until it is set again", async () => {
    const { ask, receiver, setAddress, tries } = await withAuthAddress({ status: 410 });
    expect(await ask()).toMatchObject({ allowed: false, reason: expect.stringContaining("410") });
    receiver.answer = () => json({ allowed: true });
    const off = { allowed: false, reason: expect.stringContaining("is switched off") };
    expect([await ask("c2"), await ask("c3")]).toEqual([off, off]);
    expect(receiver.received).toHaveLength(1);
    await setAddress("auth", receiver.url);
    expect(await ask("c4")).toEqual({ allowed: true });
    await expect.poll(() => tries()).toMatchObject([{ status: 410 }, { status: 200 }]);
  });

  it("is not relayed if its token is refused", async () => {
    const { ask, receiver, tries } = await withAuthAddress(json({ allowed: true }));
    expect(await ask("c1", { metadata: { access_token: "no.token.here" } })).toMatchObject({ allowed: false });
    expect(receiver.received).toEqual([]);
    expect(await tries()).toEqual([]);
  });
});

const sessionOf = (type: string, more: object = {}) => ({
  type,
  id: `id of ${type}`,
  timestamp: "2026-04-01T09:48:03.114Z",
  channel_id: "lobby@demo",
  session_id: "s1",
  created_timestamp: "2026-04-01T09:30:15Z",
  ...more,
});
const created = sessionOf("session.created");
const destroyed = sessionOf("session.destroyed", {
  timestamp: new Date().toISOString(),
  destroyed_timestamp: "2026-04-01T09:48:03Z",
  max_connections: 2,
  total_connections: 3,
});

/** A service whose project "demo" has a session address. */
async function withSessionAddress(answer: ReceiverAnswer) {
  const receiver = await startReceiver(() => answer);
  const intake = await startIntake();
  await intake.setAddress("session", receiver.url);
  const listSessions = async (): Promise<unknown> => (await intake.call(pathOf.listSessionLogs)).body;
  const tell = async (event: object): Promise<unknown> => {
    const { status, body } = await intake.send("session", event);
    return [status, body];
  };
  return { ...intake, receiver, tell, listSessions };
}

describe("a session", () => {
  it("gets the settings from the project's session address", async () => {
    const answer = { session_metadata: { room: 7 }, recording: true };
    const { tell, receiver, tries } = await withSessionAddress(json(answer));
    expect(await tell(created)).toEqual([200, answer]);
    expect(receiver.received).toMatchObject([{ id: "id of session.created", body: created }]);
    await expect.poll(() => tries()).toMatchObject([{ type: "session.created", status: 200 }]);
  });

  it.each<[string, ReceiverAnswer]>([
    ["fails", { status: 500, body: '{"session_metadata":1}' }],
    ["answers without JSON", { body: "thanks" }],
    ["answers with an array", json([1])],
    ["is gone", { status: 410 }],
  ])("is kept, and acknowledged with 200, if the address %s", async (_, answer) => {
    const { tell, listSessions } = await withSessionAddress(answer);
    expect(await tell(destroyed)).toEqual([200, {}]);
    expect(await listSessions()).toMatchObject([{ session_id: "s1", total_connections: 3 }]);
  });

  it("is not sent to an address that is switched off", async () => {
    const { tell, receiver, setAddress } = await withSessionAddress({ status: 410 });
    await tell(created);
    expect(await tell(destroyed)).toEqual([200, {}]);
    expect(receiver.received).toHaveLength(1);
    await setAddress("session", receiver.url);
    await tell(destroyed);
    expect(receiver.received).toHaveLength(2);
  });
});

it("a vanished node is reported to each project that had connections on it, and to no other", async () => {
  const { send, setAddress, tries } = await startIntake();
  const projects = ["one", "two", "elsewhere", "none"];
  const receivers = await Promise.all(projects.map(() => startReceiver(() => json({ session_metadata: 1 }))));
  for (const [at, project] of projects.entries()) await setAddress("session", receivers[at]?.url ?? "", project);
  const connected = (project: string, node: string, connection: string) => ({
    ...eventOf(`${project} ${connection}`, { project, connection, type: "connection.created" }),
    timestamp: new Date().toISOString(),
    node_name: node,
    session_id: `session of ${project}`,
    data: { created_timestamp: new Date().toISOString() },
  });
  await send("event", connected("one", "node-1", "c1"));
  await send("event", connected("one", "node-1", "c2"));
  await send("event", connected("two", "node-1", "c3"));
  await send("event", connected("elsewhere", "node-2", "c4"));
  const vanished = { type: "session.vanished", id: "v1", timestamp: new Date().toISOString(), node_name: "node-1" };
  expect((await send("session", vanished)).body).toEqual({});
  expect(receivers.map(({ received }) => received.map(({ body }) => body))).toEqual([[vanished], [vanished], [], []]);
  await expect.poll(() => tries("two")).toMatchObject([{ type: "session.vanished", status: 200 }]);
});
