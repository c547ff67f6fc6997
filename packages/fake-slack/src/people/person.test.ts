import { describe, expect, it } from "vitest";
import { startAcme, startApp } from "../test/acme.js";
import { section } from "../test/views.js";

describe("a shortcut and the home", () => {
  it("tell the app who used them", async () => {
    const { slack, team, ann, client } = await startAcme();
    const { last } = await startApp(slack);
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

describe("what people say", () => {
  it("is seen by all who are in the channel, and the bot is not told", async () => {
    const { slack, team, ann, bob, general } = await startAcme();
    const { sent } = await startApp(slack);
    const cat = team.addUser({ name: "cat" });
    await ann.says("a < b", { in: general });
    expect(bob.sees(general)).toMatchObject([{ from: "ann", fromId: ann.id, text: "a &lt; b" }]);
    expect(cat.sees(general)).toEqual([]);
    general.add(cat);
    expect(cat.sees(general)).toHaveLength(1);
    general.remove(cat);
    expect(cat.sees(general)).toEqual([]);
    expect(sent).toEqual([]);
  });
});
