import { expect, it } from "vitest";
import { createLog } from "../log.js";
import { createClockGuard } from "../logs/retention.js";
import { openStores } from "../stores.js";
import { withProjects } from "./test/command-line.js";

const DAY_MS = 24 * 60 * 60 * 1000;

/** The command line on a database whose service last ran `days` ago, with an entry on each of the last 40 days. */
async function lastRun(days: number) {
  const { run, inDatabase } = await withProjects(["demo"]);
  const now = Date.now();
  const storage = await inDatabase(async (shared) => shared);
  const { logs } = await openStores(storage, { now: () => now, owner: "test" });
  await logs.append(
    Array.from({ length: 40 }, (_, day) => {
      const timestamp = new Date(now - day * DAY_MS).toISOString();
      return { projectId: "demo", kind: "api" as const, timestamp, text: "{}" };
    }),
  );
  const log = createLog({ level: "info", to: { write() {} } });
  const checkAt = (time: number) => createClockGuard({ storage, log, now: () => time }).check();
  await checkAt(now - days * DAY_MS);
  await checkAt(now);
  const entries = async (): Promise<number> =>
    (await storage.query.selectFrom("log_entry").select("seq").execute()).length;
  return {
    run,
    check: () => checkAt(Date.now()),
    entries,
  };
}

it("while a clock is in doubt, the status shows why and what would be deleted, and confirming requires --yes", async () => {
  const { run, check, entries } = await lastRun(3);
  const status = await run("retention", "status");
  expect(status.code).toBe(1);
  expect(status.stdout).toMatch(
    /^Old data is deleted at most one day in an hour, as the clock may be wrong: .*, 3 days after the last trusted time/,
  );
  expect(status.stdout).toMatch(
    /\nThis machine's clock shows .*Z\. It would delete 8 log entries of 8 days, from .*Z to .*T00:00:00\.000Z\.\n$/,
  );

  const shown = await run("retention", "confirm");
  expect(shown).toMatchObject({ code: 0, stderr: "" });
  expect(shown.stdout).toMatch(
    /8 log entries of 8 days.*\nNothing was changed\. To confirm the time: media-ops retention confirm --yes\n$/,
  );
  expect(await check()).toBeLessThan(Date.now() - 3 * DAY_MS);

  const confirmed = await run("retention", "confirm", "--yes", "--json");
  expect(JSON.parse(confirmed.stdout)).toMatchObject({ confirmed: true, expired: { entries: 8, days: 8 } });
  expect(await check()).toBeGreaterThan(Date.now() - 2 * DAY_MS);
  // The command itself deletes nothing.
  expect(await entries()).toBe(40);
  expect((await run("retention", "status")).code).toBe(0);
});

it("while the clocks agree, the status shows when they were last checked, and how many entries are due", async () => {
  const { run } = await lastRun(0);
  const { code, stdout } = await run("retention", "status", "--json");
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    paused: false,
    last_trusted: expect.stringMatching(/Z$/),
    expired: { entries: 8 },
  });
  expect((await run("retention", "status")).stdout).toMatch(
    /^Old data is deleted\. A service last found its clock right at .*Z\.\n/,
  );
});
