// 100,000 entries take 10 s, as a trace 20 s.
import { closeAfterAll } from "@media-ops/testing/after-all";
import { beforeAll, expect, it } from "vitest";
import { delivery, event } from "./test/entries.js";
import { type RunningService, startRunningService } from "./test/services.js";
import { type Ended, newUser } from "./test/user.js";

const ROWS = 100_000;
const MORE = 1234;

const atEnd = closeAfterAll();
let service: RunningService;
let start: Awaited<ReturnType<typeof newUser>>["start"];
beforeAll(async () => {
  service = await startRunningService(atEnd);
  const newest = Date.now() - 60_000;
  // Each is identified by its duration, and 10 ms older than the one before.
  for (let at = 0; at < ROWS + MORE; at += 1000) {
    const some = Array.from({ length: Math.min(1000, ROWS + MORE - at) }, (_, nth) => {
      const timestamp = new Date(newest - 10 * (at + nth)).toISOString();
      return { ...delivery(1, "session.created", 200, at + nth), timestamp };
    });
    await service.add("webhooks", ...some);
  }
  const user = await newUser(service.env, atEnd);
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

it("a trace for programs has the newest 100,000 lines, oldest first, says where it ends, and goes on there", async () => {
  const newest = Date.now() - 60_000;
  for (let at = 0; at < ROWS + MORE; at += 1000) {
    const some = Array.from({ length: 1000 }, (_, nth) => {
      const timestamp = new Date(newest - 10 * (at + nth)).toISOString();
      return event(1, "connection.created", "ok", { timestamp, connection_id: `c${at + nth}` });
    });
    await service.add("events", ...some.slice(0, ROWS + MORE - at));
  }
  const idsIn = ({ out }: Ended): number[] => {
    const lines = out.trimEnd().split("\n");
    return lines.flatMap((line) => {
      const id: unknown = JSON.parse(line).entry?.connection_id;
      return typeof id === "string" ? Number(id.slice(1)) : [];
    });
  };
  const first = await start(["trace", "lobby", "as:json"]).ended;
  expect(idsIn(first)).toEqual(from(0, ROWS).reverse());
  expect(JSON.parse(first.out.trimEnd().split("\n").at(-1) ?? "")).toMatchObject({ complete: false });
  // A busy machine may be reported to be slow before.
  expect(first.err).toMatch(/^Incomplete: the output has the newest 100,000 lines\. Go on with until:\S+Z\.$/m);
  const [until = ""] = /until:\S+Z/.exec(first.err) ?? [];
  const rest = await start(["trace", "lobby", "as:json", until]).ended;
  expect(rest.err).not.toContain("Incomplete");
  expect(new Set([...idsIn(first), ...idsIn(rest)]).size).toBe(ROWS + MORE);
});
