import { textOf } from "@media-ops/fake-slack";
import { expect, it } from "vitest";
import { webhook } from "../test/entries.js";
import { startStage } from "../test/stage.js";

it("a person sees an error while the database is broken, and is answered when it is repaired", async () => {
  const stage = await startStage({ onDisk: true });
  const { query } = await stage.openStorage();
  await query.schema.alterTable("claim").renameTo("away").execute();
  const text = await stage.read(stage.ann, "/media projects");
  const [, reference = "none"] =
    /What to do: Try again. If it keeps failing, tell the bot's operator; the log has it under ([0-9a-f]{8})/.exec(
      text,
    ) ?? [];
  expect(text).not.toContain("claim");
  const logged = stage
    .logged()
    .split("\n")
    .find((line) => line.includes(`"reference":"${reference}"`));
  expect(logged).toMatch(/no such table: claim|relation \\"claim\\" does not exist/);

  await query.schema.alterTable("away").renameTo("claim").execute();
  expect(await stage.read(stage.ann, "/media projects")).toContain("demo");
});

it("while another process locks the database, requests are acknowledged meanwhile and answered afterwards", async () => {
  const stage = await startStage({ onDisk: true });
  const { query } = await stage.openStorage();
  await query.transaction().execute(async (transaction) => {
    // This locks the table in any database.
    await transaction.schema.alterTable("claim").renameTo("away").execute();
    await transaction.schema.alterTable("away").renameTo("claim").execute();
    expect(await stage.ann.command("/media projects", { in: stage.general })).toMatchObject({ status: 200 });
    expect(stage.ann.sees(stage.general)).toEqual([]);
  });
  const message = await stage.slack.until(() => stage.ann.sees(stage.general)[0]);
  expect(textOf(message)).toContain("demo");
});

it("bot and service share one database, each with its own tables", async () => {
  const stage = await startStage({ sharesDatabase: true });
  await stage.service.add("webhooks", webhook({ status: 500 }));
  await stage.connectDemo(stage.ann, stage.general);
  expect(await stage.read(stage.bob, "/media logs webhooks status>=500")).toContain(
    "1 webhook, status ≥ 500, project demo",
  );
  expect(await stage.read(stage.bob, "/media token lobby")).toContain("receive in lobby (project demo)");

  const { query } = await stage.openStorage();
  const names = (await query.introspection.getTables()).map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["project", "log_entry", "connection", "minting"]));
  expect(await stage.stored()).not.toContain(stage.service.apiKey);
});
