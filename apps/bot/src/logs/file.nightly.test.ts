// 100,000 entries take 10 s.
import { createMediaClient } from "@media-ops/sdk";
import { expect, it } from "vitest";
import { webhook } from "../test/entries.js";
import { startStage } from "../test/stage.js";

const ROWS = 100_000;
// On a slow machine, entries that are not indexed yet are too many to be counted in time for one answer.
const QUICK_MS = 300;

it("a CSV ends at 100,000 rows, says so, and names the time of the last", async () => {
  const stage = await startStage();
  const newest = Date.now() - 60_000;
  const entries = Array.from({ length: ROWS + 40 }, (_, at) =>
    webhook({ timestamp: new Date(newest - 10 * at).toISOString(), elapsed_time_ms: at }),
  );
  for (let at = 0; at < entries.length; at += 1000)
    await stage.service.add("webhooks", ...entries.slice(at, at + 1000));
  const client = createMediaClient({ baseUrl: stage.service.url, apiKey: stage.service.apiKey });
  const isIndexed = async (): Promise<boolean> => {
    const startedAt = performance.now();
    const { complete } = await client.logs.count("webhooks", {});
    return complete && performance.now() - startedAt < QUICK_MS;
  };
  await expect.poll(isIndexed, { timeout: 60_000 }).toBe(true);
  await stage.ann.command("/media logs webhooks as:csv", { in: stage.general });
  const message = await stage.slack.until(() => stage.ann.sees(stage.general).find(({ text }) => /file/.test(text)), {
    timeoutMs: 100_000,
  });
  const [file] = stage.ann.files();
  const times = (file?.content ?? "")
    .trim()
    .split("\r\n")
    .slice(1)
    .map((line) => Number(line.split(",")[2]));
  expect(times).toEqual(Array.from({ length: ROWS }, (_, at) => at));
  expect(message.text).toBe(
    `The file ${file?.name} with 100,000 webhooks is in your direct messages with the bot. ` +
      `It is not complete: entries before ${entries[ROWS - 1]?.timestamp} are missing.`,
  );
  expect(stage.ann.direct().at(-1)?.text).toContain(
    "100,040 webhooks, project demo. It is not complete: entries before ",
  );
});
