import { type Person, type Place, textOf } from "@media-ops/fake-slack";
import { expect, it } from "vitest";
import { startSilentService } from "../test/services.js";
import { type Stage, startStage } from "../test/stage.js";

const KINDS = ["sessions", "connections", "api", "media-api", "webhooks"];

/** The time in ms until a person who types a command has an answer that contains these words. */
async function msUntil(stage: Stage, words: RegExp, person: Person, command: string, place: Place): Promise<number> {
  const before = person.sees(place).length;
  const started = performance.now();
  await person.command(command, { in: place });
  await stage.slack.until(
    () =>
      person
        .sees(place)
        .slice(before)
        .some((message) => words.test(textOf(message))),
    { timeoutMs: 60_000 },
  );
  return performance.now() - started;
}

it("100 requests to a silent service do not delay /media help, and each is answered within 15 s", async () => {
  const { url, held } = await startSilentService();
  const stage = await startStage({ media: { url } });
  const asked = performance.now();
  for (let at = 0; at < 100; at++) {
    const command = at % 2 ? `/media logs ${KINDS[at % KINDS.length]}` : `/media token lobby-${at}`;
    await stage.ann.command(command, { in: stage.general });
  }
  await expect.poll(() => held.length).toBeGreaterThan(0);
  expect(await msUntil(stage, /Examples/, stage.ann, "/media help", stage.general)).toBeLessThan(1000);
  expect(await msUntil(stage, /Examples/, stage.bob, "/media help", stage.general)).toBeLessThan(1000);
  expect(await msUntil(stage, /connected/, stage.bob, "/media projects", stage.random)).toBeLessThan(1000);
  await stage.slack.until(() => stage.ann.sees(stage.general).length === 101, { timeoutMs: 100_000 });
  expect(performance.now() - asked).toBeLessThan(15_000);
  expect(await msUntil(stage, /hasn't answered for/, stage.bob, "/media logs api", stage.general)).toBeLessThan(1000);
});

it("300 requests of one person to a silent service are all answered, and delay no colleague", async () => {
  const { url } = await startSilentService();
  const stage = await startStage({ media: { url } });
  const asked = performance.now();
  await Promise.all(
    Array.from({ length: 300 }, () => stage.ann.command("/media logs webhooks", { in: stage.general })),
  );
  expect(await msUntil(stage, /Examples/, stage.bob, "/media help", stage.general)).toBeLessThan(1000);
  const seen = (words: RegExp) => stage.ann.sees(stage.general).filter((message) => words.test(textOf(message))).length;
  await stage.slack.until(() => seen(/^Too many requests of yours/) === 100);
  expect(performance.now() - asked).toBeLessThan(8000);
  await stage.slack.until(() => seen(/took too long to answer/) === 200, { timeoutMs: 30_000 });
  expect(performance.now() - asked).toBeLessThan(15_000);
  await stage.settled();
  expect(await msUntil(stage, /Examples/, stage.ann, "/media help", stage.general)).toBeLessThan(1000);
});
