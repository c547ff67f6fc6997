import { expect, it } from "vitest";
import { startAcme } from "../test/acme.js";

it("a workspace knows its people and channels, and the bot is none of them", async () => {
  const { slack, team, ann, bob, general } = await startAcme();
  // Her conversation with the bot is no channel.
  expect(ann.directPlace.kind).toBe("im");
  expect(slack.workspaces).toEqual([team]);
  expect(team.people.map(({ name }) => name)).toEqual(["slackowner", "ann", "bob"]);
  expect(team.person("bob")).toBe(bob);
  expect(team.person("media")).toBeUndefined();
  expect(team.places.map(({ id, name }) => [id, name])).toEqual([[general.id, "general"]]);
  const eve = team.addUser({ name: "eve" });
  expect([bob, eve].map((person) => general.has(person))).toEqual([true, false]);
});

it("a person says who she is, and when her days begin", async () => {
  const { team } = await startAcme();
  const zoe = team.addUser({ name: "zoe", realName: "Zoe Park", timeZone: "Asia/Seoul" });
  expect(zoe).toMatchObject({ name: "zoe", realName: "Zoe Park", timeZone: "Asia/Seoul" });
});
