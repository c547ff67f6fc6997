import { expect, it } from "vitest";
import { startStage } from "../test/stage.js";

const get = async (url: string) => {
  const response = await fetch(url);
  return { status: response.status, body: await response.json() };
};

it("reports that it runs, and that it is ready", async () => {
  const { bot } = await startStage();
  expect(await get(`${bot.url}/healthz`)).toEqual({ status: 200, body: { status: "ok" } });
  expect(await get(`${bot.url}/readyz`)).toEqual({ status: 200, body: { status: "ok" } });
  expect((await fetch(`${bot.url}/slack/install`)).status).toBe(404);
  expect((await fetch(`${bot.url}/slack/events`)).status).toBe(404);
});
