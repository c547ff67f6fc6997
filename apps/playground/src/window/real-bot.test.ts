import { join } from "node:path";
import { createLog, readConfig, startBot } from "@media-ops/bot";
import { expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../test/start.js";
import { startWindowStage } from "../test/window.js";

const SCOPES = ["commands", "chat:write", "im:write", "users:read", "files:write", "usergroups:read"];

it("the bot's own modals work in a window, and a key that is typed into one is not shown anywhere else", async () => {
  const { slack, team, ann, bob, general, log, act, look } = await startWindowStage({ slack: { scopes: SCOPES } });
  const config = readConfig({
    BOT_PORT: "0",
    BOT_DATABASE_URL: `sqlite:${join(await temporaryFolder(), "bot.db")}`,
    BOT_ALLOW_PRIVATE_ADDRESSES: "true",
    SLACK_API_URL: slack.apiUrl,
    SLACK_SIGNING_SECRET: slack.app.signingSecret,
    SLACK_BOT_TOKEN: team.botToken,
  });
  const bot = await startBot({ config, log: createLog({ level: "debug", to: log.to("bot") }) });
  onTestFinished(() => bot.stop());
  slack.app.requestUrl = `${bot.url}/slack/events`;
  const [anns, bobs] = [await look(ann), await look(bob)];

  await act({ person: ann.id, do: "command", place: general.id, line: "/media connect" });
  await expect.poll(() => anns.all("modal").at(-1)?.submit).toBe("Connect");
  const view = anns.all("modal").at(-1)?.id;
  const key = "mo_k1_horsehorsehorsehorsehorse";
  const entries = { address: "http://127.0.0.1:1", project: "demo", key };
  expect(await act({ person: ann.id, do: "submit", view, entries })).toEqual({ status: 200, body: {} });
  await bot.settled();
  // Nothing listens at that address, and the bot reports this in the modal.
  await expect.poll(() => JSON.stringify(anns.all("modal").at(-1))).toContain("127.0.0.1");
  await expect.poll(() => bobs.all("log").map(({ text }) => text)).toContain("↓ view_submission Connect a project");
  await expect.poll(() => bobs.all("log").some(({ from }) => from === "bot")).toBe(true);
  expect(bobs.all("modal")).toEqual([]);
  for (const { state } of [anns, bobs]) expect(state.text).not.toContain("horse");

  await act({ person: bob.id, do: "home" });
  await expect.poll(() => bobs.all("home").at(-1)?.blocks.length).toBeGreaterThan(0);
  expect(anns.all("home")).toEqual([]);
});
