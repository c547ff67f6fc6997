import { textOf } from "@media-ops/fake-slack";
import { it } from "vitest";
import { startStage } from "../test/stage.js";

it("when Slack does not say in time who somebody is, they are told that nothing was done", {
  timeout: 40_000,
}, async () => {
  const stage = await startStage();
  // Slack's client sends nothing at all until then, so that no window opens either.
  stage.slack.limit("users.info", { retryAfter: 30 });
  await stage.ann.command("/media token", { in: stage.general });
  const told = () =>
    stage.ann
      .sees(stage.general)
      .some(
        (message) => textOf(message) === "Slack doesn't say who you are, so nothing was done. Try again in a minute.",
      );
  await stage.slack.until(told, { timeoutMs: 15_000 });
});
