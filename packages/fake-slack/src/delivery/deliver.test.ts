import { expect, test } from "vitest";
import { startBoltApp, tokensOf } from "../test/bolt-app.js";
import { click, command, homeOpened, startSlack, startStubApp, submission } from "../test/slack.js";
import { postMessage } from "../world/messages.js";
import { deliver } from "./deliver.js";

test("a command reaches a Bolt app, which acknowledges it and replies only to the person", async () => {
  const { world, ann, channel } = await startSlack();
  await startBoltApp(world, tokensOf(world), (app) => {
    app.command("/media", async ({ ack, command: { text }, respond }) => {
      await ack();
      await respond(`You asked for *${text}* & more`);
    });
  });

  const answered = await deliver(world, command(world, ann, channel, "logs webhooks status>=400"));

  expect(answered).toMatchObject({ status: 200, tries: 1, shownError: undefined });
  await expect.poll(() => channel.messages).toHaveLength(1);
  expect(channel.messages[0]).toMatchObject({
    text: "You asked for *logs webhooks status>=400* & more",
    onlyFor: ann.id,
    userId: world.teams.get(ann.teamId)?.installation?.botUserId,
  });
});

test("the content of an acknowledgement is returned", async () => {
  const { world, ann, channel } = await startSlack();
  await startBoltApp(world, tokensOf(world), (app) => {
    app.command("/media", ({ ack }) => ack("At once."));
    app.view("connect", ({ ack }) => ack({ response_action: "errors", errors: { key: "No such key." } }));
  });

  expect(await deliver(world, command(world, ann, channel))).toMatchObject({ body: "At once." });
  expect(await deliver(world, submission(ann))).toMatchObject({
    body: { response_action: "errors", errors: { key: "No such key." } },
  });
});

test("a request is signed, timestamped and encoded as by Slack", async () => {
  const { world, ann, channel } = await startSlack();
  const { taken } = await startStubApp(world, [{ status: 200 }]);

  await deliver(world, command(world, ann, channel, "a&b=c d"));
  await deliver(world, submission(ann));
  await deliver(world, homeOpened(ann));

  const form = "application/x-www-form-urlencoded";
  expect(taken.map(({ headers }) => headers["content-type"])).toEqual([form, form, "application/json"]);
  for (const { headers } of taken) {
    expect(headers["user-agent"]).toBe("Slackbot 1.0 (+https://api.slack.com/robots)");
    expect(headers["x-slack-signature"]).toMatch(/^v0=[0-9a-f]{64}$/);
    expect(Number(headers["x-slack-request-timestamp"])).toBeCloseTo(world.now() / 1000, -1);
    expect(headers).not.toHaveProperty("x-slack-retry-num");
  }
  const [first, second, third] = taken.map(({ body }) => body);
  expect(new URLSearchParams(first).get("text")).toBe("a&b=c d");
  expect(JSON.parse(new URLSearchParams(second).get("payload") ?? "")).toMatchObject({ type: "view_submission" });
  expect(JSON.parse(third ?? "")).toMatchObject({
    type: "event_callback",
    team_id: ann.teamId,
    api_app_id: world.app.id,
    event: { type: "app_home_opened", user: ann.id },
    event_id: expect.stringMatching(/^Ev/),
    event_time: expect.any(Number),
    authorizations: [{ team_id: ann.teamId, is_bot: true }],
  });
});

test("an app with another signing secret refuses, and the person sees that the command failed", async () => {
  const { world, ann, channel } = await startSlack();
  await startBoltApp(world, { ...tokensOf(world), signingSecret: "another" }, (app) =>
    app.command("/media", ({ ack }) => ack()),
  );

  expect(await deliver(world, command(world, ann, channel))).toMatchObject({
    status: 401,
    tries: 1,
    shownError: '/media failed with the error "dispatch_failed"',
  });
});

test("an app that does not acknowledge in time times out, and the person sees an error", async () => {
  const { world, ann, channel } = await startSlack({ answerWithinMs: 100 });
  await startBoltApp(world, tokensOf(world), (app) => app.command("/media", () => Promise.resolve()));

  const answered = await deliver(world, command(world, ann, channel));

  expect(answered).toMatchObject({
    status: 0,
    body: undefined,
    tries: 1,
    shownError: '/media failed with the error "operation_timeout"',
  });
  // A timer may fire slightly early.
  expect(answered.acknowledgedInMs).toBeGreaterThan(90);
});

test("Slack waits three seconds for an acknowledgement", async () => {
  const { world } = await startSlack();

  expect(world.patience.answerWithinMs).toBe(3000);
});

test.each([
  ["not acknowledged", "hang" as const, 0],
  ["refused", { status: 500 }, 500],
  ["redirected", { status: 302, headers: { location: "/" } }, 302],
  ["aborted", "break" as const, 0],
])("an error is shown in a modal, and a sign at a button, if the request is %s", async (_, answer, status) => {
  const { world, ann, channel } = await startSlack({ answerWithinMs: answer === "hang" ? 100 : 3000 });
  const { taken } = await startStubApp(world, [answer]);
  const message = postMessage(world, channel, { userId: ann.id, text: "Press", blocks: [] });

  expect(await deliver(world, submission(ann))).toMatchObject({
    status,
    shownError: "We had some trouble connecting. Try again?",
  });
  expect(await deliver(world, click(world, ann, message, "older"))).toMatchObject({ status, shownError: "⚠️" });
  // Interactions are not retried.
  expect(taken).toHaveLength(2);
});

test("without a running app, commands fail at once", async () => {
  const { world, ann, channel } = await startSlack();
  const { stop } = await startStubApp(world, [{ status: 200 }]);
  await stop();

  const shownError = '/media failed with the error "dispatch_failed"';
  expect(await deliver(world, command(world, ann, channel))).toMatchObject({ status: 0, shownError });
  world.app.requestUrl = undefined;
  expect(await deliver(world, command(world, ann, channel))).toMatchObject({ status: 0, shownError });
});

test("an unacknowledged event is retried three times: at once, after a minute, after five minutes", async () => {
  const waits: number[] = [];
  const { world, ann } = await startSlack({
    answerWithinMs: 1500,
    wait: async (ms) => {
      waits.push(ms);
    },
  });
  const { taken } = await startStubApp(world, [{ status: 503 }, "hang", "break", { status: 200 }]);

  const answered = await deliver(world, homeOpened(ann));

  expect(answered).toMatchObject({ status: 200, tries: 4, shownError: undefined });
  expect(waits).toEqual([60_000, 300_000]);
  expect(taken.map(({ headers }) => [headers["x-slack-retry-num"], headers["x-slack-retry-reason"]])).toEqual([
    [undefined, undefined],
    ["1", "http_error"],
    ["2", "http_timeout"],
    ["3", "connection_failed"],
  ]);
  expect(new Set(taken.map(({ body }) => body)).size).toBe(1);
});

test("after three retries an event is lost", async () => {
  const { world, ann } = await startSlack({ wait: () => Promise.resolve() });
  const { taken } = await startStubApp(world, [{ status: 500 }]);

  expect(await deliver(world, homeOpened(ann))).toMatchObject({ status: 500, tries: 4, shownError: undefined });
  expect(taken).toHaveLength(4);
});

test("an answered request can be repeated, marked as a retry", async () => {
  const { world, ann, channel } = await startSlack();
  const seen: unknown[] = [];
  await startBoltApp(world, tokensOf(world), (app) => {
    app.command("/media", async ({ ack, context: { retryNum, retryReason } }) => {
      await ack(`Number ${seen.length}`);
      seen.push([retryNum, retryReason]);
    });
  });
  const delivery = command(world, ann, channel);

  world.repeats += 1;
  expect(await deliver(world, delivery)).toMatchObject({ body: "Number 0", tries: 2 });
  expect(await deliver(world, delivery)).toMatchObject({ body: "Number 2", tries: 1 });

  expect(seen).toEqual([
    [undefined, undefined],
    [1, "http_timeout"],
    [undefined, undefined],
  ]);
});

test("the transcript lists each delivery with its sender and result", async () => {
  const { world, ann, channel } = await startSlack();
  await startStubApp(world, [{ status: 200, body: "Done" }, { status: 404 }]);

  await deliver(world, command(world, ann, channel, "status"));
  await deliver(world, submission(ann));

  expect(world.transcript.filter(({ what }) => what === "delivery")).toMatchObject([
    {
      teamId: ann.teamId,
      name: "slash_command",
      users: [ann.id],
      detail: { payload: { text: "status" }, status: 200, body: "Done" },
    },
    {
      name: "interactive",
      users: [ann.id],
      detail: { status: 404, failure: "http_error", shownError: "We had some trouble connecting. Try again?" },
    },
  ]);
});

test("deliveries end when the fake is stopped", async () => {
  const { world, ann, channel, stop } = await startSlack({ answerWithinMs: 60_000, wait: () => new Promise(() => {}) });
  const { taken } = await startStubApp(world, [{ status: 500 }, { status: 500 }, "hang"]);
  const waiting = deliver(world, homeOpened(ann));
  await expect.poll(() => taken).toHaveLength(2);
  const hanging = deliver(world, command(world, ann, channel));
  await expect.poll(() => taken).toHaveLength(3);

  await stop();

  expect(await waiting).toMatchObject({ status: 500, tries: 2 });
  expect(await hanging).toMatchObject({ status: 0, tries: 1 });
});
