import { describe, expect, it } from "vitest";
import { section, startAcme, startApp, startWithApp } from "../test/acme.js";

describe("a slash command", () => {
  it("reports the person, channel and text to the app", async () => {
    const { slack, team, ann, general, last } = await startWithApp();
    const delivery = await ann.command("/media  logs webhooks ", { in: general });
    expect(last()).toEqual({
      token: expect.any(String),
      team_id: team.id,
      team_domain: "acme",
      channel_id: general.id,
      channel_name: "general",
      user_id: ann.id,
      user_name: "ann",
      command: "/media",
      text: "logs webhooks",
      api_app_id: slack.app.id,
      is_enterprise_install: "false",
      response_url: expect.stringContaining(slack.url),
      trigger_id: expect.stringMatching(/^\d+\.\d+\.\w+$/),
    });
    expect(delivery).toEqual({
      status: 200,
      body: undefined,
      tries: 1,
      acknowledgedInMs: expect.any(Number),
      shownError: undefined,
    });
  });

  it.each([
    ["a < b & c > d", "a &lt; b &amp; c &gt; d"],
    ["logs <#C012|general> by <@U012>", "logs <#C012|general> by <@U012>"],
    ["connect <https://a.example/?b&c|a.example>", "connect <https://a.example/?b&c|a.example>"],
    ["<b>", "&lt;b&gt;"],
  ])("with %s arrives as %s", async (text, sent) => {
    const { ann, general, last } = await startWithApp();
    await ann.command(`/media ${text}`, { in: general });
    expect(last().text).toBe(sent);
  });

  it("has references instead of names and links, if the app's commands are escaped", async () => {
    const { team, ann, bob, general, last } = await startWithApp(undefined, { escapesCommands: true });
    const off = team.addUser({ name: "off" });
    off.isDeleted = true;
    team.addChannel({ name: "secret", kind: "private", members: [ann] });
    const [place, person] = [`<#${general.id}|general>`, `<@${bob.id}|bob>`];
    for (const [typed, text] of [
      ["logs #general by @bob", `logs ${place} by ${person}`],
      ["(#general, @bob.)", `(${place}, ${person}.)`],
      [`${place} <@${bob.id}>`, `${place} <@${bob.id}>`],
      ["#secret #nowhere @nobody @off #generally", "#secret #nowhere @nobody @off #generally"],
      ["bob@bob a#general", "bob@bob a#general"],
      ["connect https://a.example/?b=c#general.", "connect <https://a.example/?b=c#general>."],
      ["<b> & #general", `&lt;b&gt; &amp; ${place}`],
    ] as const) {
      await ann.command(`/media ${typed}`, { in: general });
      expect(last().text).toBe(text);
    }
  });

  it("has names and links as they were typed otherwise", async () => {
    const { ann, general, last } = await startWithApp();
    await ann.command("/media #general @bob https://a.example", { in: general });
    expect(last().text).toBe("#general @bob https://a.example");
  });

  it("omits the names of private channels and direct conversations", async () => {
    const { team, ann, sent } = await startWithApp();
    const secret = team.addChannel({ name: "secret", kind: "private", members: [ann] });
    await ann.command("/media", { in: secret });
    await ann.command("/media");
    expect(sent.map(({ channel_name }) => channel_name)).toEqual(["privategroup", "directmessage"]);
  });

  it("shows the response in its acknowledgement at once, to the person or to everyone", async () => {
    const { slack, ann, bob, general } = await startAcme();
    await startApp(slack, ({ text }) =>
      text === "all" ? { response_type: "in_channel", text: "to all" } : { blocks: [section("to you")] },
    );
    await ann.command("/media", { in: general });
    await ann.command("/media all", { in: general });
    expect(ann.sees(general)).toMatchObject([
      { from: "bot", isOnlyVisibleToYou: true, blocks: [{ text: { text: "to you" } }] },
      { from: "bot", isOnlyVisibleToYou: false, text: "to all" },
    ]);
    expect(bob.sees(general).map(({ text }) => text)).toEqual(["to all"]);
  });

  it("reports an error if the app fails, or responds with content that cannot be shown", async () => {
    const { slack, ann, general } = await startAcme();
    await startApp(slack, ({ text }) => (text === "fail" ? 500 : { text: "x", blocks: [{ type: "nonsense" }] }));
    expect(await ann.command("/media fail", { in: general })).toMatchObject({
      status: 500,
      shownError: '/media failed with the error "dispatch_failed"',
    });
    expect(await ann.command("/media", { in: general })).toMatchObject({
      shownError: '/media failed with the error "invalid_command_response"',
    });
    expect(ann.sees(general)).toEqual([]);
  });

  it("must be one of the app's, and is only accepted in a channel that the person is in", async () => {
    const { slack, team, ann } = await startAcme();
    await startApp(slack);
    const outside = team.addChannel({ name: "outside" });
    await expect(ann.command("/other")).rejects.toThrow("/other is not a valid command.");
    await expect(ann.command("/media", { in: outside })).rejects.toThrow("ann is not in outside.");
  });

  it("does not exist if the app is not installed", async () => {
    const { slack } = await startAcme();
    const team = slack.addWorkspace({ name: "bare", installed: false });
    const eve = team.addUser({ name: "eve" });
    const place = team.addChannel({ name: "general", members: [eve] });
    await expect(eve.command("/media", { in: place })).rejects.toThrow("The app is not installed in bare.");
  });
});
