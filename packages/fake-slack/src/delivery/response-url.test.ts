import { expect, test } from "vitest";
import { actions, button, seen, startAcme, startApp, startWithApp } from "../test/acme.js";
import { startBoltApp } from "../test/bolt-app.js";

const MINUTE = 60_000;

/** A workspace with an app, and a function that returns the URL for the app's response to a command of ann, or a click. */
async function answering() {
  const acme = await startAcme();
  const { slack, ann, general } = acme;
  const { last } = await startApp(slack);
  const issue = async (ts?: string): Promise<string> => {
    if (ts === undefined) await ann.command("/media", { in: general });
    else await ann.press({ channelId: general.id, ts }, "older");
    return last().response_url;
  };
  return { ...acme, issue };
}

const blocks = [actions(button("Older", "older"))];

async function answer(url: string, body: unknown): Promise<{ status: number; body: string }> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return { status: response.status, body: await response.text() };
}

test("a response is private by default, even in a channel that the bot is not in", async () => {
  const { team, ann, bob, last } = await startWithApp();
  const outside = team.addChannel({ name: "outside", members: [ann, bob] });
  await ann.command("/media", { in: outside });
  const url = last().response_url;

  expect(await answer(url, { text: "For you" })).toEqual({ status: 200, body: "ok" });
  await answer(url, { text: "For you, too", response_type: "ephemeral" });
  await answer(url, { blocks: [{ type: "divider" }], response_type: "in_channel" });

  expect(ann.sees(outside)).toMatchObject([
    { text: "For you", isOnlyVisibleToYou: true, fromId: team.botUserId },
    { text: "For you, too", isOnlyVisibleToYou: true },
    { text: "", blocks: [{ type: "divider" }], isOnlyVisibleToYou: false },
  ]);
  expect(bob.sees(outside)).toHaveLength(1);
});

test("a response_url works five times", async () => {
  const { ann, general, issue } = await answering();
  const url = await issue();

  for (let count = 1; count <= 5; count += 1) expect((await answer(url, { text: `${count}` })).status).toBe(200);

  expect(await answer(url, { text: "6" })).toEqual({ status: 404, body: '{"ok":false,"error":"used_url"}' });
  expect(ann.sees(general).map(({ text }) => text)).toEqual(["1", "2", "3", "4", "5"]);
});

test("a response_url works for thirty minutes", async () => {
  const { pass, issue } = await answering();
  const url = await issue();

  pass(29 * MINUTE);
  expect((await answer(url, { text: "In time" })).status).toBe(200);
  pass(MINUTE + 1);
  expect(await answer(url, { text: "Late" })).toEqual({ status: 404, body: '{"ok":false,"error":"expired_url"}' });
  expect((await answer(`${url}x`, { text: "Nowhere" })).status).toBe(404);
});

test("for a command, replace_original and delete_original have no effect", async () => {
  const { ann, general, issue } = await answering();
  const url = await issue();
  await answer(url, { text: "First" });

  await answer(url, { text: "Second", replace_original: true });
  await answer(url, { text: "Third", delete_original: true });

  expect(ann.sees(general).map(({ text }) => text)).toEqual(["First", "Second", "Third"]);
});

test.each(["of one person", "of all"])("for a button, replace_original replaces a message %s", async (whose) => {
  const { slack, team, client, ann, general } = await startAcme();
  const content = { channel: general.id, text: "Page 1", blocks };
  if (whose === "of all") await client.chat.postMessage(content);
  else await client.chat.postEphemeral({ ...content, user: ann.id });
  const message = seen(ann.sees(general).at(-1));
  await startBoltApp(slack, { token: team.botToken }, (app) => {
    app.action("older", async ({ ack, respond }) => {
      await ack();
      await respond({ text: "Page 2", replace_original: true });
    });
  });

  await ann.press(message, "older");

  const { ts, isOnlyVisibleToYou } = message;
  await slack.until(() => ann.sees(general)[0]?.text === "Page 2");
  expect(ann.sees(general)).toMatchObject([{ ts, isOnlyVisibleToYou, text: "Page 2" }]);
});

test("for a button, a message is deleted or another one sent on request", async () => {
  const { client, ann, general, issue } = await answering();
  const { ts } = await client.chat.postMessage({ channel: general.id, text: "Token", blocks });
  const url = await issue(ts);

  await answer(url, { text: "Another" });
  expect(ann.sees(general).map(({ text }) => text)).toEqual(["Token", "Another"]);
  await answer(url, { delete_original: true });
  expect(ann.sees(general).map(({ text }) => text)).toEqual(["Another"]);
});

test.each([
  ["a body that is not JSON", "text", "invalid_payload"],
  ["an empty message", { response_type: "in_channel" }, "no_text"],
  ["an invalid block", { blocks: [{ type: "header" }] }, "invalid_blocks"],
  ["a block that is not an object", { blocks: ["text"] }, "invalid_blocks_format"],
])("%s is refused, and does not count as a use of the response_url", async (_, body, error) => {
  const { ann, general, issue } = await answering();
  const url = await issue();

  const refused = await answer(url, body);

  expect(refused.status).toBe(400);
  expect(JSON.parse(refused.body)).toMatchObject({ ok: false, error });
  expect(ann.sees(general)).toEqual([]);
  for (let count = 1; count <= 5; count += 1) expect((await answer(url, { text: "Hello" })).status).toBe(200);
});

test("Bolt's respond() throws if Slack refuses or limits the request, and works the next time", async () => {
  const { slack, team, ann, general } = await startAcme();
  const caught: number[] = [];
  const note = ({ statusCode }: { statusCode: number }) => {
    caught.push(statusCode);
  };
  await startBoltApp(slack, { token: team.botToken }, (app) => {
    app.command("/media", async ({ ack, respond }) => {
      await ack();
      await respond("First").catch(note);
      await respond({ blocks: [{ type: "header", text: { type: "plain_text", text: "" } }] }).catch(note);
      await respond("Third");
    });
  });
  slack.limit("response_url", { retryAfter: 7 });

  await ann.command("/media", { in: general });

  await slack.until(() => ann.sees(general)[0]?.text === "Third");
  expect(caught).toEqual([429, 400]);
});

test("a response is refused after the app was uninstalled", async () => {
  const { team, ann, general, issue } = await answering();
  const url = await issue();
  await team.uninstall();

  expect((await answer(url, { text: "Hello" })).status).toBe(400);
  expect(ann.sees(general)).toEqual([]);
});

test("a response to everyone can go into a thread, and a private one can't", async () => {
  const { ann, general, issue } = await answering();
  const { ts } = await ann.says("K8 failed", { in: general });

  await answer(await issue(), { text: "to all", response_type: "in_channel", replace_original: false, thread_ts: ts });
  await answer(await issue(), { text: "to ann", thread_ts: ts });
  const wrong = await answer(await issue(), { text: "x", response_type: "in_channel", thread_ts: "0" });

  expect(ann.sees(general).slice(1)).toMatchObject([
    { text: "to all", threadTs: ts },
    { text: "to ann", threadTs: undefined },
  ]);
  expect(wrong.status).toBe(400);
});

test("the transcript lists responses through a response_url", async () => {
  const { slack, team, ann, issue } = await answering();

  await answer(await issue(), { text: "Hello" });

  expect(slack.transcript.slice(-2)).toMatchObject([
    { what: "shown", name: "message", users: [ann.id] },
    {
      what: "call",
      name: "response_url",
      teamId: ann.teamId,
      users: [team.botUserId],
      detail: { args: { text: "Hello" }, status: 200, answer: "ok" },
    },
  ]);
});
