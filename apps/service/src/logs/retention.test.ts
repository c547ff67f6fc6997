import { databaseUrl } from "@media-ops/testing";
import { expect, it, onTestFinished } from "vitest";
import { createLog } from "../log.js";
import { openParts } from "../parts.js";
import { createProject } from "../projects/projects.js";
import { testConfig } from "../test/harness.js";
import { connectionOf, present, sessionDestroyed } from "../test/media-events.js";

const DAY_MS = 24 * 60 * 60 * 1000;

/** All that the service works with, with its clock so many days ahead of the media server's. */
async function partsAhead(days: number) {
  const config = testConfig({
    MEDIA_DATABASE_URL: await databaseUrl({ memory: true }),
    MEDIA_MASTER_KEY: "5".repeat(64),
  });
  const log = createLog({ level: "info", to: { write() {} } });
  const parts = await openParts({ config, log, now: () => present + days * DAY_MS, elapsed: () => performance.now() });
  onTestFinished(() => parts.close());
  await createProject(parts.storage.query, "demo", present);
  const value = sessionDestroyed(connectionOf());
  await parts.intake.session({ text: JSON.stringify(value), value });
  return parts;
}

it("a new service whose clock is 40 days ahead of the media server's keeps what that sends", async () => {
  const { clock, store, storage } = await partsAhead(40);
  const time = await clock.check();
  expect(time).toBeUndefined();
  expect(clock.pause).toMatch(/the media server's timestamps are more than a day off/);
  await store.runRetention(time, new AbortController().signal);
  expect(await storage.query.selectFrom("log_entry").select("seq").execute()).toHaveLength(1);
});

it("a new service whose clock agrees with the media server's deletes what is a day past its time", async () => {
  const { clock } = await partsAhead(0);
  expect(await clock.check()).toBe(present - DAY_MS);
  expect(clock.pause).toBeUndefined();
});
