import { setImmediate } from "node:timers/promises";
import { closeAfterAll } from "@media-ops/testing/after-all";
import { beforeAll, describe, expect, it } from "vitest";
import { delivery } from "./test/entries.js";
import { startPlainService, startRunningService } from "./test/services.js";
import { type Ended, newUser, type Started } from "./test/user.js";

const DAY_MS = 86_400_000;

const many = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));
const linesOf = ({ out }: Ended): string[] => out.trimEnd().split(/\r?\n/);

/** More good webhooks than a listing has, and failures before them. */
const good = many(1200, (at) => delivery(1 + at / 1000, "session.created", 200, 20));
const failed = many(834, (at) => delivery(30 + at / 1000, "session.destroyed", at % 2 ? 0 : 503, 1000 + at));

describe("a service that searches", () => {
  const atEnd = closeAfterAll();
  let media: (...words: string[]) => Promise<Ended>;
  let start: (...words: string[]) => Started;
  beforeAll(async () => {
    const service = await startRunningService(atEnd);
    await service.add("webhooks", ...good, ...failed);
    const user = await newUser(service.env, atEnd);
    media = user.run;
    start = (...words) => user.start(words);
  });

  it("is asked for all failures, however many entries are newer", async () => {
    const listed = await media("logs", "webhooks", "failed", "since:1h", "last:3");
    expect(listed.err).toBe(
      "834 failed webhooks of 2,034 in the last hour\n831 more: last:834 shows all, as:csv > webhooks.csv without last:3 writes all.\n",
    );
    expect(linesOf(listed)).toHaveLength(4);
    const { out } = await media("summary", "webhooks", "since:1h");
    expect(out).toMatch(/^Summary of 2,034 webhooks in the last hour\n.*834 of 2,034 webhooks failed/);
    expect((await media("status")).out).toContain(
      "▲ Webhook log: newest 1 min ago, 2,034 webhooks in the last hour, 834",
    );
  });

  it("says of how many the failed ones are in a summary, and by what", async () => {
    const { out } = await media("summary", "webhooks", "failed", "since:1h", "by:status");
    expect(out).toMatch(/^Summary of 834 failed webhooks of 2,034 in the last hour, by status\n/);
  });

  it("knows nothing of the time from before the 30 days that entries are kept", async () => {
    const longer = await media("logs", "webhooks", "failed", "since:60d", "last:2");
    expect(longer.err).toMatch(
      /^Incomplete: entries are kept for 30 days\. 834 failed webhooks of 2,034 in the last 30 days\n/,
    );
    const gone = await media("logs", "webhooks", "since:60d", "until:40d");
    expect(gone.err).toMatch(/^Nothing is known of webhooks since .+ until .+: entries are kept for 30 days\.\n$/);
    expect((await media("logs", "webhooks", "until:31d")).err).toMatch(/^Nothing is known of webhooks/);
    expect((await media("logs", "webhooks", "since:30d", "last:1000")).err).not.toContain("Incomplete");
    const json = await media("logs", "webhooks", "failed", "since:60d", "--json");
    const end = JSON.parse(linesOf(json).at(-1) ?? "");
    expect(end.complete).toBe(false);
    expect(Math.abs(Date.parse(end.searched_to) - (Date.now() - 30 * DAY_MS))).toBeLessThan(60_000);
    expect(json.err).toBe("Incomplete: entries are kept for 30 days.\n");
    const none = JSON.parse((await media("logs", "webhooks", "since:60d", "until:40d", "--json")).out);
    expect(Math.abs(Date.parse(none.searched_to) - (Date.now() - 40 * DAY_MS))).toBeLessThan(60_000);
    const { out } = await media("summary", "webhooks", "since:60d");
    expect(out).toMatch(
      /^Incomplete: only .+ was searched\.\nSummary of at least 2,034 webhooks in the last 30 days\n/,
    );
  });

  it("follows from the newest 1,000 entries of a period, and says how many there are", async () => {
    const following = start("follow", "webhooks", "since:1h", "as:json");
    await expect.poll(() => following.out().split("\n").length).toBeGreaterThan(1000);
    following.stop();
    const { err } = await following.ended;
    expect(err).toContain("The newest 1,000 of 2,034 come first; media logs webhooks with since: lists the others.\n");
    expect(err).toMatch(/\nGo on with since:2\S+Z, which repeats the last entry\.\n$/);
  });

  it("writes all matches to files, and says nothing if they are all", async () => {
    const csv = await media("logs", "webhooks", "as:csv");
    expect(new Set(linesOf(csv)).size).toBe(2035);
    expect(csv.err).toBe("");
    const json = await media("logs", "webhooks", "failed", "--json");
    expect(linesOf(json).map((line) => JSON.parse(line).timestamp)).toEqual(failed.map(({ timestamp }) => timestamp));
    expect((await media("logs", "webhooks", "last:1500", "as:json")).code).toBe(2);
    expect(linesOf(await media("logs", "webhooks", "last:7", "as:json"))).toHaveLength(7);
  });

  it("is asked for all matches before they are sorted", async () => {
    const slowest = await media("logs", "webhooks", "top:2", "sort:elapsed", "--json");
    expect(linesOf(slowest).map((line) => JSON.parse(line).elapsed_time_ms)).toEqual([1833, 1832]);
    const oldest = await media("logs", "webhooks", "top:1", "sort:-time", "as:compact");
    expect(oldest.err).toBe(
      "Top 1 by time (oldest first) of 2,034 webhooks\n" +
        "2,033 more: top:1000 shows the first 1,000, as:csv > webhooks.csv without top:1 writes all.\n",
    );
    expect(oldest.out).toContain("1.83 s");
  });

  it("counts groups, and compares with the period before", async () => {
    const { out } = await media("summary", "webhooks", "failed", "by:status", "since:20m");
    expect(out).toContain("No failed webhooks");
    const both = JSON.parse((await media("summary", "webhooks", "by:status,type", "since:25m", "--json")).out);
    expect(both).toMatchObject({ complete: true, count: 1200, before: { count: 834, failed: 834 } });
    expect(both.groups.all).toEqual([expect.objectContaining({ by: { status: 200, type: "session.created" } })]);
  });

  it("leaves out the calls of tools from overviews of the API log, unless they are requested", async () => {
    await media("logs", "sessions");
    const own = await media("summary", "api");
    expect(own.out).toContain("No API calls");
    expect(own.out).toContain("Excludes calls from tools");
    const all = JSON.parse((await media("summary", "api", "from:cli", "--json")).out);
    expect(all.count).toBeGreaterThan(5);
    expect((await media("logs", "api", "from:cli", "last:1", "as:csv")).out).toContain("?from=cli");
    expect((await media("status")).out).toContain("API log: empty, excluding calls from tools.");
  });
});

it("a status makes many calls at once, without a warning of Node.js", async () => {
  const service = await startRunningService();
  const target = { media_target: "Media_20151104.DisconnectChannel", channel_id: "lobby@demo" };
  const bad = { timestamp: new Date(Date.now() - 60_000).toISOString(), status: 503, elapsed_time_ms: 41 };
  await service.add("webhooks", delivery(1, "session.created", 503, 41));
  await service.add("media-api", { ...bad, ...target });
  await service.add("api", { ...bad, url: "https://media.example/orgs/list-api-logs" });
  const user = await newUser(service.env);
  const warnings: Error[] = [];
  const keep = (warning: Error) => void warnings.push(warning);
  process.on("warning", keep);
  try {
    expect((await user.media(["status"])).out.match(/\b503\b/g)).toHaveLength(3);
    // Warnings are emitted in a later turn.
    await setImmediate();
  } finally {
    process.off("warning", keep);
  }
  expect(warnings).toEqual([]);
});

describe("a service with the six operations only", () => {
  const newest = many(1000, (at) => delivery(at / 60_000, "session.created", at < 3 ? 503 : 200, at));

  async function user() {
    const url = await startPlainService(() => newest);
    return (await newUser({ MEDIA_BASE_URL: url, MEDIA_API_KEY: "mo_a_b" })).run;
  }
  // Around midnight, the times are of two days.
  const first = /^Incomplete: only (\w+ \d+ )?\d\d:\d\d:\d\d–(today )?\d\d:\d\d:\d\d UTC was searched\. /;

  it("is said first to have been searched in part: listings, sorted or not, summaries and states", async () => {
    const media = await user();
    const listed = await media("logs", "webhooks", "failed", "since:1h");
    expect(listed.err).toMatch(first);
    expect(listed.err).toContain("At least 3 failed webhooks in the last hour");
    const newestTwo = await media("logs", "webhooks", "last:2");
    expect(newestTwo.err).toMatch(first);
    expect(newestTwo.err).toContain("without last:2 writes all that this service lists.");
    expect((await media("logs", "webhooks", "top:2", "sort:elapsed")).err).toMatch(first);
    expect((await media("logs", "webhooks", "status:418")).err).toMatch(first);
    expect((await media("summary", "webhooks", "since:1h")).out).toMatch(/^Incomplete: only .* was searched\./);
    const { out } = await media("status");
    expect(out).toMatch(/^Incomplete: only .* of the webhook log/);
    expect(out).not.toContain("All is well");
  });

  it("is known to programs to have been searched in part", async () => {
    const media = await user();
    const searched_to = newest.at(-1)?.timestamp;
    const listed = await media("logs", "webhooks", "status:418", "--json");
    const end = JSON.parse(listed.out);
    expect(end.complete).toBe(false);
    expect(Date.parse(end.searched_to)).toBe(Date.parse(searched_to ?? ""));
    expect(listed.err).toMatch(/^Incomplete: only entries since 2.*Z were searched\.\n$/);
    expect((await media("logs", "webhooks", "as:csv")).err).toMatch(/^Incomplete: /);
    expect(JSON.parse((await media("summary", "webhooks", "since:1h", "--json")).out)).toMatchObject({
      complete: false,
      searched_to,
    });
    const status = JSON.parse((await media("status", "--json")).out);
    expect(status.complete).toBe(false);
    expect(status.logs[4]).toMatchObject({ kind: "webhooks", complete: false, searched_to });
  });

  it("is not, if its list reaches back beyond the period", async () => {
    const url = await startPlainService(() => newest.slice(0, 999));
    const someone = await newUser({ MEDIA_BASE_URL: url, MEDIA_API_KEY: "mo_a_b" });
    expect((await someone.media(["logs", "webhooks", "failed"])).err).toBe("3 failed webhooks\n");
    expect((await someone.media(["logs", "webhooks", "as:csv"])).err).toBe("");
  });
});
