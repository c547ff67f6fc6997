import { closeAfterAll } from "@media-ops/testing/after-all";
import { beforeAll, describe, expect, it } from "vitest";
import { startPlainService } from "./test/answers.js";
import { delivery } from "./test/entries.js";
import { type Ended, newUser } from "./test/media.js";
import { startRunningService } from "./test/service.js";

const many = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));
const linesOf = ({ out }: Ended): string[] => out.trimEnd().split(/\r?\n/);

/** More good webhooks than a listing has, and failures before them. */
const good = many(1200, (at) => delivery(1 + at / 1000, "session.created", 200, 20));
const failed = many(834, (at) => delivery(30 + at / 1000, "session.destroyed", at % 2 ? 0 : 503, 1000 + at));

describe("a service that searches", () => {
  const atEnd = closeAfterAll();
  let media: (...words: string[]) => Promise<Ended>;
  beforeAll(async () => {
    const service = await startRunningService(atEnd);
    await service.add("webhooks", ...good, ...failed);
    const user = await newUser({ MEDIA_BASE_URL: service.url, MEDIA_API_KEY: service.apiKey }, atEnd);
    media = (...words) => user.media(words);
  });

  it("is asked for all failures, however many entries are newer", async () => {
    const listed = await media("logs", "webhooks", "failed", "since:1h", "last:3");
    expect(listed.err).toBe(
      "834 failed webhooks of 2,034 in the last hour\n831 more: last:834 shows all, as:csv > webhooks.csv without last:3 writes all.\n",
    );
    expect(linesOf(listed)).toHaveLength(4);
    const { out } = await media("summary", "webhooks", "since:1h");
    expect(out).toMatch(/^Summary of webhook logs, last hour\n.*834 of 2,034 webhooks failed/);
    expect((await media("status")).out).toContain(
      "▲ Webhook log: newest 1 min ago, 2,034 webhooks in the last hour, 834",
    );
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
      "top 1 by time (oldest first) of 2,034 webhooks\n" +
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
    expect(own.out).toContain("Without the calls of tools");
    const all = JSON.parse((await media("summary", "api", "from:cli", "--json")).out);
    expect(all.count).toBeGreaterThan(5);
    expect((await media("logs", "api", "from:cli", "last:1", "as:csv")).out).toContain("?from=cli");
    expect((await media("status")).out).toContain("API log: empty, without the calls of tools.");
  });
});

describe("a service with the six operations only", () => {
  const newest = many(1000, (at) => delivery(at / 60_000, "session.created", at < 3 ? 503 : 200, at));

  async function user() {
    const url = await startPlainService(() => newest);
    const someone = await newUser({ MEDIA_BASE_URL: url, MEDIA_API_KEY: "mo_a_b" });
    return (...words: string[]) => someone.media(words);
  }
  const first = /^Incomplete: only \d\d:\d\d:\d\d–\d\d:\d\d:\d\d UTC was searched\. /;

  it("is said first to have been searched in part: listings, sorted or not, summaries and states", async () => {
    const media = await user();
    const listed = await media("logs", "webhooks", "failed", "since:1h");
    expect(listed.err).toMatch(first);
    expect(listed.err).toContain("At least 3 failed webhooks in the last hour");
    expect((await media("logs", "webhooks", "last:2")).err).toMatch(first);
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
