import { buttonsOf, checkBlocks, type Person, type SeenMessage, textOf } from "@media-ops/fake-slack";
import { describe, expect, it } from "vitest";
import { connection, failure, webhook } from "../test/entries.js";
import { eventOf, sendSigned } from "../test/requests.js";
import { expectWords, labelsOf, roomsIn, type Stage, type StageOptions, startStage, TOKEN } from "../test/stage.js";

/** A stage with the bot in the channel, and two webhooks, one of them failed. */
async function startWithBot(options: StageOptions = {}): Promise<Stage> {
  const stage = await startStage(options);
  stage.team.inviteBot(stage.general);
  await stage.service.add("webhooks", webhook({ status: 503 }), webhook({ minutesAgo: 5 }));
  return stage;
}

const room = await roomsIn(async (options) => {
  const stage = await startWithBot(options);
  await stage.service.add("events", failure());
  return stage;
});

/** A new channel with the bot, of two new people, for tests that log nothing more. */
function roomWithBot(): Stage {
  const stage = room();
  stage.team.inviteBot(stage.general);
  return stage;
}

/** Mentions the bot, and returns the bot's message and the one that it was mentioned in. */
async function mention(
  { slack, team, general }: Stage,
  person: Person,
  text: string,
  thread?: SeenMessage,
): Promise<{ answer: SeenMessage; said: SeenMessage }> {
  const before = new Set(person.sees(general).map(({ ts }) => ts));
  const said = await person.says(`${team.botMention} ${text}`, { in: general, thread });
  const isNew = ({ ts, from }: SeenMessage): boolean => from === "bot" && !before.has(ts);
  return { answer: await slack.until(() => person.sees(general).find(isNew)), said };
}

/** Sends a mention in Slack's format. */
async function sendMention(stage: Stage, event_id: string, more: object): Promise<void> {
  const { team, ann, general } = stage;
  const text = `${team.botMention} logs webhooks`;
  const event = { type: "app_mention", user: ann.id, team: team.id, channel: general.id, text, ...more };
  const body = { ...eventOf(event), team_id: team.id, authorizations: null, event_id: event_id + general.id };
  expect((await sendSigned(stage, JSON.stringify(body), "application/json")).status).toBe(200);
}

/** The bot's messages that a person sees in the channel. */
const byBot = (person: Person, { general }: Stage): SeenMessage[] =>
  person.sees(general).filter(({ from }) => from === "bot");

describe("a mention of the bot", () => {
  it("is answered for everyone in the thread in which it is said", async () => {
    const stage = await startWithBot();
    const { ann, bob, general } = stage;
    const question = await bob.says("Do our webhooks arrive?", { in: general });
    const { answer } = await mention(stage, ann, "logs webhooks failed since:1h", question);
    expect(answer).toMatchObject({ threadTs: question.ts, isOnlyVisibleToYou: false });
    expectWords(answer, "1 failed webhook of 2 in the last hour, project demo", "503");
    expect(bob.repliesTo(question).at(-1)).toEqual(answer);
    // Slack shows a reply to a reply in the channel, too.
    const posted = stage.slack.transcript.find(({ name }) => name === "chat.postMessage");
    expect(posted?.detail).toMatchObject({ args: { thread_ts: question.ts } });
    expect(checkBlocks(answer.blocks, "message")).toEqual({ ok: true });
  });

  it.each([
    ["summary webhooks", "Summary of 2 webhooks"],
    ["why lobby", "Why connections failed in lobby"],
    ["trace lobby", "lobby"],
    ["live", "Live now"],
    ["status", "demo at 127.0.0.1"],
    ["logs sessions", "0 sessions"],
  ])("is answered for everyone if it reads: %s", async (text, words) => {
    const stage = roomWithBot();
    const { answer, said } = await mention(stage, stage.ann, text);
    expect(answer.isOnlyVisibleToYou).toBe(false);
    expect(textOf(answer)).toContain(words);
    expect(labelsOf(answer)).toEqual(["Look closer"]);
    expect(stage.bob.repliesTo(said)).toEqual([answer]);
  });

  it("may stand anywhere in the message, and the command in code", async () => {
    const stage = roomWithBot();
    const { slack, team, bob, general } = stage;
    for (const text of [
      `logs webhooks status>=500 ${team.botMention}`,
      `logs ${team.botMention} webhooks status>=500`,
      `${team.botMention}\n\`logs webhooks status>=500\``,
      `${team.botMention} \`\`\`logs webhooks\nstatus>=500\`\`\``,
      `${team.botMention} logs webhooks status>=500 url:<https://hooks.example/media>`,
    ]) {
      const said = await bob.says(text, { in: general });
      const answer = await slack.until(() => bob.repliesTo(said)[0]);
      expect(textOf(answer), text).toContain("1 webhook of 2, ");
    }
  });

  it("has times in UTC, because readers may be in other time zones, and reads those of the person", async () => {
    const stage = roomWithBot();
    const yuki = stage.team.addUser({ name: "yuki", timeZone: "Asia/Tokyo" });
    stage.general.add(yuki);
    const { answer } = await mention(stage, yuki, "logs webhooks since:2026-11-01");
    expect(textOf(answer)).toContain("since 2026-10-31 15:00 UTC, project demo");
  });

  it("has lines for everyone if Slack accepts no tables", async () => {
    const stage = await startWithBot();
    stage.slack.refuseBlocks(["data_table"]);
    const { answer } = await mention(stage, stage.ann, "logs webhooks");
    expect(textOf(answer)).toContain("503");
    expect(labelsOf(answer)).toEqual(["Look closer"]);
    expect(answer.isOnlyVisibleToYou).toBe(false);
  });

  it("is answered once, even if Slack sends it again, or again as another event", async () => {
    const stage = await startWithBot();
    const { slack, ann, bob } = stage;
    slack.repeatNext();
    const { said } = await mention(stage, ann, "logs webhooks");
    expect(slack.transcript.filter(({ name }) => name === "event")).toHaveLength(2);
    await sendMention(stage, "EvAnother", { ts: said.ts });
    await stage.settled();
    expect(bob.repliesTo(said)).toHaveLength(1);
  });

  it("is answered once even if the answer is a problem, but again if the message is sent as another event", async () => {
    const stage = await startWithBot();
    await stage.service.stop();
    for (const [event, problems] of [
      ["Ev1", 1],
      ["Ev1", 1],
      ["Ev2", 2],
    ] as const) {
      await sendMention(stage, event, { ts: "1.000001" });
      await stage.settled();
      expect(byBot(stage.ann, stage)).toHaveLength(problems);
    }
  });

  it("of the bot itself is ignored", async () => {
    const stage = roomWithBot();
    await sendMention(stage, "Ev1", { ts: "1.000001", user: stage.team.botUserId });
    await stage.settled();
    expect(byBot(stage.ann, stage)).toEqual([]);
  });
});

describe("a button under an answer for everyone", () => {
  it("opens an answer of the reader's own in the thread, and leaves the one for everyone unchanged", async () => {
    const stage = await startWithBot();
    const { ann, bob } = stage;
    const entries = Array.from({ length: 30 }, (_, at) => connection({ minutesAgo: 40 - at }));
    await stage.service.add("connections", ...entries);
    const { answer, said } = await mention(stage, ann, "logs connections");
    const own = await stage.press(answer, "Look closer", bob);
    expect(own).toMatchObject({ isOnlyVisibleToYou: true, threadTs: said.ts });
    expect(textOf(own)).toContain("1–20 of 30 connections");
    expect(labelsOf(own)).toContain("Share here");
    const older = await stage.press(own, "Older", bob);
    expect(older.ts).toBe(own.ts);
    expect(textOf(older)).toContain("21–30 of 30 connections");
    expect(bob.messageAt(answer)).toEqual(answer);
    expect(byBot(ann, stage)).toEqual([answer]);
  });

  it("shares a page in the thread", async () => {
    const stage = roomWithBot();
    const { slack, ann, bob } = stage;
    const { answer, said } = await mention(stage, ann, "logs webhooks");
    const own = await stage.press(answer, "Look closer", bob);
    await bob.press(own, "Share here");
    const shared = await slack.until(() => ann.repliesTo(said)[1]);
    expect(textOf(shared)).toContain(`Shared by @${bob.id}`);
  });
});

describe("only the person sees", () => {
  it("a token, in the thread or outside of one", async () => {
    const stage = roomWithBot();
    const { ann, bob, general } = stage;
    const question = await bob.says("May I have a token?", { in: general });
    const { answer: inThread } = await mention(stage, ann, "token lobby for:10m", question);
    expect(inThread).toMatchObject({ isOnlyVisibleToYou: true, threadTs: question.ts });
    expect(textOf(inThread)).toMatch(TOKEN);
    const { answer: outside } = await mention(stage, ann, "token lobby for:10m");
    expect(outside).toMatchObject({ isOnlyVisibleToYou: true, threadTs: undefined });
    expect(textOf(outside)).toMatch(TOKEN);
    expect(byBot(bob, stage)).toEqual([]);
    expect(ann.direct()).toEqual([]);
  });

  it.each([
    ["token", "Describe the token", "Access token"],
    ["connect", "Connect a project", "Connect a project"],
  ])("a button for the window of %s, which Slack lets no mention open", async (text, label, title) => {
    const stage = roomWithBot();
    const { ann, bob } = stage;
    const { answer } = await mention(stage, ann, text);
    expect(answer.isOnlyVisibleToYou).toBe(true);
    expect(ann.modal).toBeUndefined();
    await ann.press(answer, label);
    await stage.form(ann);
    expect(ann.modal?.title).toBe(title);
    expect(byBot(bob, stage)).toEqual([]);
  });

  it("what was not understood, with a button for the nearest command", async () => {
    const stage = roomWithBot();
    const { ann, bob, general } = stage;
    const question = await bob.says("Do our webhooks arrive?", { in: general });
    const { answer } = await mention(stage, ann, "logs webhooks statsu>=500", question);
    expect(answer).toMatchObject({ isOnlyVisibleToYou: true, threadTs: question.ts });
    expect(textOf(answer)).toContain("Did you mean status?");
    const own = await stage.press(answer, "/media logs webhooks status>=500");
    expect(own).toMatchObject({ ts: answer.ts, isOnlyVisibleToYou: true });
    expect(textOf(own)).toContain("1 webhook of 2, status ≥ 500");
    expect(byBot(bob, stage)).toEqual([]);
  });

  it.each(["tokn lobby", "thanks!", "can you disconnect demo?"])(
    "a suggestion, which makes and deletes nothing: %s",
    async (text) => {
      const stage = roomWithBot();
      const { answer } = await mention(stage, stage.ann, text);
      expect(answer.isOnlyVisibleToYou).toBe(true);
      expect(buttonsOf(answer).map(({ value }) => value)).not.toContainEqual(
        expect.stringMatching(/^(?:token|disconnect|connect|use|watch|digest) /),
      );
      expect(byBot(stage.bob, stage)).toEqual([]);
    },
  );

  it("the start, help, projects and the confirmation of a change", async () => {
    const stage = roomWithBot();
    for (const [text, words] of [
      ["", "without leaving the conversation"],
      ["help", "/media help"],
      ["projects", "One project is connected"],
      ["watches", "Nothing is watched yet"],
      ["use demo", "demo"],
    ] as const) {
      const { answer } = await mention(stage, stage.ann, text);
      expect(answer.isOnlyVisibleToYou, text).toBe(true);
      expect(textOf(answer)).toContain(words);
    }
    expect(byBot(stage.bob, stage)).toEqual([]);
  });

  it("where a file is, which goes to their direct messages", async () => {
    const stage = roomWithBot();
    const { slack, ann, bob } = stage;
    for (const text of ["logs webhooks as:csv", "trace lobby as:json"]) {
      const { answer } = await mention(stage, ann, text);
      expect(answer.isOnlyVisibleToYou).toBe(true);
      expect(textOf(answer)).toContain("is in your direct messages with the bot.");
    }
    await slack.until(() => ann.files().length === 2);
    expect(bob.files()).toEqual([]);
    expect(byBot(bob, stage)).toEqual([]);
  });

  it("why there is no answer", async () => {
    const stage = await startWithBot();
    await stage.service.stop();
    const { answer } = await mention(stage, stage.ann, "logs webhooks");
    expect(answer.isOnlyVisibleToYou).toBe(true);
    expect(textOf(answer)).toContain("The service was not reached");
    expect(byBot(stage.bob, stage)).toEqual([]);
  });

  it("that a key in the message is visible to everyone, and the key is not repeated", async () => {
    const stage = await startWithBot();
    const { apiKey } = stage.service;
    for (const words of ["", "connect ", "logs webhooks url~", "token "]) {
      const { answer } = await mention(stage, stage.ann, `${words}${apiKey}`);
      expect(answer.isOnlyVisibleToYou).toBe(true);
      expect(textOf(answer)).toContain("Everyone in this conversation can see it: delete your message.");
      expect(textOf(answer)).toContain("contains a key or a token, so nothing was done with it.");
      expect(JSON.stringify(answer)).not.toContain(apiKey.slice(0, 30));
    }
    expect(byBot(stage.bob, stage)).toEqual([]);
    expect(stage.logged()).not.toContain(apiKey);
    expect(await stage.stored()).not.toContain(apiKey);
  });

  it("an answer that the bot may not post in the channel", async () => {
    const stage = roomWithBot();
    stage.slack.fail("chat.postMessage", { error: "restricted_action" });
    const { answer, said } = await mention(stage, stage.ann, "logs webhooks");
    expect(answer.isOnlyVisibleToYou).toBe(true);
    expect(textOf(answer)).toContain("503");
    expect(stage.bob.repliesTo(said)).toEqual([]);
  });
});
