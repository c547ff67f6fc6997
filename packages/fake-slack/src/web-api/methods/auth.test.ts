import { describe, expect, it } from "vitest";
import { refusal, startAcme } from "../../test/acme.js";

describe("auth.test", () => {
  it("says who the bot is, and where", async () => {
    const { client, team } = await startAcme();
    expect(await client.auth.test()).toMatchObject({
      ok: true,
      url: "https://acme.slack.com/",
      team: "acme",
      team_id: team.id,
      user_id: team.botUserId,
      bot_id: team.botId,
    });
  });
});

describe("api.test", () => {
  it("gives back what it was given", async () => {
    const { client } = await startAcme();
    expect(await client.apiCall("api.test", { foo: "bar" })).toMatchObject({ ok: true, args: { foo: "bar" } });
  });

  it("fails on request", async () => {
    const { client } = await startAcme();
    expect(await refusal(client.api.test({ error: "my_error" }))).toMatchObject({ error: "my_error" });
  });
});

describe("team.info", () => {
  it("names the workspace", async () => {
    const { client, team } = await startAcme();
    expect((await client.team.info()).team).toMatchObject({ id: team.id, name: "acme", domain: "acme" });
  });
});

describe("bots.info", () => {
  it("tells of the bot", async () => {
    const { client, team, slack } = await startAcme();
    expect((await client.bots.info({ bot: team.botId })).bot).toMatchObject({
      id: team.botId,
      app_id: slack.app.id,
      user_id: team.botUserId,
    });
  });

  it("knows no other", async () => {
    const { client } = await startAcme();
    expect(await refusal(client.bots.info({ bot: "B0" }))).toMatchObject({ error: "bot_not_found" });
  });
});
