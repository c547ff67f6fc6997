import { expect, test } from "vitest";
import { startBoltApp, tokensOf } from "../test/bolt-app.js";
import { click, command, startSlack } from "../test/slack.js";
import { postMessage } from "../world/messages.js";
import { deliver } from "./deliver.js";
import { issueResponseUrl } from "./response-url.js";

const MINUTE = 60_000;

/** A workspace in which ann has sent a command, and functions to respond to it. */
async function answering() {
  const slack = await startSlack();
  const { ann, channel, world } = slack;
  const issue = (ts?: string) =>
    issueResponseUrl(world, {
      teamId: ann.teamId,
      channelId: channel.id,
      userId: ann.id,
      origin: ts === undefined ? { kind: "slash_command" } : { kind: "message", ts },
    });
  return { ...slack, issue };
}

async function answer(url: string, body: unknown): Promise<{ status: number; body: string }> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return { status: response.status, body: await response.text() };
}

test("a response is private by default, even in a channel that the bot is not in", async () => {
  const { ann, channel, installation, issue } = await answering();
  const url = issue();

  expect(await answer(url, { text: "For you" })).toEqual({ status: 200, body: "ok" });
  await answer(url, { text: "For you, too", response_type: "ephemeral" });
  await answer(url, { blocks: [{ type: "divider" }], response_type: "in_channel" });

  expect(channel.members).not.toContain(installation.botUserId);
  expect(channel.messages).toMatchObject([
    { text: "For you", onlyFor: ann.id, userId: installation.botUserId },
    { text: "For you, too", onlyFor: ann.id },
    { text: "", blocks: [{ type: "divider" }], onlyFor: undefined },
  ]);
});

test("two people with concurrent requests each see only their own response", async () => {
  const { world, ann, bob, channel } = await startSlack();
  await startBoltApp(world, tokensOf(world), (app) => {
    app.command("/media", async ({ ack, command: { user_name }, respond }) => {
      await ack();
      await respond(`This is for ${user_name}.`);
    });
  });

  await Promise.all([ann, bob].map((user) => deliver(world, command(world, user, channel))));

  await expect.poll(() => channel.messages).toHaveLength(2);
  const seenBy = (id: string) => channel.messages.filter(({ onlyFor }) => onlyFor === id).map(({ text }) => text);
  expect(seenBy(ann.id)).toEqual(["This is for ann."]);
  expect(seenBy(bob.id)).toEqual(["This is for bob."]);
});

test("a response_url works five times", async () => {
  const { channel, issue } = await answering();
  const url = issue();

  for (let count = 1; count <= 5; count += 1) expect((await answer(url, { text: `${count}` })).status).toBe(200);

  expect(await answer(url, { text: "6" })).toEqual({ status: 404, body: '{"ok":false,"error":"used_url"}' });
  expect(channel.messages.map(({ text }) => text)).toEqual(["1", "2", "3", "4", "5"]);
});

test("a response_url works for thirty minutes", async () => {
  const { pass, issue } = await answering();
  const url = issue();

  pass(29 * MINUTE);
  expect((await answer(url, { text: "In time" })).status).toBe(200);
  pass(MINUTE + 1);
  expect(await answer(url, { text: "Late" })).toEqual({ status: 404, body: '{"ok":false,"error":"expired_url"}' });
  expect((await answer(`${url}x`, { text: "Nowhere" })).status).toBe(404);
});

test("for a command, replace_original and delete_original have no effect", async () => {
  const { channel, issue } = await answering();
  const url = issue();
  await answer(url, { text: "First" });

  await answer(url, { text: "Second", replace_original: true });
  await answer(url, { text: "Third", delete_original: true });

  expect(channel.messages.map(({ text }) => text)).toEqual(["First", "Second", "Third"]);
});

test.each(["of one person", "of all"])("for a button, replace_original replaces a message %s", async (whose) => {
  const { world, ann, channel, installation } = await answering();
  const message = postMessage(world, channel, {
    userId: installation.botUserId,
    text: "Page 1",
    blocks: [],
    onlyFor: whose === "of one person" ? ann.id : undefined,
  });
  const { ts, onlyFor } = message;
  await startBoltApp(world, tokensOf(world), (app) => {
    app.action("older", async ({ ack, respond }) => {
      await ack();
      await respond({ text: "Page 2", replace_original: true });
    });
  });

  await deliver(world, click(world, ann, message, "older"));

  await expect.poll(() => channel.messages).toMatchObject([{ ts, onlyFor, text: "Page 2" }]);
});

test("for a button, a message is deleted or another one sent on request", async () => {
  const { world, channel, installation, issue } = await answering();
  const { ts } = postMessage(world, channel, { userId: installation.botUserId, text: "Token", blocks: [] });
  const url = issue(ts);

  await answer(url, { text: "Another" });
  expect(channel.messages.map(({ text }) => text)).toEqual(["Token", "Another"]);
  await answer(url, { delete_original: true });
  expect(channel.messages.map(({ text }) => text)).toEqual(["Another"]);
});

test("a private message cannot be replaced through another person's response_url", async () => {
  const { world, bob, channel, installation, issue } = await answering();
  const { ts } = postMessage(world, channel, {
    userId: installation.botUserId,
    text: "For bob",
    blocks: [],
    onlyFor: bob.id,
  });

  await answer(issue(ts), { text: "For ann", replace_original: true });

  expect(channel.messages).toMatchObject([{ text: "For bob" }, { text: "For ann" }]);
});

test.each([
  ["a body that is not JSON", "text", "invalid_payload"],
  ["an empty message", { response_type: "in_channel" }, "no_text"],
  ["an invalid block", { blocks: [{ type: "header" }] }, "invalid_blocks"],
  ["a block that is not an object", { blocks: ["text"] }, "invalid_blocks_format"],
])("%s is refused, and does not count as a use of the response_url", async (_, body, error) => {
  const { channel, issue } = await answering();
  const url = issue();

  const refused = await answer(url, body);

  expect(refused.status).toBe(400);
  expect(JSON.parse(refused.body)).toMatchObject({ ok: false, error });
  expect(channel.messages).toEqual([]);
  for (let count = 1; count <= 5; count += 1) expect((await answer(url, { text: "Hello" })).status).toBe(200);
});

test("refused blocks are named", async () => {
  const { world, issue } = await answering();
  world.refusedBlocks.add("data_table");
  const cells = [{ type: "raw_text", text: "a" }];

  const refused = await answer(issue(), {
    blocks: [{ type: "divider" }, { type: "data_table", caption: "c", rows: [cells, cells] }],
  });

  expect(JSON.parse(refused.body)).toMatchObject({
    error: "invalid_blocks",
    errors: ["unsupported type: data_table [json-pointer:/blocks/1/type]"],
  });
});

test("Bolt's respond() throws if Slack refuses or limits the request, and works the next time", async () => {
  const { world, ann, channel } = await startSlack();
  const caught: number[] = [];
  const note = ({ statusCode }: { statusCode: number }) => {
    caught.push(statusCode);
  };
  await startBoltApp(world, tokensOf(world), (app) => {
    app.command("/media", async ({ ack, respond }) => {
      await ack();
      await respond("First").catch(note);
      await respond({ blocks: [{ type: "header", text: { type: "plain_text", text: "" } }] }).catch(note);
      await respond("Third");
    });
  });
  world.addMishap(
    "response_url",
    { kind: "answer", answer: { status: 429, headers: { "retry-after": "7" }, body: "" } },
    1,
  );

  await deliver(world, command(world, ann, channel));

  await expect.poll(() => channel.messages).toMatchObject([{ text: "Third" }]);
  expect(caught).toEqual([429, 400]);
});

test("a rate limit says when to retry", async () => {
  const { world, issue } = await answering();
  world.addMishap(
    "response_url",
    { kind: "answer", answer: { status: 429, headers: { "retry-after": "7" }, body: "" } },
    1,
  );

  const response = await fetch(issue(), { method: "POST", body: '{"text":"Hello"}' });

  expect(response.status).toBe(429);
  expect(response.headers.get("retry-after")).toBe("7");
});

test("a response is refused after the app was uninstalled", async () => {
  const { team, channel, issue } = await answering();
  const url = issue();
  team.installation = undefined;

  expect((await answer(url, { text: "Hello" })).status).toBe(400);
  expect(channel.messages).toEqual([]);
});

test("a response to everyone can go into a thread, and a private one can't", async () => {
  const { world, ann, channel, issue } = await answering();
  const { ts } = postMessage(world, channel, { text: "K8 failed", blocks: [], userId: ann.id });

  await answer(issue(), { text: "to all", response_type: "in_channel", replace_original: false, thread_ts: ts });
  await answer(issue(), { text: "to ann", thread_ts: ts });
  const wrong = await answer(issue(), { text: "x", response_type: "in_channel", thread_ts: "0" });

  expect(channel.messages.slice(1)).toMatchObject([
    { text: "to all", threadTs: ts },
    { text: "to ann", threadTs: undefined },
  ]);
  expect(wrong.status).toBe(400);
});

test("the transcript lists responses through a response_url", async () => {
  const { world, ann, installation, issue } = await answering();

  await answer(issue(), { text: "Hello" });

  expect(world.transcript).toMatchObject([
    { what: "shown", name: "message", users: [ann.id] },
    {
      what: "call",
      name: "response_url",
      teamId: ann.teamId,
      users: [installation.botUserId],
      detail: { args: { text: "Hello" }, status: 200, answer: "ok" },
    },
  ]);
});
