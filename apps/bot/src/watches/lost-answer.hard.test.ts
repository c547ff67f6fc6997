import { textOf } from "@media-ops/fake-slack";
import { expect, it } from "vitest";
import { startWatch, startWatching } from "../test/watching.js";

// Slack's client waits for seconds before it sends a request again.
it("an incident is posted once, though Slack's answer to its message is lost", async () => {
  const { stage, slack, clock, fail, says, pass, posted } = await startWatching();
  await startWatch(stage, "watch webhooks failed");
  slack.loseAnswer("chat.postMessage");
  await fail();
  await says("▲ Webhooks fail");
  clock.pass(0.25);
  await pass(1);
  await fail();
  await pass(1);
  await says("2 webhooks failed");
  await pass(20);
  expect(posted().filter((one) => textOf(one).includes("Webhooks fail"))).toHaveLength(1);
  await says("Recovered after");
});
