import { expect, test } from "vitest";
import { WebSocket } from "ws";
import type { FakeSlack } from "../index.js";
import { clientOf, patience, startAcme } from "../test/acme.js";
import { startSocketApp } from "../test/bolt-app.js";

/** A raw client, for details that Bolt does not expose. */
async function openSocket(slack: FakeSlack) {
  const { url = "" } = await clientOf(slack, slack.app.appToken).apps.connections.open();
  const socket = new WebSocket(url);
  const said: { type?: string; envelope_id?: string; [member: string]: unknown }[] = [];
  let pings = 0;
  socket.on("message", (data) => said.push(JSON.parse(String(data))));
  socket.on("ping", () => {
    pings += 1;
  });
  await expect.poll(() => said).toMatchObject([{ type: "hello", connection_info: { app_id: slack.app.id } }]);
  return { url, socket, said, acknowledge: acknowledging(socket), pings: () => pings };
}

function acknowledging(socket: WebSocket) {
  return (envelopeId: unknown, payload?: object): void =>
    socket.send(JSON.stringify({ envelope_id: envelopeId, payload }));
}

test("a Bolt app in Socket Mode receives commands, clicks and events, and responds to them", async () => {
  const { slack, team, ann, general, withButton } = await startAcme();
  const events: unknown[] = [];
  await startSocketApp(slack, { token: team.botToken }, (app) => {
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
  const message = await withButton();

  const acknowledged = { status: 200, body: undefined, tries: 1, shownError: undefined };
  expect(await ann.command("/media logs", { in: general })).toMatchObject(acknowledged);
  expect(await ann.press(message, "older")).toMatchObject(acknowledged);
  expect(await ann.openHome()).toMatchObject(acknowledged);

  await expect.poll(() => ann.sees(general).map(({ text }) => text)).toEqual(["Press", "You asked for logs."]);
  expect(events).toEqual([ann.id]);
});

test("an acknowledgement may have content", async () => {
  const { slack, team, ann, general } = await startAcme();
  await startSocketApp(slack, { token: team.botToken }, (app) =>
    app.command("/media", ({ ack }) => ack({ text: "At once." })),
  );

  expect(await ann.command("/media", { in: general })).toMatchObject({ body: { text: "At once." } });
});

test("a Bolt app reconnects on request, and continues", async () => {
  const { slack, team, ann, general } = await startAcme();
  const { reconnected } = await startSocketApp(slack, { token: team.botToken }, (app) =>
    app.command("/media", ({ ack }) => ack()),
  );

  slack.refreshSockets();
  await reconnected();

  expect(await ann.command("/media", { in: general })).toMatchObject({ status: 200, shownError: undefined });
});

test("a Bolt app whose socket breaks reconnects, and receives pending requests", async () => {
  const { slack, team, ann, general } = await startAcme();
  let times = 0;
  await startSocketApp(slack, { token: team.botToken }, (app) => {
    app.command("/media", async ({ ack }) => {
      times += 1;
      if (times === 1) slack.breakSockets();
      else await ack();
    });
  });

  expect(await ann.command("/media", { in: general })).toMatchObject({ status: 200, tries: 1 });
  expect(times).toBe(2);
});

test("commands in Socket Mode fail at once if no socket is open", async () => {
  const { ann, general } = await startAcme();

  expect(await ann.command("/media", { in: general })).toMatchObject({
    status: 0,
    shownError: '/media failed with the error "dispatch_failed"',
  });
});

test("an unacknowledged request times out, and a late acknowledgement is ignored", async () => {
  const { slack, ann, general } = await startAcme({ patience: patience(100) });
  const { said, acknowledge } = await openSocket(slack);

  const answered = await ann.command("/media", { in: general });
  acknowledge(said[1]?.envelope_id);

  expect(answered).toMatchObject({ status: 0, shownError: '/media failed with the error "operation_timeout"' });
  expect(answered.acknowledgedInMs).toBeGreaterThan(95);
});

test("an envelope has its type, and says whether its acknowledgement may have content", async () => {
  const { slack, ann, general, withButton } = await startAcme({ patience: patience(1000) });
  const { socket, said, acknowledge } = await openSocket(slack);
  const message = await withButton();
  socket.on("message", (data) => {
    const envelope = JSON.parse(String(data));
    // An event is acknowledged on its first retry.
    if (envelope.type !== "events_api" || envelope.retry_attempt > 0) acknowledge(envelope.envelope_id, {});
  });

  slack.repeatNext();
  const answers = [
    await ann.command("/media logs", { in: general }),
    await ann.press(message, "older"),
    await ann.openHome(),
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
  const { slack, ann, general } = await startAcme();
  const sockets = [await openSocket(slack), await openSocket(slack)];
  for (const { socket, acknowledge } of sockets) {
    socket.on("message", (data) => acknowledge(JSON.parse(String(data)).envelope_id));
  }

  for (let count = 1; count <= 4; count += 1) await ann.command("/media", { in: general });

  expect(sockets.map(({ said }) => said.length)).toEqual([3, 3]);
  expect(sockets.map(({ said }) => said[0]?.num_connections)).toEqual([1, 2]);
});

test("a socket that must reconnect receives nothing more, but its acknowledgements count", async () => {
  const { slack, ann, general } = await startAcme();
  const { said, acknowledge } = await openSocket(slack);
  const first = ann.command("/media", { in: general });
  await expect.poll(() => said).toHaveLength(2);

  slack.refreshSockets();
  expect(await ann.command("/media", { in: general })).toMatchObject({ status: 0 });
  acknowledge(said[1]?.envelope_id);

  expect(await first).toMatchObject({ status: 200 });
  expect(said[2]).toMatchObject({ type: "disconnect", reason: "refresh_requested" });
});

test("a socket is pinged, so that the app detects a lost connection", async () => {
  const { slack } = await startAcme();

  const { pings } = await openSocket(slack);

  await expect.poll(pings).toBe(1);
});

test("sockets and pending requests end when the fake is stopped", async () => {
  const { slack, ann, general } = await startAcme({ patience: patience(60_000) });
  const { socket, said } = await openSocket(slack);
  const waiting = ann.command("/media", { in: general });
  await expect.poll(() => said).toHaveLength(2);

  await slack.stop();

  expect(await waiting).toMatchObject({ status: 0, shownError: '/media failed with the error "dispatch_failed"' });
  await expect.poll(() => socket.readyState).toBe(WebSocket.CLOSED);
});

test("a URL opens only one socket", async () => {
  const { slack } = await startAcme();
  const { url } = await openSocket(slack);

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
  const { slack, team } = await startAcme();

  const opening = clientOf(slack, token ?? team.botToken).apps.connections.open();

  await expect(opening).rejects.toMatchObject({ data: { ok: false, error } });
});

test("a socket is not opened without a token", async () => {
  const { slack } = await startAcme();

  const response = await fetch(`${slack.url}/api/apps.connections.open`, { method: "POST" });

  expect(await response.json()).toEqual({ ok: false, error: "not_authed" });
});
