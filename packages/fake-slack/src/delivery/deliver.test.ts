import { expect, test } from "vitest";
import { patience, startAcme, startStubApp } from "../test/acme.js";
import { startBoltApp } from "../test/bolt-app.js";

test("a request is signed, timestamped and encoded as by Slack", async () => {
  const { slack, ann, general } = await startAcme();
  const { taken } = await startStubApp(slack, [{ status: 200 }]);

  await ann.command("/media a&b=c d", { in: general });
  await ann.shortcut("new");
  await ann.openHome();

  const form = "application/x-www-form-urlencoded";
  expect(taken.map(({ headers }) => headers["content-type"])).toEqual([form, form, "application/json"]);
  for (const { headers } of taken) {
    expect(headers["user-agent"]).toBe("Slackbot 1.0 (+https://api.slack.com/robots)");
    expect(headers["x-slack-signature"]).toMatch(/^v0=[0-9a-f]{64}$/);
    expect(Number(headers["x-slack-request-timestamp"])).toBeCloseTo(Date.now() / 1000, -1);
    expect(headers).not.toHaveProperty("x-slack-retry-num");
  }
  const [first, second, third] = taken.map(({ body }) => body);
  expect(new URLSearchParams(first).get("text")).toBe("a&amp;b=c d");
  expect(JSON.parse(new URLSearchParams(second).get("payload") ?? "")).toMatchObject({ type: "shortcut" });
  expect(JSON.parse(third ?? "")).toMatchObject({
    type: "event_callback",
    team_id: ann.teamId,
    api_app_id: slack.app.id,
    event: { type: "app_home_opened", user: ann.id },
    event_id: expect.stringMatching(/^Ev/),
    event_time: expect.any(Number),
    authorizations: [{ team_id: ann.teamId, is_bot: true }],
  });
});

test("an app with another signing secret refuses, and the person sees that the command failed", async () => {
  const { slack, team, ann, general } = await startAcme();
  await startBoltApp(slack, { token: team.botToken, signingSecret: "another" }, (app) =>
    app.command("/media", ({ ack }) => ack()),
  );

  expect(await ann.command("/media", { in: general })).toMatchObject({
    status: 401,
    tries: 1,
    shownError: '/media failed with the error "dispatch_failed"',
  });
});

test("an app that does not acknowledge in time times out, and the person sees an error", async () => {
  const { slack, team, ann, general } = await startAcme({ patience: patience(100) });
  await startBoltApp(slack, { token: team.botToken }, (app) => app.command("/media", () => Promise.resolve()));

  const answered = await ann.command("/media", { in: general });

  expect(answered).toMatchObject({
    status: 0,
    body: undefined,
    tries: 1,
    shownError: '/media failed with the error "operation_timeout"',
  });
  // A timer may fire slightly early.
  expect(answered.acknowledgedInMs).toBeGreaterThan(90);
});

test.each([
  ["not acknowledged", "hang" as const, 0],
  ["refused", { status: 500 }, 500],
  ["redirected", { status: 302, headers: { location: "/" } }, 302],
  ["aborted", "break" as const, 0],
])("an error is shown in a modal, and a sign at a button, if the request is %s", async (_, answer, status) => {
  const { slack, ann, withButton } = await startAcme({ patience: patience(answer === "hang" ? 100 : 3000) });
  const { taken } = await startStubApp(slack, [answer]);
  const message = await withButton();

  expect(await ann.shortcut("new")).toMatchObject({
    status,
    shownError: "We had some trouble connecting. Try again?",
  });
  expect(await ann.press(message, "older")).toMatchObject({ status, shownError: "⚠️" });
  // Interactions are not retried.
  expect(taken).toHaveLength(2);
});

test("without a running app, commands fail at once", async () => {
  const { slack, ann, general } = await startAcme();
  const { stop } = await startStubApp(slack, [{ status: 200 }]);
  await stop();

  const shownError = '/media failed with the error "dispatch_failed"';
  expect(await ann.command("/media", { in: general })).toMatchObject({ status: 0, shownError });
  slack.app.requestUrl = undefined;
  expect(await ann.command("/media", { in: general })).toMatchObject({ status: 0, shownError });
});

test("an unacknowledged event is retried three times: at once, after a minute, after five minutes", async () => {
  const waits: number[] = [];
  const { slack, ann } = await startAcme({ patience: patience(1500, async (ms) => void waits.push(ms)) });
  const { taken } = await startStubApp(slack, [{ status: 503 }, "hang", "break", { status: 200 }]);

  const answered = await ann.openHome();

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
  const { slack, ann } = await startAcme({ patience: patience(3000) });
  const { taken } = await startStubApp(slack, [{ status: 500 }]);

  expect(await ann.openHome()).toMatchObject({ status: 500, tries: 4, shownError: undefined });
  expect(taken).toHaveLength(4);
});

test("an answered request can be repeated, marked as a retry", async () => {
  const { slack, team, ann, general } = await startAcme();
  const seen: unknown[] = [];
  await startBoltApp(slack, { token: team.botToken }, (app) => {
    app.command("/media", async ({ ack, context: { retryNum, retryReason } }) => {
      await ack(`Number ${seen.length}`);
      seen.push([retryNum, retryReason]);
    });
  });

  slack.repeatNext();
  expect(await ann.command("/media", { in: general })).toMatchObject({ body: "Number 0", tries: 2 });
  expect(await ann.command("/media", { in: general })).toMatchObject({ body: "Number 2", tries: 1 });

  expect(seen).toEqual([
    [undefined, undefined],
    [1, "http_timeout"],
    [undefined, undefined],
  ]);
});

test("the transcript lists each delivery with its sender and result", async () => {
  const { slack, ann, general } = await startAcme();
  await startStubApp(slack, [{ status: 200, body: "Done" }, { status: 404 }]);

  await ann.command("/media status", { in: general });
  await ann.shortcut("new");

  expect(slack.transcript.filter(({ what }) => what === "delivery")).toMatchObject([
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
  const { slack, ann, general } = await startAcme({ patience: patience(60_000, () => new Promise(() => {})) });
  const { taken } = await startStubApp(slack, [{ status: 500 }, { status: 500 }, "hang"]);
  const waiting = ann.openHome();
  await expect.poll(() => taken).toHaveLength(2);
  const hanging = ann.command("/media", { in: general });
  await expect.poll(() => taken).toHaveLength(3);

  await slack.stop();

  expect(await waiting).toMatchObject({ status: 500, tries: 2 });
  expect(await hanging).toMatchObject({ status: 0, tries: 1 });
});
