import { textOf } from "@media-ops/fake-slack";
import type { WebhookLogEntry } from "@media-ops/sdk";
import { expect, it } from "vitest";
import { webhook } from "../test/entries.js";
import { startPlainService } from "../test/services.js";
import { plainStage, type Stage, stageWith, startStage } from "../test/stage.js";

/** 834 webhooks that failed half an hour ago, then thousands that did not. */
const trial: WebhookLogEntry[] = [
  ...Array.from({ length: 834 }, (_, at) => webhook({ minutesAgo: 30 - at / 1000, status: at % 3 === 0 ? 0 : 503 })),
  ...Array.from({ length: 4000 }, (_, at) => webhook({ minutesAgo: 1 - at / 6000 })),
];

async function answersOf({ ask, bob }: Stage): Promise<{ summary: string; status: string; logs: string }> {
  const read = async (command: string) => textOf(await ask(bob, command));
  return {
    summary: await read("/media summary webhooks since:1h"),
    status: await read("/media status"),
    logs: await read("/media logs webhooks failed since:1h"),
  };
}

it("failures of the last hour are found behind thousands of good entries", async () => {
  const stage = await stageWith("webhooks", ...trial);
  // A busy machine may search only a part at first, and says so.
  await expect.poll(async () => (await answersOf(stage)).summary, { timeout: 60_000 }).not.toContain("Incomplete");
  const { summary, status, logs } = await answersOf(stage);
  expect(summary).toContain("834 of 4,834 webhooks failed (17%), most often with status 503.");
  expect(status).toContain("▲ Webhooks fail: 834 of 4,834 in the last hour, most often with 503");
  expect(logs).toContain("834 failed webhooks of 4,834 in the last hour, project demo");
  expect(logs).toContain("1–20 of 834 webhooks");
  for (const text of [summary, status, logs]) expect(text).not.toContain("Incomplete");
});

it("failures are found in the same way by the SDK's fake of the service", async () => {
  const fake = await startPlainService({ extensions: true });
  const stage = await startStage({ media: fake });
  fake.add("webhooks", ...trial);
  const { summary, status, logs } = await answersOf(stage);
  expect(summary).toContain("834 of 4,834 webhooks failed");
  expect(status).toContain("▲ Webhooks fail: 834 of 4,834 in the last hour");
  expect(logs).toContain("834 failed webhooks of 4,834 in the last hour");
});

it("a service that cannot search is never taken for one without failures", async () => {
  const stage = await plainStage();
  stage.media.add("webhooks", ...trial);
  const { summary, status, logs } = await answersOf(stage);
  for (const text of [summary, status, logs]) expect(text).toMatch(/^Incomplete: only /);
  expect(summary).toContain("None of 1,000 webhooks there failed.");
  expect(status).toContain("? Nothing failed in what was searched of the last hour.");
  expect(status).toContain("? Webhook log: ");
  expect(status).not.toContain("✓ Webhook log");
  expect(logs).toContain("0 failed webhooks there in the last hour");
  expect(logs).toContain("Without the filters there are at least 1,000.");
  const wide = await stage.read(stage.bob, "/media logs webhooks sort:elapsed top:3 since:1h");
  expect(wide).toMatch(/^Incomplete: only \S+ UTC was searched\. Top 3 by elapsed of at least 1,000 webhooks/);
});

it("a service that cannot search is asked to only once", async () => {
  const stage = await plainStage();
  await answersOf(stage);
  const first = stage.media.calls.filter(({ body }) => Object.keys(body as object).length > 1 || body === "").length;
  await answersOf(stage);
  const second = stage.media.calls.filter(({ body }) => Object.keys(body as object).length > 1 || body === "").length;
  expect(second).toBe(first);
});
