import { buttonsOf, type Person, type Place, type SeenMessage, textOf } from "@media-ops/fake-slack";
import { closeAfterAll } from "@media-ops/testing/after-all";
import { readUnverifiedToken } from "@media-ops/tokens";
import { pino } from "pino";
import { describe, expect, it, onTestFinished } from "vitest";
import { AuditLog } from "../audit/audit-log.js";
import { readConfig } from "../config.js";
import { type Access, NotInstalledError } from "../slack/access.js";
import { startApprovalStage } from "../test/approvals.js";
import { oneWorkspace } from "../test/config.js";
import { expectLife, expectWords, labelsOf, type Stage, startStage, TOKEN } from "../test/stage.js";
import { openTestStorage } from "../test/storage.js";
import { ASK_FORM, keepRequests } from "./approvals.js";
import { type NewRequest, RequestStore } from "./request-store.js";

const MINUTE = 60_000;
let ahead = 0;
const stage = await startApprovalStage({ atEnd: closeAfterAll(), now: () => Date.now() + ahead });

const BEYOND = "/media token lobby role:sendrecv for:1h max:3 in:demo";

/** The buttons of a message as it is now. */
function buttonsAt(message: SeenMessage) {
  const now = stage.dan.messageAt(message);
  return now ? buttonsOf(now) : [];
}
const tokenIn = (text: string): string => TOKEN.exec(text)?.[0] ?? "";

describe("a request for approval", () => {
  it("is offered with a refusal, says what it is for, and is posted where the policy says, with its reason", async () => {
    const { person, place } = await stage.addRequester();
    const refused = await stage.ask(person, BEYOND, place);
    expect(labelsOf(refused)).toEqual(["Choose what is allowed", "Ask for approval…"]);
    await person.press(refused, "Ask for approval…");
    const modal = await stage.slack.until(() => (person.modal?.callbackId === ASK_FORM ? person.modal : undefined));
    expectWords(modal, "*Role:* sendrecv", "*Lifetime:* 1 hour, from its approval");
    const said = await stage.next(person, place, () => person.submit({ Reason: "a rehearsal with *Kim* <!here>" }));
    expect(textOf(said)).toContain(`Asked in #${stage.desk.id}.`);
    expect(said.isOnlyVisibleToYou).toBe(true);
    const posted = stage.cara.sees(stage.desk).at(-1);
    const words = textOf(posted ?? []);
    for (const fact of ["Project: demo", "Channel: lobby", "Role: sendrecv", "1 hour", "Limit: 3 connections"]) {
      expect(words.replaceAll("*", "")).toContain(fact);
    }
    expect(words).toContain(`@${person.id} asks for an access token.`);
    expect(JSON.stringify(posted?.blocks)).toContain("a rehearsal with ∗Kim∗ &lt;!here&gt;");
    const values = (posted ? buttonsOf(posted) : []).map(({ value }) => value);
    expect(values).toEqual([expect.stringMatching(/^[\w-]{24}$/), values[0]]);
    expect(await stage.audit({ userId: person.id })).toMatchObject([
      {
        action: "token.request",
        outcome: "done",
        via: "window",
        placeId: place.id,
        projectId: "demo",
        subject: values[0],
      },
      { action: "token.mint", outcome: "refused", via: "command", placeId: place.id, projectId: "demo" },
    ]);
  });

  it("that is approved sends the token to the person alone, for the time from the approval on", async () => {
    const { person, place } = await stage.addRequester();
    const asked = await stage.request({ person, place }, BEYOND);
    const before = await stage.made();
    ahead += 10 * MINUTE;
    await stage.cara.press(asked, "Approve");
    await stage.done();
    const [message] = person.direct();
    const token = tokenIn(textOf(message ?? []));
    const { claims } = readUnverifiedToken(token);
    expect(claims).toMatchObject({ channel_id: "lobby@demo", role: "sendrecv", max_channel_connections: 3 });
    expectLife(claims, 3600);
    expect(Math.abs((claims.exp ?? 0) * 1000 - (Date.now() + ahead + 60 * MINUTE))).toBeLessThan(MINUTE);
    expect(await stage.made()).toBe(before + 1);
    expect(textOf(message ?? [])).toContain(`Approved by @${stage.cara.id}`);

    const shown = stage.dan.messageAt(asked);
    expect(textOf(shown ?? [])).toContain(`✓ Approved by @${stage.cara.id}`);
    expect(buttonsAt(asked)).toEqual([]);
    const seen = stage.slack.transcript.filter((entry) => JSON.stringify(entry).includes(token));
    expect(seen.map(({ what, name }) => `${what} ${name}`).sort()).toEqual([
      "call chat.postMessage",
      expect.stringMatching(/^shown /),
    ]);
    const calls = seen.filter(({ what }) => what === "call").map(({ detail }) => JSON.stringify(detail));
    expect(calls.join()).toContain(`"channel":"${person.id}"`);
    expect(message?.text).not.toContain(token);
    expect(await stage.stored()).not.toContain(token);
    expect(stage.logged()).not.toContain(token);

    const jti = claims.jti;
    expect((await stage.audit()).slice(0, 2)).toMatchObject([
      { action: "token.mint", outcome: "done", userId: person.id, subject: jti, via: "button" },
      { action: "token.approve", outcome: "done", userId: stage.cara.id, projectId: "demo", placeId: stage.desk.id },
    ]);
  });

  it("that is denied makes no token, and the person sees who denied it", async () => {
    const who = await stage.addRequester();
    const asked = await stage.request(who, BEYOND);
    const before = await stage.made();
    await stage.ann.press(asked, "Deny");
    await stage.done();
    expect(textOf(stage.dan.messageAt(asked) ?? [])).toContain(`✗ Denied by @${stage.ann.id}`);
    expect(buttonsAt(asked)).toEqual([]);
    expect(textOf(who.person.direct().at(-1) ?? [])).toContain(`@${stage.ann.id} denied your request`);
    expect(await stage.made()).toBe(before);
    expect((await stage.audit())[0]).toMatchObject({ action: "token.deny", outcome: "done", userId: stage.ann.id });
  });

  it("that nobody decides lapses after 15 minutes, and its message says so", async () => {
    const who = await stage.addRequester();
    const asked = await stage.request(who, BEYOND);
    ahead += 14 * MINUTE;
    await stage.running().watched();
    expect(buttonsAt(asked)).toHaveLength(2);
    ahead += MINUTE;
    await stage.running().watched();
    expect(textOf(stage.dan.messageAt(asked) ?? [])).toContain("Lapsed: nobody decided within 15 minutes.");
    expect(buttonsAt(asked)).toEqual([]);
    expect(textOf(who.person.direct().at(-1) ?? [])).toContain("Nobody decided your request");
    expect((await stage.audit())[0]).toMatchObject({
      ...{ action: "token.request", outcome: "lapsed", userId: who.person.id, via: "timer" },
    });
  });

  it("lapses, or can be approved, as well if the bot was restarted in between", async () => {
    const [first, second] = [await stage.addRequester(), await stage.addRequester()];
    const lapsing = await stage.request(first, BEYOND);
    ahead += 10 * MINUTE;
    const asked = await stage.request(second, BEYOND);
    await stage.restart();
    ahead += 6 * MINUTE;
    await stage.running().watched();
    expect(textOf(stage.dan.messageAt(lapsing) ?? [])).toContain("Lapsed");
    await stage.cara.press(asked, "Approve");
    await stage.done();
    expect(textOf(second.person.direct()[0] ?? [])).toMatch(TOKEN);
  });

  it("is decided once, if two people press at the same moment", async () => {
    const who = await stage.addRequester();
    const asked = await stage.request(who, BEYOND);
    const before = await stage.made();
    await Promise.all([stage.cara.press(asked, "Approve"), stage.ann.press(asked, "Approve")]);
    await stage.done();
    expect(await stage.made()).toBe(before + 1);
    expect(who.person.direct()).toHaveLength(1);
    const outcomes = (await stage.audit({ action: "token.approve" })).slice(0, 2).map(({ outcome }) => outcome);
    expect(outcomes.sort()).toEqual(["done", "refused"]);
  });

  it("is approved once on a double click, and if Slack sends the press twice", async () => {
    const who = await stage.addRequester();
    const asked = await stage.request(who, BEYOND);
    const before = await stage.made();
    stage.slack.repeatNext();
    await stage.cara.press(asked, "Approve", { times: 2 });
    await stage.done();
    expect(await stage.made()).toBe(before + 1);
    expect(who.person.direct()).toHaveLength(1);
  });

  it("can be approved again if the service made no token", async () => {
    await stage.connect("garden", "http://127.0.0.1:1");
    const who = await stage.addRequester();
    const asked = await stage.request(who, BEYOND.replace("demo", "garden"));
    await stage.cara.press(asked, "Approve");
    await stage.done();
    expect(buttonsAt(asked)).toHaveLength(2);
    const [minted, approved] = await stage.audit();
    expect([minted, approved]).toMatchObject([
      { action: "token.mint", outcome: "failed" },
      { action: "token.approve", outcome: "failed" },
    ]);
    expect(JSON.stringify([minted, approved])).not.toContain(stage.service.project("garden").apiKey);
  });

  it("whose token Slack does not deliver ends with that, and hands out no other", async () => {
    const who = await stage.addRequester();
    const asked = await stage.request(who, BEYOND);
    stage.slack.fail("chat.postMessage", { error: "cannot_dm_bot" });
    await stage.cara.press(asked, "Approve");
    await stage.done();
    expect(textOf(stage.dan.messageAt(asked) ?? [])).toContain("got no token. They can ask again.");
    expect(who.person.direct()).toEqual([]);
  });

  it("is not taken from a person with three that wait", async () => {
    const who = await stage.addRequester();
    for (let time = 0; time < 3; time++) await stage.request(who, BEYOND);
    await expect(stage.request(who, BEYOND)).rejects.toThrow(/You have 3 requests that nobody has decided yet/);
  });

  it("is not offered for more than the policy lets anybody approve", async () => {
    const { person, place } = await stage.addRequester();
    const refused = await stage.ask(person, "/media token lobby role:sendrecv for:9h in:demo", place);
    expect(labelsOf(refused)).toEqual(["Choose what is allowed"]);
  });

  it("that cannot be posted is not kept, and the person sees why", async () => {
    const who = await stage.addRequester();
    stage.slack.fail("chat.postMessage", { error: "not_in_channel" });
    await expect(stage.request(who, BEYOND)).rejects.toThrow(/the bot can't post in #C/);
    expect((await stage.audit({ userId: who.person.id }))[0]).toMatchObject({ outcome: "refused" });
    const rows = stage.query.selectFrom("token_request").selectAll().where("user_id", "=", who.person.id);
    expect(await rows.execute()).toEqual([]);
  });
});

/** Replaces the stage's bot by one with another policy and an audit channel; requests a token of it. */
async function startWith(stage: Stage, { policy, audit }: { policy?: object; audit?: Place } = {}) {
  const bot = await stage.replaceBot(policy, audit && { BOT_AUDIT_CHANNEL: audit.id });
  const request = async (person: Person): Promise<void> => {
    const refused = await stage.ask(person, "/media token lobby role:sendrecv for:1h");
    await person.press(refused, "Ask for approval…");
    await stage.form(person);
    await person.submit({ Reason: "a rehearsal" });
    await bot.settled();
  };
  return { bot, request };
}

const withButtons = (messages: readonly SeenMessage[]): SeenMessage[] =>
  messages.filter((message) => buttonsOf(message).some(({ text }) => text === "Approve"));

describe("a request for approval, without a policy file,", () => {
  it("goes to the audit channel, where an admin decides, and nothing is posted twice", async () => {
    const stage = await startStage();
    const { team, ann, bob } = stage;
    const audit = team.addChannel({ name: "audit", members: [ann, bob], withBot: true });
    const { bot, request } = await startWith(stage, { audit });
    await request(bob);
    expect(ann.sees(audit)).toHaveLength(1);
    const [asked] = withButtons(ann.sees(audit));
    expect(textOf(asked ?? [])).toContain("an admin of this workspace can decide");
    if (!asked) return;
    await ann.press(asked, "Approve");
    await bot.settled();
    expect(textOf(bob.direct()[0] ?? [])).toMatch(TOKEN);
    const words = ann.sees(audit).map((message) => textOf(message));
    expect(words).toHaveLength(2);
    expect(words[0]).toContain(`✓ Approved by @${ann.id}`);
    expect(words[1]).toContain(`@${bob.id} made an access token in`);
    expect(words[1]).toContain(`• *Approved by:* @${ann.id}`);
    expect(words.join()).not.toMatch(TOKEN);
  });

  it("is not possible without an audit channel, and the refusal says what the operator can do", async () => {
    const stage = await startStage();
    await startWith(stage);
    const refused = await stage.ask(stage.bob, BEYOND);
    expect(labelsOf(refused)).toEqual(["Choose what is allowed"]);
    expect(textOf(refused)).toContain(
      "A workspace admin can help. The operator can also name a channel in which more can be requested.",
    );
  });
});

it("a request for approval that the policy sends to a user group is a direct message to each other member, and each of them shows the decision", async () => {
  const stage = await startStage();
  const { team, slack, ann, bob } = stage;
  const [cara, dan] = [team.addUser({ name: "cara" }), team.addUser({ name: "dan" })];
  const ops = team.addGroup({ handle: "ops", members: [cara, dan, bob] });
  const audit = team.addChannel({ name: "audit", members: [ann], withBot: true });
  const { bot, request } = await startWith(stage, { policy: { approvals: [{ postTo: ops.id }] }, audit });
  await request(bob);
  expect(withButtons(bob.direct())).toEqual([]);
  const [[forCara], [forDan]] = [withButtons(cara.direct()), withButtons(dan.direct())];
  if (!forCara || !forDan) throw new Error("Somebody was not asked.");
  await slack.until(() => textOf(ann.sees(audit).at(-1) ?? []).includes("asked for an access token in"));
  await dan.press(forDan, "Deny");
  await bot.settled();
  for (const person of [cara, dan]) {
    const [message] = person.direct();
    expect(textOf(message ?? [])).toContain(`✗ Denied by @${dan.id}`);
    expect(message && buttonsOf(message)).toEqual([]);
  }
  await slack.until(() =>
    textOf(ann.sees(audit).at(-1) ?? []).includes(`@${dan.id} denied an access token to @${bob.id}`),
  );
});

describe("a request whose bot stopped", () => {
  it("while its token was made ends without one, says so, and cannot be approved again", async () => {
    const asked = await stage.request(await stage.addRequester(), BEYOND);
    const begun = { state: "approving", decided_by: stage.cara.id, decided_at: Date.now() + ahead };
    await stage.query.updateTable("token_request").set(begun).where("state", "=", "pending").execute();
    await stage.restart();
    const before = await stage.made();
    ahead += 3 * MINUTE;
    await stage.running().watched();
    await stage.running().watched();
    expect(textOf(stage.dan.messageAt(asked) ?? [])).toContain("got no token. They can ask again.");
    expect(buttonsOf(stage.dan.messageAt(asked) ?? asked)).toEqual([]);
    await stage.forge(stage.ann, { channelId: asked.channelId, ts: asked.ts, action: "approve-token", value: "" });
    expect(await stage.made()).toBe(before);
  });

  it("before it stored where it was posted can be decided, and its message shows that", async () => {
    const asked = await stage.request(await stage.addRequester(), BEYOND);
    await stage.query.updateTable("token_request").set({ messages: null }).where("state", "=", "pending").execute();
    await stage.cara.press(asked, "Approve");
    await stage.done();
    expect(textOf(stage.dan.messageAt(asked) ?? [])).toContain("✓ Approved by");
  });
});

it("a decision that Slack did not show is shown later", async () => {
  const asked = await stage.request(await stage.addRequester(), BEYOND);
  stage.slack.fail("chat.update", { error: "ratelimited" });
  await stage.cara.press(asked, "Deny");
  await stage.done();
  expect(buttonsOf(stage.dan.messageAt(asked) ?? asked)).toHaveLength(2);
  ahead += MINUTE;
  await stage.running().watched();
  expect(textOf(stage.dan.messageAt(asked) ?? [])).toContain("✗ Denied by");
});

const requestIn = (teamId: string): NewRequest => ({
  served: { teamId, isOrgWide: false },
  userId: "U01",
  placeId: undefined,
  projectId: "demo",
  baseUrl: "https://media.example",
  channelId: undefined,
  role: "recvonly",
  lifetimeMs: MINUTE,
  startsAt: undefined,
  maxConnections: undefined,
  jti: undefined,
  reason: "a guest",
});

it("a request that cannot be ended, as while a PostgreSQL is down, does not keep those of other workspaces", async () => {
  const storage = await openTestStorage();
  let now = 1_000_000;
  const approvals = new RequestStore(storage, () => now);
  for (const teamId of ["T01", "T02"]) await approvals.add(requestIn(teamId));
  const log = pino({ level: "silent" });
  const access: Pick<Access, "authorize"> = {
    async authorize({ teamId = "" }) {
      if (teamId === "T01") throw new Error("a worker is down");
      throw new NotInstalledError(teamId);
    },
  };
  const config = readConfig(oneWorkspace);
  const keeper = keepRequests({ config, access, approvals, audit: new AuditLog(storage, () => now), log });
  onTestFinished(() => keeper.stop());
  now += 20 * MINUTE;
  await keeper.settled();
  now += MINUTE;
  expect((await approvals.unshown()).map(({ served }) => served.teamId)).toEqual(["T01"]);
});
