import { textOf } from "@media-ops/fake-slack";
import { describe, expect, it } from "vitest";
import { webhook } from "../test/entries.js";
import { stageWith, startStage } from "../test/stage.js";

describe("one answer is sent", () => {
  it("if Slack sends a command twice", async () => {
    const stage = await startStage();
    stage.slack.repeatNext();
    await stage.ask(stage.ann, "/media projects");
    await stage.settled();
    expect(stage.ann.sees(stage.general)).toHaveLength(1);
    expect(stage.slack.transcript.filter(({ what }) => what === "delivery")).toHaveLength(2);
  });

  it.each([
    ["if Slack sends the press of a button twice", { times: 1, isRepeated: true }],
    ["on a double click, even if two answers would do no harm", { times: 2, isRepeated: false }],
  ])("%s", async (_, { times, isRepeated }) => {
    const stage = await stageWith("webhooks", webhook());
    const message = await stage.ask(stage.ann, "/media logs webhooks");
    const answers = () => stage.slack.transcript.filter(({ name }) => name === "response_url").length;
    const before = answers();
    if (isRepeated) stage.slack.repeatNext();
    await stage.ann.press(message, "Refresh", { times });
    await stage.settled();
    expect(answers() - before).toBe(1);
  });

  it("to each of two people who send the same request at the same moment", async () => {
    const stage = await stageWith("webhooks", webhook());
    const [ofAnn, ofBob] = await Promise.all([
      stage.ask(stage.ann, "/media logs webhooks"),
      stage.ask(stage.bob, "/media logs webhooks"),
    ]);
    expect(textOf(ofAnn)).toContain("1 webhook, project demo");
    expect(textOf(ofBob)).toContain("1 webhook, project demo");
    expect([stage.ann, stage.bob].map((person) => person.sees(stage.general).length)).toEqual([1, 1]);
  });
});
