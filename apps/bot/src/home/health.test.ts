import { checkBlocks, textOf } from "@media-ops/fake-slack";
import { describe, expect, it } from "vitest";
import { always, startBadService, startSilentService } from "../test/bad-service.js";
import { connectProject } from "../test/connect-project.js";
import { created, failure, refusal, webhook } from "../test/entries.js";
import { homeOf, homesShown, wholeHomeOf } from "../test/home.js";
import { startPlainService } from "../test/plain-service.js";
import { type Stage, startStage } from "../test/stage.js";

/** The line of the only project. */
async function healthIn(stage: Stage): Promise<string> {
  const home = await wholeHomeOf(stage, stage.bob);
  expect(checkBlocks(home.blocks, "home")).toEqual({ ok: true });
  const [, line = "none"] = /(. ★ \*demo\* · \S+\n.*)/.exec(textOf(home)) ?? [];
  return line;
}

describe("the app's home", () => {
  it("shows at once what is known while a service is silent, and never that it is fine", async () => {
    const { url, state } = await startSilentService();
    const stage = await startStage({ media: { url }, serviceTimeoutMs: 700 });
    const { slack, bob } = stage;
    const text = textOf(await homeOf(stage, bob));
    expect(text).toMatch(/★ \*demo\* · \S+\nchecking…/);
    expect(text).toContain("[Live]");
    expect(text).toContain("Nothing is watched yet.");
    expect(text).toContain("You have made none yet.");
    await slack.until(() => textOf(bob.home ?? []).includes("? ★ *demo*"));
    expect(textOf(bob.home ?? [])).toMatch(/\? ★ \*demo\* · \S+\nno answer in time/);
    // No further log is asked for.
    expect(state.asked).toBe(1);
    expect(homesShown(stage).join()).not.toContain("✓");
    expect(homesShown(stage)).toHaveLength(2);
  });

  it("shows that nothing failed only after the service has said so", async () => {
    const stage = await startStage();
    const { service } = stage;
    await service.add("webhooks", webhook(), webhook(), webhook({ status: 503, minutesAgo: 90 }));
    await service.add("events", created(), refusal());
    expect(await healthIn(stage)).toMatch(
      /^✓ ★ .*\nanswers in \d+(\.\d+)? ms; nothing failed in the last hour \(2 webhooks\)$/,
    );
    const [first = "", second = ""] = homesShown(stage);
    expect(first).not.toContain("✓");
    expect(first).not.toContain("Looked at");
    expect(second).toMatch(/Looked at .*\. Opening this tab looks again\./);
  });

  it("shows what failed in the last hour, anew whenever it is opened", async () => {
    const stage = await startStage();
    const { service } = stage;
    expect(await healthIn(stage)).toMatch(/^✓ .*\n.*; nothing failed in the last hour$/);
    await service.add("webhooks", webhook({ status: 503 }));
    expect(await healthIn(stage)).toMatch(/^▲ .*\n.*; 1 of 1 webhook failed in the last hour$/);
    await service.add("webhooks", webhook(), webhook({ status: 0 }));
    await service.add("events", failure(), failure({ minutesAgo: 2 }), failure({ minutesAgo: 70 }));
    expect(await healthIn(stage)).toMatch(/^▲ .*\n.*; 2 of 3 webhooks and 2 connections failed in the last hour$/);
  });

  it("says of a project that gives no answer why, and shows the others", async () => {
    const stage = await startStage({ env: { MEDIA_API_KEY: "mo_0123456789abcdef_of_nobody_at_all_is_this_key" } });
    await connectProject(stage, "other", "In the whole workspace");
    const text = textOf(await wholeHomeOf(stage, stage.bob));
    expect(text).toMatch(/✓ ★ \*other\* · \S+\nanswers in/);
    expect(text).toMatch(/\? \*demo\* · \S+\nno answer: the key was refused/);
  });

  it.each([
    [always(404, { type: "about:blank", title: "None", status: 404 }), "what is at this address is no media service"],
    [always(500, "broken"), "the service failed"],
  ])("says what is wrong with an address where something else answers: %#", async (answer, words) => {
    const stage = await startStage({ media: { url: await startBadService(answer) } });
    expect(await healthIn(stage)).toMatch(new RegExp(`^\\? .*\\nno answer: ${words}$`));
  });

  it("says that a service was not reached", async () => {
    const stage = await startStage();
    await stage.service.stop();
    expect(await healthIn(stage)).toMatch(/^\? .*\nno answer: the service was not reached$/);
  });

  it("gives no all-clear if one log gave no answer", async () => {
    const url = await startBadService((request, response) => {
      const isFailing = request.url?.includes("list-webhook-logs");
      always(isFailing ? 500 : 200, isFailing ? "broken" : [])(request, response);
    });
    const stage = await startStage({ media: { url } });
    expect(await healthIn(stage)).toMatch(
      /^\? .*; nothing failed in what was searched of the last hour; no answer for webhooks$/s,
    );
  });

  it.each([
    [200, /^\? .*; nothing failed in what was searched of the last hour$/s],
    [503, /^▲ .*; at least 1,000 of at least 1,000 webhooks failed in the last hour$/s],
  ])("gives no all-clear if a service lists only a part of the hour, all with %i", async (status, words) => {
    const plain = await startPlainService();
    plain.add("webhooks", ...Array.from({ length: 1001 }, () => webhook({ status })));
    expect(await healthIn(await startStage({ media: plain }))).toMatch(words);
  });
});
