import { WebClient } from "@slack/web-api";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { clientOptions, startSocketApp, tokensOf } from "../test/bolt-app.js";
import { click, command, homeOpened, startSlack } from "../test/slack.js";
import { postMessage } from "../world/messages.js";
import type { World } from "../world/world.js";
import { breakSockets, deliver, refreshSockets } from "./deliver.js";

/** A raw client, for details that Bolt does not expose. */
async function openSocket(world: World) {
  const { url = "" } = await clientOf(world, world.app.appToken).apps.connections.open();
  const socket = new WebSocket(url);
  const said: { type?: string; envelope_id?: string; [member: string]: unknown }[] = [];
  let pings = 0;
  socket.on("message", (data) => said.push(JSON.parse(String(data))));
  socket.on("ping", () => {
    pings += 1;
  });
  await expect.poll(() => said).toMatchObject([{ type: "hello", connection_info: { app_id: world.app.id } }]);
  return { url, socket, said, acknowledge: acknowledging(socket), pings: () => pings };
}

function acknowledging(socket: WebSocket) {
  return (envelopeId: unknown, payload?: object): void =>
    socket.send(JSON.stringify({ envelope_id: envelopeId, payload }));
}

function clientOf(world: World, token: string): WebClient {
  return new WebClient(token, clientOptions(world));
}

test("a Bolt app in Socket Mode receives commands, clicks and events, and responds to them", async () => {
  const { world, ann, channel, installation } = await startSlack();
  const events: unknown[] = [];
  await startSocketApp(world, tokensOf(world), (app) => {
    app.command("/media", async ({ ack, command: { text }, respond }) => {
      await ack();
      await respond(`You asked for ${text}.`);
    });
    app.action("older", ({ ack }) => ack());
    app.event("app_home_opened", ({ event }) => {
      events.push(event.user);
      return Promise.resolve();
    });
  });
  const message = postMessage(world, channel, { userId: installation.botUserId, text: "Press", blocks: [] });

  const acknowledged = { status: 200, body: undefined, tries: 1, shownError: undefined };
  expect(await deliver(world, command(world, ann, channel, "logs"))).toMatchObject(acknowledged);
  expect(await deliver(world, click(world, ann, message, "older"))).toMatchObject(acknowledged);
  expect(await deliver(world, homeOpened(ann))).toMatchObject(acknowledged);

  await expect.poll(() => channel.messages.map(({ text }) => text)).toEqual(["Press", "You asked for logs."]);
  expect(events).toEqual([ann.id]);
});

test("an acknowledgement may have content", async () => {
  const { world, ann, channel } = await startSlack();
  await startSocketApp(world, tokensOf(world), (app) => app.command("/media", ({ ack }) => ack({ text: "At once." })));

  expect(await deliver(world, command(world, ann, channel))).toMatchObject({ body: { text: "At once." } });
});

test("a Bolt app reconnects on request, and continues", async () => {
  const { world, ann, channel } = await startSlack();
  const { reconnected } = await startSocketApp(world, tokensOf(world), (app) =>
    app.command("/media", ({ ack }) => ack()),
  );

  refreshSockets(world);
  await reconnected();

  expect(await deliver(world, command(world, ann, channel))).toMatchObject({ status: 200, shownError: undefined });
});

test("a Bolt app whose socket breaks reconnects, and receives pending requests", async () => {
  const { world, ann, channel } = await startSlack();
  let times = 0;
  await startSocketApp(world, tokensOf(world), (app) => {
    app.command("/media", async ({ ack }) => {
      times += 1;
      if (times === 1) breakSockets(world);
      else await ack();
    });
  });

  expect(await deliver(world, command(world, ann, channel))).toMatchObject({ status: 200, tries: 1 });
  expect(times).toBe(2);
});

test("commands in Socket Mode fail at once if no socket is open", async () => {
  const { world, ann, channel } = await startSlack();

  expect(await deliver(world, command(world, ann, channel))).toMatchObject({
    status: 0,
    shownError: '/media failed with the error "dispatch_failed"',
  });
});

test("an unacknowledged request times out, and a late acknowledgement is ignored", async () => {
  const { world, ann, channel } = await startSlack({ answerWithinMs: 100 });
  const { said, acknowledge } = await openSocket(world);

  const answered = await deliver(world, command(world, ann, channel));
  acknowledge(said[1]?.envelope_id);

  expect(answered).toMatchObject({ status: 0, shownError: '/media failed with the error "operation_timeout"' });
  expect(answered.acknowledgedInMs).toBeGreaterThan(95);
});

test("an envelope has its type, and says whether its acknowledgement may have content", async () => {
  const { world, ann, channel, installation } = await startSlack({
    answerWithinMs: 1000,
    wait: () => Promise.resolve(),
  });
  const { socket, said, acknowledge } = await openSocket(world);
  const message = postMessage(world, channel, { userId: installation.botUserId, text: "Press", blocks: [] });
  socket.on("message", (data) => {
    const envelope = JSON.parse(String(data));
    // An event is acknowledged on its first retry.
    if (envelope.type !== "events_api" || envelope.retry_attempt > 0) acknowledge(envelope.envelope_id, {});
  });

  world.repeats += 1;
  const answers = [
    await deliver(world, command(world, ann, channel, "logs")),
    await deliver(world, click(world, ann, message, "older")),
    await deliver(world, homeOpened(ann)),
  ];

  expect(answers.map(({ status, tries }) => [status, tries])).toEqual([
    [200, 2],
    [200, 1],
    [200, 2],
  ]);
  const envelope_id = expect.any(String);
  expect(said.slice(1)).toMatchObject([
    { type: "slash_commands", envelope_id, accepts_response_payload: true, payload: { text: "logs" } },
    { type: "slash_commands", retry_attempt: 1, retry_reason: "http_timeout" },
    { type: "interactive", envelope_id, accepts_response_payload: true, payload: { type: "block_actions" } },
    { type: "events_api", accepts_response_payload: false, retry_attempt: 0, retry_reason: "" },
    {
      type: "events_api",
      retry_attempt: 1,
      retry_reason: "http_timeout",
      payload: { type: "event_callback", event: { type: "app_home_opened", user: ann.id } },
    },
  ]);
});

test("deliveries use the sockets in turn", async () => {
  const { world, ann, channel } = await startSlack();
  const sockets = [await openSocket(world), await openSocket(world)];
  for (const { socket, acknowledge } of sockets) {
    socket.on("message", (data) => acknowledge(JSON.parse(String(data)).envelope_id));
  }

  for (let count = 1; count <= 4; count += 1) await deliver(world, command(world, ann, channel));

  expect(sockets.map(({ said }) => said.length)).toEqual([3, 3]);
  expect(sockets.map(({ said }) => said[0]?.num_connections)).toEqual([1, 2]);
});

test("a socket that must reconnect receives nothing more, but its acknowledgements count", async () => {
  const { world, ann, channel } = await startSlack();
  const { said, acknowledge } = await openSocket(world);
  const first = deliver(world, command(world, ann, channel));
  await expect.poll(() => said).toHaveLength(2);

  refreshSockets(world);
  expect(await deliver(world, command(world, ann, channel))).toMatchObject({ status: 0 });
  acknowledge(said[1]?.envelope_id);

  expect(await first).toMatchObject({ status: 200 });
  expect(said[2]).toMatchObject({ type: "disconnect", reason: "refresh_requested" });
});

test("a socket is pinged, so that the app detects a lost connection", async () => {
  const { world } = await startSlack();

  const { pings } = await openSocket(world);

  await expect.poll(pings).toBe(1);
});

test("sockets and pending requests end when the fake is stopped", async () => {
  const { world, ann, channel, stop } = await startSlack({ answerWithinMs: 60_000 });
  const { socket, said } = await openSocket(world);
  const waiting = deliver(world, command(world, ann, channel));
  await expect.poll(() => said).toHaveLength(2);

  await stop();

  expect(await waiting).toMatchObject({ status: 0, shownError: '/media failed with the error "dispatch_failed"' });
  await expect.poll(() => socket.readyState).toBe(WebSocket.CLOSED);
});

test("a URL opens only one socket", async () => {
  const { world } = await startSlack();
  const { url } = await openSocket(world);

  for (const address of [url, `${url}x`, url.replace("/socket/", "/")]) {
    const status = await new Promise((resolve) => {
      new WebSocket(address)
        .on("unexpected-response", (_, { statusCode }) => resolve(statusCode))
        .on("error", () => {});
    });
    expect(status).toBe(404);
  }
});

test.each([
  ["another app's", "xapp-another", "invalid_auth"],
  ["a bot's", undefined, "not_allowed_token_type"],
])("a socket is not opened with %s token", async (_, token, error) => {
  const { world, installation } = await startSlack();

  const opening = clientOf(world, token ?? installation.botToken).apps.connections.open();

  await expect(opening).rejects.toMatchObject({ data: { ok: false, error } });
});

test("a socket is not opened without a token", async () => {
  const { world } = await startSlack();

  const response = await fetch(`${world.url}/api/apps.connections.open`, { method: "POST" });

  expect(await response.json()).toEqual({ ok: false, error: "not_authed" });
});
