import type { LogKind } from "@media-ops/sdk";
import { closeAfterAll } from "@media-ops/testing/after-all";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ago, event } from "./test/entries.js";
import { startFakeService } from "./test/services.js";
import { atTerminal, type Ended, errOf, newUser, outOf } from "./test/user.js";

const CONNECTION = "4CK7RT2M4EXK7C3R8ZB5HW1NAX";
const OTHER = "4CK7RT2MZZZZZZZZZZZZZZZZZZ";
const ICE = { reason: "ice-timeout", media_reason: "ICE-TIMEOUT", node_name: "node-2" } as const;
const of = { connection_id: CONNECTION, node_name: "node-2" };

const webhook = (minutes: number, type: string, status: number) => ({
  timestamp: ago(minutes),
  type,
  url: "https://hooks.example/media",
  status,
  elapsed_time_ms: 3400,
  channel_id: "lobby@demo",
  connection_id: CONNECTION,
});

let service: Awaited<ReturnType<typeof startFakeService>>;
let media: (...words: string[]) => Promise<Ended>;
const atEnd = closeAfterAll();
beforeAll(async () => {
  service = await startFakeService({}, atEnd);
  media = (await newUser(service.env, atEnd)).run;
});

const linesOf = (text: string): string[] => text.trimEnd().split(/\r?\n/);
const jsonOf = ({ out }: Ended) => linesOf(out).map((line) => JSON.parse(line));

/** The words of a command that was printed, without the first one; in these tests, none has spaces. */
const wordsOf = (command: string): string[] => command.replaceAll("'", "").trim().split(/\s+/).slice(1);

/** The command after these words on the standard error, if there is one. */
const commandIn = ({ err }: Ended, words: string): string[] | undefined => {
  const line = linesOf(err).find((line) => line.startsWith(words));
  return line === undefined ? undefined : wordsOf(line.slice(words.length));
};

/** The lines of a page and of those before it, by the commands that are printed. */
async function pagesOf(...words: string[]): Promise<string[][]> {
  const pages: string[][] = [];
  for (let next: string[] | undefined = words; next; ) {
    const page = await media(...next);
    pages.push(linesOf(page.out).filter((line) => /^\d\d:/.test(line)));
    next = commandIn(page, "Older lines: ");
    expect(pages.length).toBeLessThan(20);
  }
  return pages;
}

describe("media trace", () => {
  // A connection that failed, after its client was refused.
  beforeEach(() => {
    service.reset();
    service.add(
      "events",
      event(50, "admission.refused", "refused", { reason: "channel-full", detail: "5 of 5" }),
      event(21, "connection.created", "ok", of),
      event(20, "connection.failed", "failed", { ...of, reason: "ice-timeout", elapsed_time_ms: 20_000 }),
    );
    service.add("webhooks", webhook(19.9, "connection.failed", 503));
  });

  it("shows a client's refusal, connection and webhook in words, oldest first, with the time between", async () => {
    const out = await outOf(media("trace", "camera-7"));
    const shown = [
      "Client camera-7",
      "client camera-7 refused: channel full (5 of 5)",
      "29 min",
      "connection 4CK7RT2M…1NAX created",
      "connection 4CK7RT2M…1NAX failed after 20 s: ICE timeout",
      "webhook connection.failed → 503 in 3.4 s",
    ];
    const places = shown.map((text) => out.indexOf(text));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places).not.toContain(-1);
  });

  it("takes a shortened id, a channel with a period, and what it is", async () => {
    for (const what of ["4CK7RT2M…1NAX", "4CK7RT2M...", `connection:${CONNECTION}`]) {
      const { out } = await media("trace", what);
      expect(out).toContain(`Connection ${CONNECTION}`);
      expect(out).not.toContain("refused");
    }
    const recent = await media("trace", "lobby", "since:30m");
    expect(recent.out).toContain("in the last 30 minutes");
    expect(recent.out).not.toContain("refused");
  });

  it("prints each line with its words and its entry as JSON", async () => {
    const created = await media("trace", CONNECTION, "--json");
    expect(jsonOf(created).map(({ kind }) => kind)).toEqual(["events", "events", "webhooks"]);
    expect(jsonOf(created).at(-1)).toMatchObject({
      words: expect.stringContaining("webhook connection.failed → 503"),
      entry: { status: 503, connection_id: CONNECTION },
    });
    expect((await media("trace", CONNECTION, "as:json")).out).toBe(created.out);
    expect(service.calls.every(({ from }) => from === "cli")).toBe(true);
  });

  it("prints CSV with a row for each line", async () => {
    const { out, err } = await media("trace", CONNECTION, "as:csv");
    const [header = "", ...rows] = linesOf(out);
    expect(header).toContain("kind,timestamp,type,outcome,reason,words");
    expect(rows).toHaveLength(3);
    expect(rows[1]).toContain("ice-timeout");
    expect(err).toBe("");
  });

  it("names the command for older lines, until there are none", async () => {
    service.add("events", ...Array.from({ length: 5 }, (_, at) => event(10 - at, "connection.created", "ok")));
    const pages = await pagesOf("trace", "client:camera-7", "last:2", "since:1h");
    expect(pages.map(({ length }) => length)).toEqual([2, 2, 2, 2, 1]);
    expect(new Set(pages.flat().map((line) => line.slice(0, "14:02:11".length))).size).toBe(9);
  });

  it("leaves out none of the lines of one time, however many there are", async () => {
    const timestamp = `${ago(1).slice(0, -1)}456Z`;
    const gone = Array.from({ length: 1500 }, (_, at) => {
      return event(1, "connection.vanished", "failed", { timestamp, client_id: `viewer-${at}`, reason: "node-gone" });
    });
    service.add("events", ...gone.slice(0, 9));
    const pages = await pagesOf("trace", "lobby", "last:2");
    const viewers = pages.flat().flatMap((line) => /viewer-\d/.exec(line) ?? []);
    expect(new Set(viewers).size).toBe(9);
    service.add("events", ...gone.slice(9));
    // A page has at most 1,000 lines.
    const full = await media("trace", "lobby", "last:600");
    expect(commandIn(full, "Older lines: ")).toContain("as:csv");
  });

  it("names the command for newer lines than a range has", async () => {
    const early = await media("trace", "channel:lobby", "until:30m");
    expect(early.out).not.toContain("ICE timeout");
    const next = commandIn(early, "Newer lines, if any: ");
    expect((await media(...(next ?? []))).out).toContain("ICE timeout");
  });

  it("gives programs all lines, and people the newest 200", async () => {
    const many = Array.from({ length: 1200 }, (_, at) => event(15 - at / 100, "connection.created", "ok"));
    service.add("events", ...many);
    for (const as of ["as:csv", "as:json"]) {
      const { out, err } = await media("trace", "lobby", as);
      expect(linesOf(out)).toHaveLength(1204 + (as === "as:csv" ? 1 : 0));
      expect(err).toBe("");
    }
    const times = jsonOf(await media("trace", "lobby", "as:json")).map(({ entry }) => entry.timestamp);
    expect(times).toEqual([...times].sort());
    const shown = await media("trace", "lobby");
    expect(shown.out).toContain("200 lines");
    expect(shown.err).toMatch(
      /^Older lines: media trace channel:lobby@demo until:\S+Z\n$|^Older lines: .*is:channel\n$/,
    );
    expect(linesOf((await media("trace", "lobby", "as:json", "last:7")).out)).toHaveLength(7);
  });

  it("lists what a text may be, with the command for each, which is not a success", async () => {
    service.add("events", event(1, "connection.created", "ok", { connection_id: OTHER }));
    const err = await errOf(media("trace", "4CK7RT2M", "since:1h"), 2);
    const [first = "", ...rows] = linesOf(err);
    expect(first).toBe("4CK7RT2M may be one of these, the last seen first:");
    expect(rows).toEqual([
      expect.stringMatching(new RegExp(`^  media trace ${OTHER} since:\\S+ is:connection +1 min ago$`)),
      expect.stringMatching(new RegExp(`^  media trace ${CONNECTION} since:\\S+ is:connection +20 min ago$`)),
    ]);
    const chosen = await media(...wordsOf(rows[1]?.replace(/ {2,}20 min ago$/, "") ?? ""));
    expect(chosen).toMatchObject({ code: 0, out: expect.stringContaining("ICE timeout") });
    const json = await media("trace", "4CK7RT2M", "--json");
    expect(json.code).toBe(2);
    expect(jsonOf(json)).toEqual([{ candidates: [expect.objectContaining({ id: OTHER }), expect.anything()] }]);
  });

  it("says that it found nothing, which is no failure", async () => {
    const { code, out } = await media("trace", "camera-99", "since:1h");
    expect(code).toBe(0);
    expect(out).toContain("Nothing was found in the last hour.");
    expect(await media("trace", "camera-99", "--json")).toEqual({ code: 0, out: "", err: "" });
  });

  it("says first that entries are kept for 30 days", async () => {
    for (const as of ["as:timeline", "as:csv"]) {
      expect((await media("trace", "lobby", "since:60d", as)).err).toMatch(/^Incomplete: entries are kept for 30 days/);
    }
  });

  it("shows control characters in a name, and the terminal executes none", async () => {
    const client_id = "\u001b[31mred\u202e";
    service.add("events", event(1, "connection.created", "ok", { client_id }));
    for (const as of ["as:timeline", "as:csv", "as:json"]) {
      const { out } = await atTerminal(["trace", "lobby", as], 70, { ...service.env, NO_COLOR: "1" });
      expect(out).toContain("red");
      expect(out.replace(/\r?\n/g, "")).not.toMatch(/[\p{Cc}\u202e]/u);
    }
  });
});

describe("media trace with a service that has the six operations only", () => {
  it("shows what the other logs have, and names those that are missing", async () => {
    const service = await startFakeService({ extensions: false });
    const lived = { created_timestamp: ago(30), destroyed_timestamp: ago(10) };
    service.add("connections", { timestamp: ago(10), client_id: "camera-7", connection_id: CONNECTION, ...lived });
    const user = await newUser(service.env);
    const shown = await user.media(["trace", "camera-7"]);
    expect(shown.code).toBe(0);
    expect(shown.out).toMatch(/^This service has no event log\./);
    expect(shown.out).toContain("connection 4CK7RT2M…1NAX ended");
    const missing: LogKind[] = ["events", "webhooks"];
    const json = await user.media(["trace", "camera-7", "--json"]);
    expect(jsonOf(json).at(-1)).toEqual({ missing });
    const csv = await user.media(["trace", "camera-7", "as:csv"]);
    expect(linesOf(csv.out)).toHaveLength(2);
    expect(csv.err).toMatch(/^Incomplete: without events and webhooks\./);
  });
});

describe("media why", () => {
  // Connections fail on the node "node-2", while one client is refused now and then.
  beforeEach(() => {
    service.reset();
    const failed = Array.from({ length: 12 }, (_, at) =>
      event(1 + at / 10, "connection.failed", "failed", { ...ICE, client_id: `phone-${at}`, connection_id: `c${at}` }),
    );
    const refused = event(3, "admission.refused", "refused", { reason: "expired", client_id: "old", count: 3 });
    service.add("events", refused, ...failed);
  });

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
    const rows = linesOf(err).filter((line) => line.startsWith("  media "));
    expect(rows).toHaveLength(4);
    const [first = "", second = "", third = ""] = [/ICE-TIMEOUT/, /node-gone/, /expired/].map((cause) => {
      return rows.find((row) => cause.test(row));
    });
    const ice = await media(...wordsOf(first), "--json");
    expect(jsonOf(ice)).toHaveLength(12);
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
