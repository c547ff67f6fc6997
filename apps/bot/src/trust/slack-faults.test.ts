import { textOf } from "@media-ops/fake-slack";
import { describe, expect, it } from "vitest";
import { webhook } from "../test/entries.js";
import { roomsIn, type Stage, type StageOptions, startStage } from "../test/stage.js";

const NOT_SAID = "Slack doesn't say who you are, so nothing was done. Try again in a minute.";

/** A stage with two webhooks, one of them failed. */
async function stageWithEntries(options: StageOptions = {}): Promise<Stage> {
  const stage = await startStage(options);
  await stage.service.add("webhooks", webhook({ status: 503 }), webhook({ status: 200, minutesAgo: 5 }));
  return stage;
}

const room = roomsIn(stageWithEntries);

describe("if Slack", () => {
  it("limits answers, the answer is sent as soon as Slack allows it", async () => {
    const stage = await stageWithEntries();
    stage.slack.limit("response_url", { times: 1, retryAfter: 1 });
    const message = await stage.ask(stage.ann, "/media logs webhooks");
    expect(textOf(message)).toContain("503");
    expect(stage.ann.sees(stage.general)).toHaveLength(1);
    expect(stage.slack.transcript.filter(({ name }) => name === "response_url")).toHaveLength(2);
  });

  it("limits calls, a window opens as soon as Slack allows it", async () => {
    const stage = room();
    stage.slack.limit("views.open", { retryAfter: 1 });
    await stage.ann.command("/media connect", { in: stage.general });
    const modal = await stage.slack.until(() => stage.ann.modal);
    expect(modal.title).toBe("Connect a project");
  });

  it("fails for a moment, the answer is sent again", async () => {
    const stage = room();
    stage.slack.fail("response_url", { status: 503, times: 1 });
    expect(textOf(await stage.ask(stage.ann, "/media logs webhooks"))).toContain("503");
  });

  it("refuses tables, the same answer is sent as lines, and the log has the table", async () => {
    const stage = await stageWithEntries();
    stage.slack.refuseBlocks(["data_table"]);
    const message = await stage.ask(stage.ann, "/media logs webhooks");
    const text = textOf(message);
    expect(text).toContain("2 webhooks, project demo");
    expect(text).toContain("503");
    expect(message.blocks.map(({ type }) => type)).not.toContain("data_table");
    expect(text).toContain("[Refresh]");
    const refusal = stage
      .logged()
      .split("\n")
      .find((line) => line.includes("Slack refused the blocks"));
    expect(refusal).toContain('\\"type\\":\\"data_table\\"');
    expect(refusal).toContain("invalid_blocks");
  });

  it("refuses all blocks, the same answer is sent as plain text", async () => {
    const stage = await stageWithEntries();
    stage.slack.refuseBlocks(["data_table", "rich_text", "section", "context", "actions"]);
    const message = await stage.ask(stage.ann, "/media logs webhooks");
    expect(message.blocks).toEqual([]);
    expect(message.text).toContain("2 webhooks, project demo");
    expect(message.text).toContain("503");
    expect(message.isOnlyVisibleToYou).toBe(true);
  });

  it("refuses tables in a replaced message, it is replaced with lines", async () => {
    const stage = await stageWithEntries();
    const message = await stage.ask(stage.ann, "/media logs webhooks");
    stage.slack.refuseBlocks(["data_table"]);
    const refreshed = await stage.press(message, "Refresh");
    expect(refreshed.ts).toBe(message.ts);
    expect(textOf(refreshed)).toContain("503");
    expect(refreshed.blocks.map(({ type }) => type)).not.toContain("data_table");
    expect(refreshed.isOnlyVisibleToYou).toBe(true);
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
    const text = textOf(await stage.ask(stage.ann, "/media logs webhooks"));
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
    expect(textOf(await stage.ask(stage.ann, "/media connect"))).toBe(
      "The window did not open within the 3 s that Slack allows. Try again.",
    );
  });

  it.each(["internal_error", "missing_scope"])("responds %s to a lookup, the request is refused", async (error) => {
    const stage = room();
    stage.slack.fail("users.info", { error });
    expect(textOf(await stage.ask(stage.ann, "/media logs webhooks"))).toBe(NOT_SAID);
    expect(textOf(await stage.ask(stage.ann, "/media logs webhooks"))).toContain("503");
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
    await stage.slack.until(() => stage.ann.modal?.submit);
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
