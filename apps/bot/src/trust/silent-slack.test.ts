import type { ServerResponse } from "node:http";
import { textOf } from "@media-ops/fake-slack";
import { expect, it } from "vitest";
import { startBadService } from "../test/bad-service.js";
import { commandForm } from "../test/requests.js";
import { sendSigned } from "../test/signed.js";
import { startStage } from "../test/stage.js";

it("answers that Slack does not take hold up the person whom they are for, and no colleague, until it takes them", async () => {
  const stage = await startStage();
  const held: ServerResponse[] = [];
  let isSilent = true;
  let taken = 0;
  const take = (response: ServerResponse): void => {
    taken += 1;
    response.end("ok");
  };
  const silent = await startBadService((_request, response) => {
    if (isSilent) held.push(response);
    else take(response);
  });
  const form = { ...commandForm, user_id: stage.ann.id, team_id: stage.team.id, channel_id: stage.general.id };
  const acknowledged = await Promise.all(
    Array.from({ length: 40 }, async (_, at) => {
      const sent = { ...form, text: "help", trigger_id: `1.2.${at}`, response_url: silent };
      const started = performance.now();
      const { status } = await sendSigned(stage, new URLSearchParams(sent).toString());
      return { status, ms: performance.now() - started };
    }),
  );
  expect(new Set(acknowledged.map(({ status }) => status))).toEqual(new Set([200]));
  expect(Math.max(...acknowledged.map(({ ms }) => ms))).toBeLessThan(3000);
  await expect.poll(() => held.length).toBe(8);

  const started = performance.now();
  expect(textOf(await stage.ask(stage.bob, "/media help"))).toContain("Examples");
  expect(performance.now() - started).toBeLessThan(2000);

  isSilent = false;
  for (const response of held) take(response);
  await stage.settled();
  expect(taken).toBe(40);
});
