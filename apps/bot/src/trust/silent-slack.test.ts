import { textOf } from "@media-ops/fake-slack";
import { expect, it } from "vitest";
import { startSilentService } from "../test/bad-service.js";
import { commandForm } from "../test/requests.js";
import { sendSigned } from "../test/signed.js";
import { startStage } from "../test/stage.js";

it("while Slack refuses one person's answers, only that person waits, and all arrive afterwards", async () => {
  const stage = await startStage();
  let accepted = 0;
  const slack = await startSilentService((_request, response) => {
    accepted += 1;
    response.end("ok");
  });
  const form = { ...commandForm, user_id: stage.ann.id, team_id: stage.team.id, channel_id: stage.general.id };
  const acknowledged = await Promise.all(
    Array.from({ length: 40 }, async (_, at) => {
      const sent = { ...form, text: "help", trigger_id: `1.2.${at}`, response_url: slack.url };
      const started = performance.now();
      const { status } = await sendSigned(stage, new URLSearchParams(sent).toString());
      return { status, ms: performance.now() - started };
    }),
  );
  expect(new Set(acknowledged.map(({ status }) => status))).toEqual(new Set([200]));
  expect(Math.max(...acknowledged.map(({ ms }) => ms))).toBeLessThan(3000);
  await expect.poll(() => slack.held.length).toBe(8);

  const started = performance.now();
  expect(textOf(await stage.ask(stage.bob, "/media help"))).toContain("Examples");
  expect(performance.now() - started).toBeLessThan(2000);

  slack.wake();
  await stage.settled();
  expect(accepted).toBe(40);
});
