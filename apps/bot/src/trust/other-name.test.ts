import { textOf } from "@media-ops/fake-slack";
import { expect, it } from "vitest";
import { startStage } from "../test/stage.js";

it("the bot uses its command's name in Slack, also behind buttons", async () => {
  const stage = await startStage({ command: "/rtc" });
  const message = await stage.ask(stage.ann, "/rtc logs webhoks");
  expect(textOf(message)).toContain("/rtc logs webhooks");
  const help = await stage.press(message, "Help");
  expect(textOf(help)).toContain("/rtc logs");
  expect(textOf(help)).not.toContain("/media");
});
