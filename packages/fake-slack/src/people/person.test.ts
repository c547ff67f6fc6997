import { describe, expect, it } from "vitest";
import { section, startAcme, startWithApp } from "../test/acme.js";

describe("a shortcut and the home", () => {
  it("report their user to the app", async () => {
    const { team, ann, client, last } = await startWithApp();
    await ann.shortcut("new_token");
    expect(last()).toMatchObject({
      type: "shortcut",
      callback_id: "new_token",
      user: { id: ann.id },
      team: { id: team.id },
      trigger_id: expect.any(String),
    });
    await ann.openHome();
    expect(last()).toMatchObject({
      type: "event_callback",
      team_id: team.id,
      event: { type: "app_home_opened", user: ann.id, tab: "home", channel: expect.stringMatching(/^D/) },
    });
    expect(last().event).not.toHaveProperty("view");
    await client.views.publish({ user_id: ann.id, view: { type: "home", blocks: [section("x")] } });
    await ann.openHome();
    expect(last().event.view).toMatchObject({ type: "home", id: ann.home?.id });
  });
});

describe("a person's message", () => {
  it("is seen by every member of the channel, and not sent to the bot", async () => {
    const { team, ann, bob, general, sent } = await startWithApp();
    const cat = team.addUser({ name: "cat" });
    await ann.says("a < b", { in: general });
    expect(bob.sees(general)).toMatchObject([{ from: "ann", fromId: ann.id, text: "a &lt; b" }]);
    expect(cat.sees(general)).toEqual([]);
    general.add(cat);
    expect(cat.sees(general)).toHaveLength(1);
    expect(sent).toEqual([]);
  });
});
it("a workspace lists its people and channels without the bot", async () => {
  const { slack, team, ann, bob, general } = await startAcme();
  // A direct conversation with the bot is not listed as a channel.
  expect(ann.directPlace.kind).toBe("im");
  expect(slack.workspaces).toEqual([team]);
  expect(team.people.map(({ name }) => name)).toEqual(["slackowner", "ann", "bob"]);
  expect(team.person("bob")).toBe(bob);
  expect(team.person("media")).toBeUndefined();
  expect(team.places.map(({ id, name }) => [id, name])).toEqual([[general.id, "general"]]);
  const eve = team.addUser({ name: "eve" });
  expect([bob, eve].map((person) => general.has(person))).toEqual([true, false]);
});
