import { closeAfterAll } from "@media-ops/testing/after-all";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ago, event } from "./test/entries.js";
import { startFakeService } from "./test/services.js";
import { type Ended, newUser, outOf } from "./test/user.js";

const ICE = { reason: "ice-timeout", media_reason: "ICE-TIMEOUT", node_name: "node-2" } as const;

let service: Awaited<ReturnType<typeof startFakeService>>;
let media: (...words: string[]) => Promise<Ended>;
const atEnd = closeAfterAll();
beforeAll(async () => {
  service = await startFakeService({}, atEnd);
  media = (await newUser(service.env, atEnd)).run;
});

// Connections fail on the node "node-2", while one client is refused now and then.
beforeEach(() => {
  service.reset();
  const failed = Array.from({ length: 12 }, (_, at) =>
    event(1 + at / 10, "connection.failed", "failed", { ...ICE, client_id: `phone-${at}`, connection_id: `c${at}` }),
  );
  const refused = event(3, "admission.refused", "refused", { reason: "expired", client_id: "old", count: 3 });
  service.add("events", refused, ...failed);
});

const rowsIn = (err: string): string[] => err.split("\n").filter((line) => line.startsWith("  media "));
const wordsOf = (command: string): string[] => command.replaceAll("'", "").trim().split(" ").slice(1);

describe("media why", () => {
  it("names the most likely cause first, with how many there were", async () => {
    const { code, out, err } = await media("why", "lobby", "since:20m");
    expect(code).toBe(0);
    expect(out).toMatch(
      /^Why connections failed in channel lobby in project demo, last 20 minutes\nMost likely: ICE timeout/,
    );
    expect(out).toContain("12 connections of 12 clients failed");
    expect(out.indexOf("ICE timeout")).toBeLessThan(out.indexOf("client old was refused 3 times"));
    expect(err).toMatch(/^The entries of each cause:\n/);
  });

  it("gives the command that lists exactly the entries of each cause", async () => {
    const gone = { reason: "node-gone", client_id: "late" } as const;
    service.add(
      "events",
      event(2, "connection.vanished", "failed", gone),
      event(2, "session.vanished", "failed", gone),
    );
    service.add("events", event(2, "connection.failed", "failed", { ...ICE, channel_id: "stage@demo" }));
    service.add("events", event(2, "connection.failed", "failed", { ...ICE, media_reason: "ICE-OTHER" }));
    const { err } = await media("why", "lobby", "since:20m");
    const rows = rowsIn(err);
    expect(rows).toHaveLength(4);
    const [first = "", second = "", third = ""] = [/ICE-TIMEOUT/, /node-gone/, /expired/].map((cause) => {
      return rows.find((row) => cause.test(row));
    });
    const ice = await media(...wordsOf(first), "--json");
    expect(ice.out.trimEnd().split("\n")).toHaveLength(12);
    expect(ice.out).not.toContain("stage");
    const vanished = await media(...wordsOf(second), "--json");
    expect(JSON.parse(vanished.out)).toMatchObject({ type: "connection.vanished" });
    const expired = await media(...wordsOf(third), "--json");
    expect(JSON.parse(expired.out)).toMatchObject({ reason: "expired", count: 3 });
  });

  it("counts the last hour of all channels by default, and prints the figures for a program", async () => {
    const why = JSON.parse((await media("why", "--json")).out);
    expect(why).toMatchObject({ complete: true, counts: { failed: 12, refused: 3 } });
    expect(why.causes[0]).toMatchObject({ outcome: "failed", reason: "ice-timeout", count: 12, before: 0 });
    const hour = Date.parse(why.until) - Date.parse(why.since);
    expect(Math.abs(hour - 3_600_000)).toBeLessThan(60_000);
  });

  it("succeeds if nothing failed, and says so", async () => {
    const out = await outOf(media("why", "stage", "since:10m"));
    expect(out).toContain("Nothing failed");
  });

  it("says first that entries are kept for 30 days", async () => {
    const { code, err } = await media("why", "since:60d");
    expect(code).toBe(0);
    expect(err).toMatch(/^Incomplete: entries are kept for 30 days\.\n/);
    expect(JSON.parse((await media("why", "since:60d", "--json")).out).complete).toBe(false);
  });

  it("says first if not the whole period was counted", async () => {
    const total = { entries: 0, count: 0 };
    const half = { since: ago(10), until: ago(0), complete: false, total, groups: [], omitted_groups: 0, periods: [] };
    service.fail(() => Response.json(half), 6);
    const { out } = await media("why", "lobby", "since:20m");
    expect(out).toMatch(/^Incomplete: only /);
  });
});
