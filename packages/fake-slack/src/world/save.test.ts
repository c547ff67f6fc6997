import { describe, expect, it, onTestFinished } from "vitest";
import { type FakeSlack, type Person, startFakeSlack } from "../index.js";
import { clientOf, modal, SCOPES, section, seen, startAcme, startApp, startWithApp } from "../test/acme.js";

/** Another fake Slack that is restored from the saved state of this one. */
async function startAgain(slack: FakeSlack) {
  const saved = JSON.parse(JSON.stringify(slack.save()));
  const later = await startFakeSlack({ scopes: SCOPES, saved });
  onTestFinished(() => later.stop());
  const team = seen(later.workspaces[0]);
  const person = (name: string): Person => seen(team.person(name));
  return { saved, later, team, ann: person("ann"), bob: person("bob"), client: clientOf(later, team.botToken) };
}

describe("a restored Slack", () => {
  it("has the same people, channels, groups and messages, with the same ids", async () => {
    const { slack, team, ann, general, client } = await startAcme();
    const secret = team.addChannel({ name: "secret", kind: "private", members: [ann] });
    const ops = team.addGroup({ handle: "ops", members: [ann] });
    ann.isAdmin = true;
    await client.chat.postMessage({ channel: general.id, text: "hello", blocks: [section("*hello*")] });
    await ann.says("good morning", { in: secret });
    await client.chat.postMessage({ channel: ann.id, text: "to you" });
    const again = await startAgain(slack);
    expect(again.team).toMatchObject({ id: team.id, name: "acme", botUserId: team.botUserId, botId: team.botId });
    expect(again.later.app.id).toBe(slack.app.id);
    expect(again.ann).toMatchObject({ id: ann.id, isAdmin: true, timeZone: "Europe/Berlin" });
    expect(again.bob.isAdmin).toBe(false);
    expect(again.team.places).toMatchObject([
      { id: general.id, name: "general", kind: "public" },
      { id: secret.id, name: "secret", kind: "private" },
    ]);
    for (const place of [general, secret, ann.directPlace]) {
      expect(ann.sees(place)).not.toEqual([]);
      expect(again.ann.sees(place)).toEqual(ann.sees(place));
    }
    expect(again.bob.sees(secret)).toEqual([]);
    expect(again.ann.directPlace.id).toBe(ann.directPlace.id);
    expect((await again.client.usergroups.users.list({ usergroup: ops.id })).users).toEqual([ann.id]);
  });

  it("has the same archived channels and threads", async () => {
    const { slack, team, ann, general } = await startAcme();
    const message = await ann.says("x", { in: general });
    await ann.says("y", { in: general, thread: message });
    team.archive(general);
    const again = await startAgain(slack);
    expect(again.ann.repliesTo(message)).toEqual(ann.repliesTo(message));
    await expect(again.ann.says("x", { in: general })).rejects.toThrow("general is archived.");
  });

  it("has the shared files, unchanged", async () => {
    const { slack, client, general, ann } = await startAcme();
    await client.files.uploadV2({ channel_id: general.id, filename: "logs.csv", content: "a,ü\n" });
    const again = await startAgain(slack);
    expect(again.ann.files()).toEqual([{ name: "logs.csv", title: "logs.csv", content: "a,ü\n" }]);
    expect(again.ann.files()).toEqual(ann.files());
  });

  it("has the homes, which remain interactive", async () => {
    const { slack, client, ann } = await startAcme();
    const button = { type: "button" as const, action_id: "go", text: { type: "plain_text" as const, text: "Go" } };
    const blocks = [{ type: "actions" as const, block_id: "x", elements: [button] }];
    await client.views.publish({ user_id: ann.id, view: { type: "home", callback_id: "home", blocks } });
    const again = await startAgain(slack);
    expect(again.ann.home).toEqual(ann.home);
    const { last } = await startApp(again.later);
    await again.ann.press(seen(again.ann.home), "Go");
    expect(last()).toMatchObject({ view: { id: ann.home?.id, callback_id: "home" }, actions: [{ action_id: "go" }] });
    await again.client.views.publish({ user_id: ann.id, view: { type: "home", blocks: [section("new")] } });
    expect(again.ann.home).toMatchObject({ id: ann.home?.id, blocks: [{ text: { text: "new" } }] });
  });

  it("has no private messages, modals or tokens", async () => {
    const { slack, team, client, general, ann, last } = await startWithApp();
    await ann.command("/media", { in: general });
    await client.views.open({ trigger_id: last().trigger_id, view: modal() });
    await client.chat.postEphemeral({ channel: general.id, user: ann.id, text: "for you" });
    const again = await startAgain(slack);
    expect(again.ann.sees(general)).toEqual([]);
    expect(again.ann.modal).toBeUndefined();
    const text = JSON.stringify(again.saved);
    const { signingSecret, clientSecret, appToken } = slack.app;
    for (const secret of ["for you", "New token", team.botToken, signingSecret, clientSecret, appToken]) {
      expect(text).not.toContain(secret);
    }
    expect(again.team.botToken).not.toBe(team.botToken);
    expect(await again.client.auth.test()).toMatchObject({ user_id: team.botUserId, team_id: team.id });
  });

  it("never reuses an id, even one that was assigned after the save", async () => {
    const future = Date.now() + 3_600_000;
    const { slack, team, client, general } = await startAcme({ now: () => future });
    const early = await client.chat.postMessage({ channel: general.id, text: "early" });
    const again = await startAgain(slack);
    const ids = new Set([...team.people, ...team.places].map(({ id }) => id.slice(1)));
    for (let count = 0; count < 5; count += 1) ids.add(team.addUser({ name: `then ${count}` }).id.slice(1));
    const newcomer = again.team.addUser({ name: "newcomer" });
    expect(ids).not.toContain(newcomer.id.slice(1));
    const late = await again.client.chat.postMessage({ channel: general.id, text: "late" });
    expect(Number(late.ts)).toBeGreaterThan(Number(early.ts));
  });

  it("requests the app's current scopes", async () => {
    const { slack, general } = await startAcme({ scopes: ["commands"] });
    const again = await startAgain(slack);
    expect(await again.client.chat.postMessage({ channel: general.id, text: "x" })).toMatchObject({ ok: true });
  });

  it("has the app installed in the same workspaces", async () => {
    const { slack } = await startAcme();
    slack.addWorkspace({ name: "other", installed: false });
    const again = await startAgain(slack);
    expect(again.later.workspaces.map(({ name, isInstalled }) => [name, isInstalled])).toEqual([
      ["acme", true],
      ["other", false],
    ]);
  });

  it("refuses a state that another version has saved", async () => {
    const { slack } = await startAcme();
    const saved = JSON.parse(JSON.stringify({ ...slack.save(), version: 2 }));
    await expect(startFakeSlack({ scopes: [], saved })).rejects.toThrow(
      "Can't restore a world of version 2; expected version 1.",
    );
  });
});
