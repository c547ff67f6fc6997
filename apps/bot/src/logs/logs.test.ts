import { buttonsOf, type SeenMessage, textOf } from "@media-ops/fake-slack";
import { describe, expect, it } from "vitest";
import { connection, webhook } from "../test/entries.js";
import { startPlainService } from "../test/plain-service.js";
import { labelsOf, stageWith, startStage } from "../test/stage.js";

/** Webhooks that are identified by their duration: 1 ms for the newest. */
const webhooks = (count: number) =>
  Array.from({ length: count }, (_, at) => webhook({ minutesAgo: count - at, elapsed_time_ms: count - at }));

/** The durations of a page's webhooks, from top to bottom. */
const tookIn = (message: SeenMessage): number[] =>
  [...textOf(message).matchAll(/ \| ([\d,.]+) (m?s) \| /g)].map(([, figure = "", unit]) => {
    return Number(figure.replace(",", "")) * (unit === "s" ? 1000 : 1);
  });

const from = (first: number, last: number): number[] => Array.from({ length: last - first + 1 }, (_, at) => first + at);

describe("/media logs", () => {
  it("shows the newest matching entries to that person alone, with the query in words", async () => {
    const stage = await stageWith("webhooks", ...webhooks(30), webhook({ minutesAgo: 0.5, status: 503 }));
    const message = await stage.ask(stage.ann, "/media logs webhooks status<400 since:2h");
    expect(message.isOnlyVisibleToYou).toBe(true);
    expect(message.text).toBe(
      "30 webhooks of 31 in the last 2 hours, status &lt; 400, project demo: 1–20 of 30 webhooks",
    );
    expect(tookIn(message)).toEqual(from(1, 20));
    expect(labelsOf(message)).toEqual(["Older", "Refresh", "Share here", "CSV"]);
    expect(textOf(message)).toContain("Details of…");
    expect(stage.bob.sees(stage.general)).toEqual([]);
  });

  it("pages in place, and no page shifts when new entries are logged", async () => {
    const stage = await stageWith("webhooks", ...webhooks(50));
    const first = await stage.ask(stage.ann, "/media logs webhooks");
    await stage.service.add("webhooks", webhook({ minutesAgo: 0.4, elapsed_time_ms: 999 }));
    const second = await stage.press(first, "Older");
    expect(second.ts).toBe(first.ts);
    expect(tookIn(second)).toEqual(from(21, 40));
    expect(second.text).toContain("22–41 of 51 webhooks");
    await stage.service.add("webhooks", webhook({ minutesAgo: 0.3, elapsed_time_ms: 998 }));
    const third = await stage.press(second, "Older");
    expect(tookIn(third)).toEqual(from(41, 50));
    expect(labelsOf(third)).toEqual(["Newer", "Refresh", "Share here", "CSV"]);
    const back = await stage.press(await stage.press(third, "Newer"), "Newer");
    expect(tookIn(back)).toEqual(from(1, 20));
    expect(back.text).toContain("3–22 of 52 webhooks");
    const newest = await stage.press(back, "Newer");
    expect(tookIn(newest)).toEqual([998, 999]);
    expect(stage.ann.sees(stage.general)).toHaveLength(1);
  });

  it("pages through the same period, even if it was relative to the time of the request", async () => {
    let now = Date.now();
    const stage = await startStage({ now: () => now });
    await stage.service.add("webhooks", ...webhooks(50));
    const first = await stage.ask(stage.ann, "/media logs webhooks since:30m");
    now += 20.5 * 60_000;
    const second = await stage.press(first, "Older");
    expect(tookIn(second)).toEqual(from(21, 30));
    expect(second.text).toMatch(
      /^30 webhooks since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC, project demo: 21–30 of 30 webhooks$/,
    );
  });

  it("shows the last 30 minutes with each Refresh, on every page", async () => {
    let now = Date.now();
    const stage = await startStage({ now: () => now });
    await stage.service.add("webhooks", ...webhooks(50));
    const first = await stage.ask(stage.ann, "/media logs webhooks since:30m");
    now += 7.5 * 60_000;
    const older = await stage.press(first, "Older");
    const fresh = await stage.press(older, "Refresh");
    expect(fresh.text).toBe("22 webhooks in the last 30 minutes, project demo: 1–20 of 22 webhooks");
    now += 7.5 * 60_000;
    const fresher = await stage.press(fresh, "Refresh");
    expect(fresher.text).toBe("15 webhooks in the last 30 minutes, project demo: 15 webhooks");
    now += 30 * 60_000;
    const none = await stage.press(fresher, "Refresh");
    expect(none.text).toContain("0 webhooks in the last 30 minutes");
    await stage.service.add("webhooks", webhook({ minutesAgo: -30 }));
    expect((await stage.press(none, "Refresh")).text).toContain("1 webhook in the last 30 minutes");
  });

  it("keeps its start with Refresh if that is a clock time", async () => {
    let now = Date.now();
    const stage = await startStage({ now: () => now });
    await stage.service.add("webhooks", webhook());
    const begins = new Date(now - 35.5 * 60_000).toISOString().slice(0, 16);
    const first = await stage.ask(stage.ann, `/media logs webhooks since:${begins}`);
    now += 60_000;
    const fresh = await stage.press(await stage.press(first, "CSV"), "Refresh");
    expect(fresh.text).toBe(first.text);
    expect(fresh.text).toContain("since 20");
  });

  it("returns to the newest entry with Refresh", async () => {
    const stage = await stageWith("webhooks", ...webhooks(30));
    const older = await stage.press(await stage.ask(stage.ann, "/media logs webhooks"), "Older");
    await stage.service.add("webhooks", webhook({ minutesAgo: 0, elapsed_time_ms: 500 }));
    const fresh = await stage.press(older, "Refresh");
    expect(tookIn(fresh)).toEqual([500, ...from(1, 19)]);
  });

  it("shows no more than last:N, and the same entries when new ones are logged", async () => {
    const stage = await stageWith("webhooks", ...webhooks(60));
    const first = await stage.ask(stage.ann, "/media logs webhooks last:25");
    expect(first.text).toBe("25 webhooks, the newest 25, project demo: 1–20 of 25 webhooks");
    await stage.service.add("webhooks", webhook({ minutesAgo: 0, elapsed_time_ms: 500 }));
    const second = await stage.press(first, "Older");
    expect(tookIn(second)).toEqual(from(21, 25));
    expect(labelsOf(second)).not.toContain("Older");
    const back = await stage.press(second, "Newer");
    expect(tookIn(back)).toEqual(from(1, 20));
    expect(labelsOf(back)).not.toContain("Newer");
    expect(tookIn(await stage.press(back, "Refresh"))).toEqual([500, ...from(1, 19)]);
  });

  it("shows lines with as:compact, with the same controls and pages", async () => {
    const stage = await stageWith("webhooks", ...webhooks(30));
    const first = await stage.ask(stage.ann, "/media logs webhooks as:compact");
    expect(first.text).toBe("30 webhooks, project demo: 1–20 of 30 webhooks");
    expect(first.blocks.some(({ type }) => type === "data_table")).toBe(false);
    expect(labelsOf(first)).toEqual(["Older", "Refresh", "Share here", "CSV"]);
    expect(textOf(first)).toContain("Details of…");
    const second = await stage.press(first, "Older");
    expect(textOf(second)).toContain("21–30 of 30 webhooks");
    expect(second.blocks.some(({ type }) => type === "data_table")).toBe(false);
  });

  it("shows the oldest page of thousands of entries", async () => {
    const stage = await stageWith("webhooks", ...webhooks(2010));
    const message = await stage.ask(stage.ann, "/media logs webhooks took>=1.99s");
    expect(textOf(message)).toContain("1–20 of 21 webhooks");
    expect(tookIn(await stage.press(message, "Older")).map(Math.round)).toEqual([2010]);
    const long = await stage.ask(stage.ann, "/media logs api since:31d");
    expect(textOf(long)).toMatch(/Incomplete: entries are kept for 30 days\. [\d,]+ API calls? in the last 30 days/);
    expect(textOf(await stage.ask(stage.ann, "/media logs api since:30d"))).not.toContain("Incomplete");
    const gone = textOf(await stage.ask(stage.ann, "/media logs webhooks failed since:60d until:40d"));
    expect(gone).toMatch(/Nothing is known of failed webhooks since .+, project \S+: entries are kept for 30 days\./);
  });

  it("sorts all matches, and shows the first of them", async () => {
    const stage = await stageWith(
      "webhooks",
      ...webhooks(1500),
      webhook({ minutesAgo: 2000, elapsed_time_ms: 60_000 }),
    );
    const message = await stage.ask(stage.ann, "/media logs webhooks sort:-elapsed top:25");
    expect(message.text).toContain(
      "Top 25 by elapsed (smallest first) of 1,501 webhooks, project demo: 1–20 of 25 webhooks",
    );
    expect(tookIn(message)).toEqual(from(1, 20));
    expect(tookIn(await stage.press(message, "Older"))).toEqual(from(21, 25));
    const slowest = await stage.ask(stage.ann, "/media logs webhooks sort:elapsed top:1");
    expect(textOf(slowest)).toContain(" | 1 min | ");
  });

  it("names the order and shows the value, and the CSV has all if more match than can be sorted", async () => {
    const stage = await startStage();
    const connections = Array.from({ length: 1040 }, (_, at) => connection({ minutesAgo: at + 1, sent: at * 1000 }));
    await stage.service.add("connections", ...connections);
    const message = await stage.ask(stage.ann, "/media logs connections sort:bytes");
    expect(message.text).toContain("Top 1,000 by bytes of 1,040 connections, project demo: 1–20 of 1,000 connections");
    expect(textOf(message)).toMatch(/Time \| Bytes \| Channel \|.*\n.* \| 2\.04 MB \| lobby \|/);
    expect(textOf(message)).toContain("Only the first 1,000 are listed. The CSV has all, the newest first.");
    const done = await stage.press(message, "CSV");
    expect(textOf(done)).toMatch(/The file \S+ with 1,040 connections is in your direct messages with the bot\.$/m);
    const few = await stage.ask(stage.ann, "/media logs connections sort:-received since:30m");
    expect(few.text).toContain("29 connections in the last 30 minutes, by received (smallest first)");
  });

  it("says first if the service lists no more, and older entries may match", async () => {
    const plain = await startPlainService();
    const stage = await startStage({ media: plain });
    plain.add("webhooks", ...webhooks(1010));
    const capped = await stage.ask(stage.ann, "/media logs webhooks");
    expect(textOf(capped)).toContain("1–20 of 1,000 webhooks");
    expect(capped.text).toMatch(/^Incomplete: only \S.* was searched\. At least 1,000 webhooks, project demo/);
    const first = "Incomplete: only";
    expect(textOf(await stage.ask(stage.ann, "/media logs webhooks since:1h"))).not.toContain(first);
    expect(textOf(await stage.ask(stage.ann, "/media logs webhooks last:30"))).not.toContain(first);
    expect(textOf(await stage.ask(stage.ann, "/media logs webhooks took>990ms last:30"))).toContain(first);
  });

  it("continues at the nearest entry if the requested one is no longer listed", async () => {
    const plain = await startPlainService();
    const stage = await startStage({ media: plain });
    plain.add("webhooks", ...webhooks(50));
    const second = await stage.press(await stage.ask(stage.ann, "/media logs webhooks"), "Older");
    plain.add("webhooks", ...Array.from({ length: 1000 }, () => webhook({ minutesAgo: 0, elapsed_time_ms: 7 })));
    const nearest = await stage.press(second, "Older");
    expect(textOf(nearest)).toContain("981–1,000 of 1,000 webhooks");
    expect(textOf(nearest)).toContain("These entries are no longer listed; here are the nearest.");
  });
});

describe("a listing in which nothing matches", () => {
  it("says so, and offers wider queries that find something", async () => {
    const stage = await stageWith("webhooks", ...webhooks(3), webhook({ minutesAgo: 600, status: 503 }));
    const message = await stage.ask(stage.ann, "/media logs webhooks status>=500 since:2h");
    expect(message.text).toBe(
      "0 webhooks of 3 in the last 2 hours, status ≥ 500, project demo: No webhooks were found.",
    );
    expect(textOf(message)).toContain("Without the time there is 1. Without the filters there are 3.");
    expect(labelsOf(message)).toEqual(["Without the time", "Without the filters", "Refresh"]);
    const wider = await stage.press(message, "Without the time");
    expect(wider.text).toBe("1 webhook of 4, status ≥ 500, project demo: 1 webhook");
  });

  it("offers the removal of both time and filters only if neither alone helps", async () => {
    const stage = await stageWith("webhooks", webhook({ minutesAgo: 600 }));
    const message = await stage.ask(stage.ann, "/media logs webhooks status>=500 since:2h");
    expect(labelsOf(message)).toEqual(["Without time and filters", "Refresh"]);
  });

  it("reports that a log is empty, and when sessions are logged", async () => {
    const stage = await startStage();
    const message = await stage.ask(stage.ann, "/media logs sessions channel:lobby");
    expect(textOf(message)).toContain("No sessions were found.");
    expect(textOf(message)).toContain("This log is empty");
    expect(textOf(message)).toContain("A session is logged when it ends.");
    expect(labelsOf(message)).toEqual(["Refresh"]);
  });
});

describe("a command that is too long for buttons", () => {
  it("is answered without them, and the answer says why", async () => {
    const stage = await stageWith("webhooks", ...webhooks(30));
    const message = await stage.ask(
      stage.ann,
      `/media logs webhooks -url~${"x".repeat(1000)} -url~${"y".repeat(1000)}`,
    );
    expect(tookIn(message)).toEqual(from(1, 20));
    expect(buttonsOf(message)).toEqual([]);
    expect(textOf(message)).toContain("This command is too long for buttons. Use fewer filters to get them.");
  });

  it("still offers the details of each entry", async () => {
    const stage = await stageWith("webhooks", ...webhooks(3));
    const message = await stage.ask(stage.ann, `/media logs webhooks -url~${"x".repeat(150)}`);
    await stage.ann.choose(message, "Details of…", optionsOf(message)[1] ?? "");
    await stage.slack.until(() => stage.ann.modal && textOf(stage.ann.modal).includes("Took\n2 ms"));
  });
});

const optionsOf = (message: SeenMessage): string[] => textOf(message).split("Details of…\n")[1]?.split("\n") ?? [];

describe("the project of a listing", () => {
  it("is the one that the person chooses after naming an unknown one", async () => {
    const stage = await startStage();
    const message = await stage.ask(stage.ann, "/media logs webhooks in:nowhere");
    expect(textOf(message)).toContain('No project "nowhere" is connected.');
    await stage.service.add("webhooks", ...webhooks(30));
    const right = await stage.press(message, "demo");
    expect(right.text).toBe("30 webhooks, project demo: 1–20 of 30 webhooks");
  });

  it("is each person's own if two people request two projects at the same time", async () => {
    const stage = await startStage();
    const { ann, bob, general, service } = stage;
    await stage.connectDemo(ann, general, "other");
    await service.add("webhooks", ...webhooks(30));
    await service.project("other").add("webhooks", ...webhooks(60).slice(0, 25));

    const [hers, his] = await Promise.all([
      stage.ask(ann, "/media logs webhooks in:demo"),
      stage.ask(bob, "/media logs webhooks in:other"),
    ]);
    const [herPage, hisPage] = await Promise.all([stage.press(hers, "Older"), stage.press(his, "Older", bob)]);
    expect([herPage.text, tookIn(herPage)]).toEqual(["30 webhooks, project demo: 21–30 of 30 webhooks", from(21, 30)]);
    expect([hisPage.text, tookIn(hisPage)]).toEqual(["25 webhooks, project other: 21–25 of 25 webhooks", from(56, 60)]);
    expect([ann, bob].map((person) => person.sees(general).length)).toEqual([1, 1]);
  });

  it("is missing if none is connected, and the answer says so", async () => {
    const stage = await startStage({ media: "none" });
    const message = await stage.ask(stage.bob, "/media logs webhooks");
    expect(textOf(message)).toContain("No project is connected yet.");
  });

  it("is reported as unreachable if the service is down, and earlier messages stay", async () => {
    const stage = await stageWith("webhooks", ...webhooks(30));
    const first = await stage.ask(stage.ann, "/media logs webhooks");
    await stage.service.stop();
    const problem = await stage.press(first, "Older");
    expect(problem.ts).not.toBe(first.ts);
    expect(textOf(problem)).toContain("Check that the service runs");
    expect(stage.ann.sees(stage.general).map(({ ts }) => ts)).toContain(first.ts);
  });
});
