import { textOf } from "@media-ops/fake-slack";
import { describe, expect, it } from "vitest";
import { webhook } from "../test/entries.js";
import { commandForm, sendSigned } from "../test/requests.js";
import { startSilentService } from "../test/services.js";
import { roomsIn, type Stage, type StageOptions, startStage } from "../test/stage.js";

const NOT_SAID = "Slack doesn't say who you are, so nothing was done. Try again in a minute.";

/** A stage with two webhooks, one of them failed. */
async function stageWithEntries(options: StageOptions = {}): Promise<Stage> {
  const stage = await startStage(options);
  await stage.service.add("webhooks", webhook({ status: 503 }), webhook({ status: 200, minutesAgo: 5 }));
  return stage;
}

const room = await roomsIn(stageWithEntries);

describe("if Slack", () => {
  it("limits calls, a window opens as soon as Slack allows it", async () => {
    const stage = room();
    stage.slack.limit("views.open", { retryAfter: 1 });
    await stage.ann.command("/media connect", { in: stage.general });
    const modal = await stage.slack.until(() => stage.ann.modal);
    expect(modal.title).toBe("Connect a project");
  });

  it("refuses tables, the same answer is sent as lines, and the log has the table; without any blocks, as text", async () => {
    const stage = await stageWithEntries();
    const table = await stage.ask(stage.ann, "/media logs webhooks");
    stage.slack.refuseBlocks(["data_table"]);
    const replaced = await stage.press(table, "Refresh");
    expect(replaced.ts).toBe(table.ts);
    for (const message of [await stage.ask(stage.ann, "/media logs webhooks"), replaced]) {
      for (const part of ["2 webhooks, project demo", "503", "[Refresh]"]) expect(textOf(message)).toContain(part);
      expect(message.blocks.map(({ type }) => type)).not.toContain("data_table");
      expect(message.isOnlyVisibleToYou).toBe(true);
    }
    const lines = stage.logged().split("\n");
    const refusal = lines.find((line) => line.includes("Slack refused the blocks"));
    expect(refusal).toContain('\\"type\\":\\"data_table\\"');
    expect(refusal).toContain("invalid_blocks");

    stage.slack.refuseBlocks(["data_table", "rich_text", "section", "context", "actions"]);
    const message = await stage.ask(stage.ann, "/media logs webhooks");
    expect(message).toMatchObject({ blocks: [], isOnlyVisibleToYou: true });
    for (const part of ["2 webhooks, project demo", "503"]) expect(message.text).toContain(part);
    expect(stage.bob.sees(stage.general)).toEqual([]);
  });

  it("refuses the blocks of a window, it shows plain text", async () => {
    const stage = await stageWithEntries();
    const message = await stage.ask(stage.ann, "/media logs webhooks");
    stage.slack.refuseBlocks(["rich_text"]);
    const [, option = "none"] = /"text":"([^"]* 503 · [^"]*)"/.exec(JSON.stringify(message.blocks)) ?? [];
    await stage.ann.choose(message, "log-details", option);
    const modal = await stage.slack.until(() => {
      const shown = stage.ann.modal;
      return shown && textOf(shown).includes("503") ? shown : undefined;
    });
    expect(modal.blocks.map(({ type }) => type)).toEqual(["section"]);
    expect(stage.logged()).toContain("Slack refused the blocks");
  });

  it("refuses the blocks of the app home, it shows plain text", async () => {
    const stage = await startStage();
    stage.slack.refuseBlocks(["divider"]);
    await stage.ann.openHome();
    const home = await stage.slack.until(() => stage.ann.home);
    expect(home.blocks.map(({ type }) => type)).toEqual(["section"]);
    expect(textOf(home)).toContain("demo");
    expect(stage.ann.direct()).toEqual([]);
  });

  it("refuses the answer for another reason, the person sees an error with a reference to the log", async () => {
    const stage = room();
    stage.slack.fail("response_url", { error: "fatal_error" });
    const text = await stage.read(stage.ann, "/media logs webhooks");
    expect(text).toContain("Slack refused what the bot did (fatal_error).");
    const [, reference = "none"] = /the log has it under ([0-9a-f]{8})/.exec(text) ?? [];
    expect(stage.logged()).toContain(`"reference":"${reference}"`);
  });

  it("refuses the response URL, the answer is sent to the direct conversation", async () => {
    const stage = room();
    stage.slack.fail("response_url", { status: 404, error: "expired_url" });
    await stage.ann.command("/media logs webhooks", { in: stage.general });
    const message = await stage.slack.until(() => stage.ann.direct().at(-1));
    expect(textOf(message)).toContain("503");
    expect(stage.bob.direct()).toEqual([]);
    expect(stage.bob.sees(stage.general)).toEqual([]);
  });

  it("refuses the response URL, a page to share is not shown, and the person sees an error", async () => {
    const stage = room();
    const message = await stage.ask(stage.ann, "/media logs webhooks");
    stage.slack.fail("response_url", { status: 404, error: "used_url" });
    const told = await stage.press(message, "Share here");
    expect(textOf(told)).toContain(
      "Not shared: Slack accepts no more answers to this message. Run the command again and share the new answer.",
    );
    await stage.settled();
    expect(stage.bob.sees(stage.general)).toEqual([]);
    expect(stage.ann.sees(stage.general).map(textOf).join()).not.toContain("Shared with everyone");
  });

  it("received the request for a window too late, the person is asked to try again", async () => {
    const stage = room();
    stage.slack.fail("views.open", { error: "expired_trigger_id" });
    expect(await stage.read(stage.ann, "/media connect")).toBe(
      "The window did not open within the 3 s that Slack allows. Try again.",
    );
  });

  it.each(["internal_error", "missing_scope"])("responds %s to a lookup, the request is refused", async (error) => {
    const stage = room();
    stage.slack.fail("users.info", { error });
    expect(await stage.read(stage.ann, "/media logs webhooks")).toBe(NOT_SAID);
    expect(await stage.read(stage.ann, "/media logs webhooks")).toContain("503");
    stage.slack.fail("users.info", { error });
    await stage.bob.openHome();
    await stage.slack.until(() => textOf(stage.bob.home ?? []) === NOT_SAID);
    await stage.bob.openHome();
    await stage.slack.until(() => textOf(stage.bob.home ?? []).includes("demo"));
  });

  it("is slow to identify a person, a window opens in time, and is filled afterwards", async () => {
    const stage = room();
    stage.slack.limit("users.info", { retryAfter: 1 });
    await stage.ann.command("/media connect", { in: stage.general });
    const early = await stage.slack.until(() => stage.ann.modal);
    expect(textOf(early)).toContain("One moment…");
    await stage.form(stage.ann);
    expect(stage.ann.modal).toBeDefined();
  });

  it("has refused a button's action, the same button works at once when it is pressed again", async () => {
    const stage = room();
    const message = await stage.ask(stage.ann, "/media logs webhooks");
    stage.slack.fail("files.getUploadURLExternal", { error: "internal_error" });
    const problem = await stage.press(message, "CSV");
    expect(textOf(problem)).not.toContain("is in your direct messages");
    await stage.settled();
    await stage.ann.press(message, "CSV");
    await stage.slack.until(() => stage.ann.files().length === 1);
  });
});

it("while Slack refuses one person's answers, only that person waits, and all arrive afterwards", async () => {
  const stage = await startStage();
  let accepted = 0;
  const slack = await startSilentService((_request, response) => {
    accepted += 1;
    response.end("ok");
  });
  const form = { ...commandForm, user_id: stage.ann.id, team_id: stage.team.id, channel_id: stage.general.id };
  const acknowledged = await Promise.all(
    Array.from({ length: 40 }, (_, at) => {
      const sent = { ...form, text: "help", trigger_id: `1.2.${at}`, response_url: slack.url };
      return sendSigned(stage, new URLSearchParams(sent).toString());
    }),
  );
  expect(new Set(acknowledged.map(({ status }) => status))).toEqual(new Set([200]));
  await expect.poll(() => slack.held.length).toBe(8);

  expect(await stage.read(stage.bob, "/media help")).toContain("Examples");
  // Nothing of the one person's was accepted or given up before.
  expect(slack.held).toHaveLength(8);

  slack.wake();
  await stage.settled();
  expect(accepted).toBe(40);
});

it("one answer is sent if Slack sends a command twice", async () => {
  const stage = await startStage();
  stage.slack.repeatNext();
  await stage.ask(stage.ann, "/media projects");
  await stage.settled();
  expect(stage.ann.sees(stage.general)).toHaveLength(1);
  expect(stage.slack.transcript.filter(({ what }) => what === "delivery")).toHaveLength(2);
});
