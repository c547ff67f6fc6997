import { textOf } from "@media-ops/fake-slack";
import { expect, it } from "vitest";
import { webhook } from "../test/entries.js";
import { startStage } from "../test/stage.js";

it("bot and service share one database, each with its own tables", async () => {
  const stage = await startStage({ sharesDatabase: true });
  await stage.service.add("webhooks", webhook({ status: 500 }));
  await stage.connectDemo(stage.ann, stage.general);
  expect(textOf(await stage.ask(stage.bob, "/media logs webhooks status>=500"))).toContain(
    "1 webhook, status ≥ 500, project demo",
  );
  expect(textOf(await stage.ask(stage.bob, "/media token lobby"))).toContain("receive in lobby (project demo)");

  const { query } = await stage.openStorage();
  const names = (await query.introspection.getTables()).map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["project", "log_entry", "connection", "minting"]));
  expect(await stage.stored()).not.toContain(stage.service.apiKey);
});
