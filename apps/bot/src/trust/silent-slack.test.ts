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
    Array.from({ length: 40 }, (_, at) => {
      const sent = { ...form, text: "help", trigger_id: `1.2.${at}`, response_url: slack.url };
      return sendSigned(stage, new URLSearchParams(sent).toString());
    }),
  );
  expect(new Set(acknowledged.map(({ status }) => status))).toEqual(new Set([200]));
  await expect.poll(() => slack.held.length).toBe(8);

  expect(textOf(await stage.ask(stage.bob, "/media help"))).toContain("Examples");
  // Nothing of the one person's was accepted or given up before.
  expect(slack.held).toHaveLength(8);

  slack.wake();
  await stage.settled();
  expect(accepted).toBe(40);
});
