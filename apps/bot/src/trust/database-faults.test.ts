import { textOf } from "@media-ops/fake-slack";
import { expect, it } from "vitest";
import { startStage } from "../test/stage.js";

it("a person sees an error while the database is broken, and is answered when it is repaired", async () => {
  const stage = await startStage({ onDisk: true });
  const { query } = await stage.openStorage();
  await query.schema.alterTable("claim").renameTo("away").execute();
  const text = textOf(await stage.ask(stage.ann, "/media projects"));
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
  expect(textOf(await stage.ask(stage.ann, "/media projects"))).toContain("demo");
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
