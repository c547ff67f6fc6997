import { startFakeSlack, textOf } from "@media-ops/fake-slack";
import { expect, it, onTestFinished } from "vitest";
import { botSettings, readAppInfo, realSlackIn } from "./settings.js";
import { startTest, temporaryFolder } from "./test/start.js";

it.each([
  [{}, undefined],
  [{ SLACK_BOT_TOKEN: " ", SLACK_SIGNING_SECRET: "planted" }, undefined],
  [{ SLACK_BOT_TOKEN: "xoxb-1" }, "token"],
  [{ SLACK_APP_TOKEN: "xapp-1" }, "token"],
  [{ SLACK_CLIENT_ID: "1.2" }, "oauth"],
])("%j means %s", (env, expected) => {
  expect(realSlackIn(env)).toBe(expected);
});

it("passes on the bot's settings unchanged, and none of the service's", () => {
  const env = { BOT_PORT: "3100", SLACK_BOT_TOKEN: "xoxb-1", MEDIA_PORT: "1", BOT_LOG_LEVEL: "" };
  expect(botSettings(env, { BOT_PORT: "3000", MEDIA_PROJECT_ID: "demo" })).toEqual({
    BOT_ALLOW_PRIVATE_ADDRESSES: "true",
    BOT_PORT: "3100",
    MEDIA_PROJECT_ID: "demo",
    SLACK_BOT_TOKEN: "xoxb-1",
  });
});

it("ignores the storage settings of another bot", () => {
  const env = {
    BOT_DATABASE_URL: "postgres://elsewhere/bot",
    BOT_MASTER_KEY: "planted",
    BOT_MASTER_KEY_FILE: "planted",
  };
  const others = { BOT_DATABASE_URL: "sqlite:bot.db" };
  expect(botSettings(env, others)).toEqual({ BOT_ALLOW_PRIVATE_ADDRESSES: "true", ...others });
});

it("the bot connects to its token's workspace, and there is no page", { timeout: 120_000 }, async () => {
  const { scopes } = await readAppInfo();
  const slack = await startFakeSlack({ scopes });
  onTestFinished(() => slack.stop());
  const team = slack.addWorkspace({ name: "elsewhere" });
  const ann = team.addUser({ name: "ann" });
  const general = team.addChannel({ name: "general", members: [ann] });
  const playground = await startTest({
    folder: await temporaryFolder(),
    env: {
      SLACK_API_URL: slack.apiUrl,
      SLACK_BOT_TOKEN: team.botToken,
      SLACK_SIGNING_SECRET: slack.app.signingSecret,
      BOT_LOG_LEVEL: "silent",
      MEDIA_LOG_LEVEL: "silent",
    },
  });
  expect(playground).toMatchObject({ url: undefined, realSlack: "token" });
  slack.app.requestUrl = `${playground.botUrl}/slack/events`;
  await ann.command("/media status", { in: general });
  const answer = await slack.until(() => ann.sees(general).find((message) => textOf(message).includes("demo")));
  expect(textOf(answer)).toContain("demo");
});

it("wrong settings are reported with the bot's message, before anything is created", async () => {
  const env = { SLACK_APP_TOKEN: "xapp-1" };
  await expect(startTest({ folder: "/nowhere/to/be/made", env })).rejects.toThrow("SLACK_BOT_TOKEN is missing");
});
