// 100,000 entries take 10 s.
import { closeAfterAll } from "@media-ops/testing/after-all";
import { beforeAll, expect, it } from "vitest";
import { delivery } from "./test/entries.js";
import { type Ended, newUser } from "./test/media.js";
import { startRunningService } from "./test/service.js";

const ROWS = 100_000;
const MORE = 1234;

const atEnd = closeAfterAll();
let start: Awaited<ReturnType<typeof newUser>>["start"];
beforeAll(async () => {
  const service = await startRunningService(atEnd);
  const newest = Date.now() - 60_000;
  // Each is identified by its duration, and 10 ms older than the one before.
  for (let at = 0; at < ROWS + MORE; at += 1000) {
    const some = Array.from({ length: Math.min(1000, ROWS + MORE - at) }, (_, nth) => {
      const timestamp = new Date(newest - 10 * (at + nth)).toISOString();
      return { ...delivery(1, "session.created", 200, at + nth), timestamp };
    });
    await service.add("webhooks", ...some);
  }
  const user = await newUser({ MEDIA_BASE_URL: service.url, MEDIA_API_KEY: service.apiKey }, atEnd);
  start = user.start;
});

/** The durations, from the first row to the last. */
const tookIn = ({ out }: Ended): number[] => {
  const [header = "", ...rows] = out.trimEnd().split("\r\n");
  const column = header.split(",").indexOf("elapsed_time_ms");
  return rows.map((row) => Number(row.split(",")[column]));
};
const from = (first: number, end: number): number[] => Array.from({ length: end - first }, (_, at) => first + at);

it("a CSV is written page by page, ends at 100,000 rows, says where, and goes on there", async () => {
  const started = start(["logs", "webhooks", "as:csv"]);
  // The first page is there long before the last.
  await expect.poll(() => started.out().length, { timeout: 60_000, interval: 5 }).toBeGreaterThan(0);
  expect(started.out().split("\r\n").length).toBeLessThan(ROWS / 2);
  const first = await started.ended;
  expect(tookIn(first)).toEqual(from(0, ROWS));
  const [, until = ""] =
    /^Incomplete: the output ends after 100,000 entries, at \S+Z\. Go on with (until:\S+Z)\.\n$/.exec(first.err) ?? [];
  const rest = await start(["logs", "webhooks", "as:csv", until]).ended;
  expect(rest.err).toBe("");
  expect([...new Set([...tookIn(first), ...tookIn(rest)])]).toEqual(from(0, ROWS + MORE));
});

it("a listing of more says how many there are, and what writes them", async () => {
  const { err } = await start(["logs", "webhooks", "last:1"]).ended;
  expect(err).toBe(
    "101,234 webhooks\n101,233 more: last:1000 shows the first 1,000, " +
      "as:csv > webhooks.csv without last:1 writes the newest 100,000.\n",
  );
});
