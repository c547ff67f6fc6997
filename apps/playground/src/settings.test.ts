import { expect, it } from "vitest";
import { botSettings, realSlackIn } from "./settings.js";
import { startTest } from "./test/start.js";

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

it("wrong settings are reported with the bot's message, before anything is created", async () => {
  const env = { SLACK_APP_TOKEN: "xapp-1" };
  await expect(startTest({ folder: "/nowhere/to/be/made", env })).rejects.toThrow("SLACK_BOT_TOKEN is missing");
});
