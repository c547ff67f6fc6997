import { describe, expect, it } from "vitest";
import { type StageOptions, startStage } from "../test/stage.js";

async function stageWithOAuth(options: StageOptions = {}) {
  const stage = await startStage({ oauth: true, ...options });
  const other = stage.slack.addWorkspace({ name: "umbrella", installed: false });
  const cem = other.addUser({ name: "cem", isAdmin: true });
  const office = other.addChannel({ name: "office", members: [cem] });
  const install = (by = stage.ann) => stage.slack.allow(`${stage.bot.url}/slack/install`, { by });
  /** Adds the bot, and connects a project. */
  const begin = async () => {
    await install();
    await stage.connectDemo(stage.ann, stage.general);
  };
  return { ...stage, other, cem, office, install, begin };
}

describe("with OAuth", () => {
  it("a workspace adds the bot on its page, unless the person cancels, and has its own projects", async () => {
    const stage = await stageWithOAuth();
    const { ann, cem, office } = stage;
    const denied = await stage.slack.deny(`${stage.bot.url}/slack/install`, { by: ann });
    expect(denied.status).toBe(400);
    expect(await denied.text()).toContain("Nothing was installed");
    const page = await stage.install();
    expect(page.status).toBe(200);
    expect(await page.text()).toContain("The bot is in acme");
    expect(await stage.read(ann, "/media projects")).toContain("No project is connected yet");
    await stage.install(cem);
    await stage.connectDemo(ann, stage.general);
    expect(await stage.read(stage.bob, "/media projects")).toContain("demo");
    for (const command of ["projects", "logs webhooks in:demo"]) {
      expect(await stage.read(cem, `/media ${command}`, office)).toContain("No project is connected yet");
    }
  });

  it("the data and keys of a workspace that removes the bot are deleted", async () => {
    const stage = await stageWithOAuth();
    await stage.begin();
    await stage.team.uninstall();
    await expect.poll(() => stage.logged()).toContain("a workspace removed the bot");
    await stage.install();
    expect(await stage.read(stage.ann, "/media projects")).toContain("No project is connected yet");
  });

  it("people of a workspace that the bot no longer knows see how to add it, also if they submit a window", async () => {
    const stage = await stageWithOAuth();
    await stage.install();
    await stage.ann.command("/media connect", { in: stage.general });
    await stage.form(stage.ann);
    await (await stage.openStorage()).query.deleteFrom("installation").execute();
    const fields = { Address: stage.service.url, Project: "demo", "API key": stage.service.apiKey };
    for (const act of [
      () => stage.next(stage.ann, stage.general, () => stage.ann.submit(fields)),
      () => stage.ask(stage.ann, "/media projects"),
    ]) {
      expect(await act()).toMatchObject({
        text: `The bot no longer knows this workspace. Someone who may install apps has to add it again: ${stage.bot.url}/slack/install`,
        isOnlyVisibleToYou: true,
      });
    }
  });

  it("the keys of a workspace that removes the bot are deleted, even if its token is already deleted", async () => {
    const stage = await stageWithOAuth();
    await stage.begin();
    const { query } = await stage.openStorage();
    await query.deleteFrom("installation").execute();
    await stage.team.uninstall();
    await expect.poll(() => query.selectFrom("connection").selectAll().execute()).toEqual([]);
  });

  it("a workspace that removes the bot while the database is unreachable is deleted afterwards", async () => {
    const stage = await stageWithOAuth();
    await stage.begin();
    const { query } = await stage.openStorage();
    await query.schema.alterTable("installation").renameTo("away").execute();
    await stage.team.uninstall();
    await expect.poll(() => stage.logged()).toContain("failed to delete the data of a workspace that removed the bot");
    await query.schema.alterTable("away").renameTo("installation").execute();
    await expect.poll(() => query.selectFrom("connection").selectAll().execute()).toEqual([]);
    await expect.poll(() => query.selectFrom("installation").selectAll().execute()).toEqual([]);
  });

  it("a person who installs the bot sees an error if the bot fails, and the bot keeps running", async () => {
    const stage = await stageWithOAuth();
    const { query } = await stage.openStorage();
    await query.schema.alterTable("oauth_state").renameTo("away").execute();
    const page = await fetch(`${stage.bot.url}/slack/install`);
    expect(page.status).toBe(500);
    expect(await page.text()).toContain("Nothing was installed: the bot failed.");
    await query.schema.alterTable("away").renameTo("oauth_state").execute();
    stage.slack.fail("oauth.v2.access", { error: "bad_client_secret" });
    const second = await stage.install();
    expect(second.status).toBe(500);
    expect(await second.text()).toContain("if it keeps failing, tell the bot's operator");
    expect(stage.logged()).toContain("bad_client_secret");
    expect((await stage.install()).status).toBe(200);
  });

  it.each([
    ["https://bot.example", " Secure"],
    ["http://bot.example", undefined],
  ])("an installation at %s belongs to the browser in which it began", async (BOT_PUBLIC_URL, secure) => {
    const { bot } = await startStage({ oauth: true, env: { BOT_PUBLIC_URL } });
    const { status, headers } = await fetch(`${bot.url}/slack/install`, { redirect: "manual" });
    expect(status).toBe(302);
    const [cookie = "", ...others] = headers.getSetCookie();
    expect(others).toEqual([]);
    const [value, ...attributes] = cookie.split(";");
    expect(new Set(attributes)).toEqual(
      new Set([" Path=/", " Max-Age=600", " HttpOnly", " SameSite=Lax", secure].filter((one) => one !== undefined)),
    );
    const state = new URL(headers.get("location") ?? "").searchParams.get("state");
    expect(value).toBe(`slack-app-oauth-state=${state}`);
    const elsewhere = await fetch(`${bot.url}/slack/oauth_redirect?code=x&state=${state}`);
    expect(elsewhere.status).toBe(400);
    expect(await elsewhere.text()).toContain("began in another browser");
  });

  it("stores Slack's tokens encrypted", async () => {
    const stage = await stageWithOAuth({ onDisk: true });
    await stage.install();
    await stage.ask(stage.ann, "/media projects");
    const stored = await stage.stored();
    expect(stored.includes(stage.team.id)).toBe(true);
    expect(stored.includes(stage.team.botToken)).toBe(false);
  });
});
