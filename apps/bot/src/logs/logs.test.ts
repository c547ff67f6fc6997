import { buttonsOf, checkBlocks, type Person, type SeenMessage, type SeenView, textOf } from "@media-ops/fake-slack";
import type { ListingFigures } from "@media-ops/reports";
import type { SessionLogEntry } from "@media-ops/sdk";
import { describe, expect, it } from "vitest";
import { fileName } from "../slack/send-file.js";
import { connection, created, failure, ids, refusal, webhook } from "../test/entries.js";
import { expectWords, labelsOf, plainStage, roomsIn, type Stage, stageWith, startStage } from "../test/stage.js";
import { figuresOf } from "./logs.js";

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

  it("pages through the same period, even if it was relative, and shows the last 30 minutes with each Refresh", async () => {
    let now = Date.now();
    const stage = await startStage({ now: () => now });
    await stage.service.add("webhooks", ...webhooks(50));
    const first = await stage.ask(stage.ann, "/media logs webhooks since:30m");
    now += 7.5 * 60_000;
    const older = await stage.press(first, "Older");
    // The page is still of the period of the request.
    expect(tookIn(older)).toEqual(from(21, 30));
    expect(older.text).toMatch(
      /^30 webhooks since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC, project demo: 21–30 of 30 webhooks$/,
    );
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
    expect(await stage.read(stage.ann, "/media logs api since:30d")).not.toContain("Incomplete");
    const gone = await stage.read(stage.ann, "/media logs webhooks failed since:60d until:40d");
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
    expect(await stage.read(stage.ann, "/media logs webhooks sort:elapsed top:1")).toContain(" | 1 min | ");
  });

  it("names the order and shows the value, and the CSV has all if more match than can be sorted", async () => {
    const stage = await startStage();
    const connections = Array.from({ length: 1040 }, (_, at) =>
      connection({ minutesAgo: at + 1, total_sent_bytes: at * 1000 }),
    );
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
    const stage = await plainStage();
    stage.media.add("webhooks", ...webhooks(1010));
    const capped = await stage.ask(stage.ann, "/media logs webhooks");
    expect(textOf(capped)).toContain("1–20 of 1,000 webhooks");
    expect(capped.text).toMatch(/^Incomplete: only \S.* was searched\. At least 1,000 webhooks, project demo/);
    const first = "Incomplete: only";
    expect(await stage.read(stage.ann, "/media logs webhooks since:1h")).not.toContain(first);
    expect(await stage.read(stage.ann, "/media logs webhooks last:30")).not.toContain(first);
    expect(await stage.read(stage.ann, "/media logs webhooks took>990ms last:30")).toContain(first);
  });

  it("continues at the nearest entry if the requested one is no longer listed", async () => {
    const stage = await plainStage();
    stage.media.add("webhooks", ...webhooks(50));
    const second = await stage.press(await stage.ask(stage.ann, "/media logs webhooks"), "Older");
    stage.media.add("webhooks", ...Array.from({ length: 1000 }, () => webhook({ minutesAgo: 0, elapsed_time_ms: 7 })));
    const nearest = await stage.press(second, "Older");
    expectWords(nearest, "981–1,000 of 1,000 webhooks", "These entries are no longer listed; here are the nearest.");
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
    expectWords(message, "No sessions were found.", "This log is empty", "A session is logged when it ends.");
    expect(labelsOf(message)).toEqual(["Refresh"]);
  });
});

it("a command that is too long for buttons is answered without them, and the answer says why; a shorter one still offers the details of each entry", async () => {
  const stage = await stageWith("webhooks", ...webhooks(30));
  const message = await stage.ask(stage.ann, `/media logs webhooks -url~${"x".repeat(1000)} -url~${"y".repeat(1000)}`);
  expect(tookIn(message)).toEqual(from(1, 20));
  expect(buttonsOf(message)).toEqual([]);
  expect(textOf(message)).toContain("This command is too long for buttons. Use fewer filters to get them.");
  const shorter = await stage.ask(stage.ann, `/media logs webhooks -url~${"x".repeat(150)}`);
  expect(textOf(await look(stage, stage.ann, shorter, 1))).toContain("Took\n2 ms");
});

describe("the project of a listing", () => {
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

async function startOnOlderPage(): Promise<{ stage: Stage; older: SeenMessage }> {
  const stage = await stageWith("webhooks", ...webhooks(50));
  const first = await stage.ask(stage.ann, "/media logs webhooks status:200");
  const older = await stage.press(first, "Older");
  return { stage, older };
}

/** Presses Share, and waits until the page is shared. */
async function share({ slack, ann, bob, general }: Stage, message: SeenMessage, times = 1): Promise<SeenMessage> {
  await ann.press(message, "Share here", { times });
  await slack.until(() => ann.sees(general).some((seen) => textOf(seen).includes("Shared with everyone here.")));
  return slack.until(() => bob.sees(general).at(-1));
}

describe("sharing a page of logs", () => {
  it("shows the same page to everyone in the channel, once on a double click, and says who shared it", async () => {
    const { stage, older } = await startOnOlderPage();
    await stage.service.add("webhooks", webhook({ minutesAgo: 0 }));
    const shared = await share(stage, older, 2);
    await stage.settled();
    expect(stage.bob.sees(stage.general)).toEqual([shared]);
    expect(shared.isOnlyVisibleToYou).toBe(false);
    for (const part of [
      "51 webhooks, status 200, project demo",
      "22–41 of 51 webhooks",
      " | 21 ms | ",
      " | 40 ms | ",
    ]) {
      expect(textOf(shared)).toContain(part);
    }
    const context = { type: "mrkdwn", text: `Shared by <@${stage.ann.id}>`, verbatim: true };
    expect(shared.blocks).toContainEqual(expect.objectContaining({ type: "context", elements: [context] }));
    expect(labelsOf(shared)).toEqual(["Look closer"]);
    // The person's own message confirms it, and keeps all buttons but Share.
    const own = stage.ann.messageAt(older) ?? older;
    expect(textOf(own)).toContain("22–41 of 51 webhooks");
    expect(labelsOf(own)).toEqual(["Newer", "Older", "Refresh", "CSV"]);
  });

  it("shows times in UTC, because readers may be in other time zones", async () => {
    const stage = await startStage();
    const { person: yuki, place } = stage.newcomer("yuki", { timeZone: "Asia/Tokyo" });
    place.add(stage.bob);
    await stage.service.add("webhooks", webhook());
    const own = await stage.ask(yuki, "/media logs webhooks since:2026-11-01", place);
    expect(textOf(own)).toContain("1 webhook since 2026-11-01, project demo");
    await yuki.press(own, "Share here");
    const shared = await stage.slack.until(() => stage.bob.sees(place).at(-1));
    expect(textOf(shared)).toContain("1 webhook since 2026-10-31 15:00 UTC, project demo");
  });

  it("opens a listing of their own for a person who looks closer, and leaves the shared page unchanged", async () => {
    const { stage, older } = await startOnOlderPage();
    const shared = await share(stage, older);
    const own = await stage.press(shared, "Look closer", stage.bob);
    expect(own.isOnlyVisibleToYou).toBe(true);
    expect(textOf(own)).toContain("21–40 of 50 webhooks");
    expect(labelsOf(own)).toEqual(["Newer", "Older", "Refresh", "Share here", "CSV"]);
    const newer = await stage.press(own, "Newer", stage.bob);
    expect(newer.ts).toBe(own.ts);
    expect(stage.bob.sees(stage.general).find(({ ts }) => ts === shared.ts)).toEqual(shared);
    // Ann sees her own message and what she shared, but none of bob's messages.
    expect(stage.ann.sees(stage.general)).toHaveLength(2);
  });

  it("shares nothing if no entry is left, and says so", async () => {
    const stage = await plainStage();
    stage.media.add("webhooks", webhook({ minutesAgo: 5, status: 503 }));
    const message = await stage.ask(stage.ann, "/media logs webhooks status>=500");
    stage.media.add("webhooks", ...Array.from({ length: 1000 }, () => webhook()));
    const none = await stage.press(message, "Share here");
    expect(textOf(none)).toContain("Not shared: no entry matches any more.");
    expect(stage.bob.sees(stage.general)).toEqual([]);
  });

  it("is not offered in the direct conversation with the bot", async () => {
    const stage = await stageWith("webhooks", ...webhooks(3));
    await stage.ann.command("/media logs webhooks");
    const message = await stage.slack.until(() => stage.ann.direct().at(-1));
    expect(labelsOf(message)).toEqual(["Refresh", "CSV"]);
  });
});

const NAME = /webhooks-demo-\d{4}-\d\d-\d\dT\d{4}Z\.csv/;

async function startWithListing(): Promise<{ stage: Stage; message: SeenMessage }> {
  const stage = await stageWith("webhooks", ...webhooks(30), webhook({ status: 503, minutesAgo: 0.5 }));
  const message = await stage.ask(stage.ann, "/media logs webhooks status<400");
  return { stage, message };
}

describe("the button CSV", () => {
  it("sends all matching entries to that person alone, as one file with the query, also on a double click", async () => {
    const { stage, message } = await startWithListing();
    const press = () => stage.ann.press(message, "CSV", { times: 2 });
    const done = await stage.next(stage.ann, stage.general, press);
    await stage.settled();
    const [file, ...others] = stage.ann.files();
    expect(others).toEqual([]);
    expect(file?.name).toMatch(NAME);
    const lines = file?.content.split("\r\n") ?? [];
    expect(lines[0]).toBe("\ufefftimestamp,status,elapsed_time_ms,type,url,channel_id,connection_id,event_id");
    expect(lines).toHaveLength(32);
    expect(lines[1]).toMatch(/,200,1,session\.created,https:/);
    expect(stage.ann.direct().at(-1)?.text).toBe("30 webhooks of 31, status &lt; 400, project demo");
    expect(stage.bob.files()).toEqual([]);
    expect(stage.bob.sees(stage.general)).toEqual([]);
    expect(done.ts).toBe(message.ts);
    expect(textOf(done)).toContain(`The file ${file?.name} with 30 webhooks is in your direct messages with the bot.`);
    expect(textOf(done)).toContain("1–20 of 30 webhooks");
  });

  it.each([
    ["missing_scope", /^No file was sent: the bot may not send files/],
    ["file_uploads_disabled", /^Slack refused the file \(file_uploads_disabled\)\. Try again/],
  ])("explains in one message why there is no file if Slack refuses it: %s", async (error, words) => {
    const { stage, message } = await startWithListing();
    stage.slack.fail("files.getUploadURLExternal", { error });
    const refusal = await stage.press(message, "CSV");
    await stage.bot.stop();
    expect(textOf(refusal)).toMatch(words);
    expect(stage.ann.sees(stage.general)).toHaveLength(2);
    expect(stage.ann.sees(stage.general)[0]).toEqual(message);
    expect(stage.ann.files()).toEqual([]);
    expect(stage.logged()).toContain(error);
  });
});

describe("/media logs as a file", () => {
  it("sends the file at once with as:csv, or with one entry per line with as:json, and says where it is", async () => {
    const newest = webhook({ minutesAgo: 0 });
    const stage = await stageWith("webhooks", ...webhooks(29), newest);
    const message = await stage.ask(stage.ann, "/media logs webhooks last:25 as:csv");
    const [file] = stage.ann.files();
    expect(message.text).toBe(`The file ${file?.name} with 25 webhooks is in your direct messages with the bot.`);
    expect(stage.ann.direct().at(-1)?.text).toBe("25 webhooks, the newest 25, project demo");
    expect(file?.content.trim().split("\r\n")).toHaveLength(26);
    const shown = await stage.press(message, "Show them here");
    expect(textOf(shown)).toContain("1–20 of 25 webhooks");
    await stage.ask(stage.ann, "/media logs webhooks last:1 as:json");
    const [, lines] = stage.ann.files();
    expect(lines?.name).toMatch(/\.jsonl$/);
    expect(JSON.parse(lines?.content ?? "")).toEqual(newest);
  });

  it("has all matching entries, however many pages they are", async () => {
    const stage = await stageWith("webhooks", ...webhooks(2500));
    const message = await stage.ask(stage.ann, "/media logs webhooks took>=100ms as:csv");
    const [file] = stage.ann.files();
    const times = file?.content
      .trim()
      .split("\r\n")
      .map((line) => line.split(",")[2]);
    expect(times).toEqual(["elapsed_time_ms", ...Array.from({ length: 2401 }, (_, at) => String(100 + at))]);
    expect(message.text).toBe(`The file ${file?.name} with 2,401 webhooks is in your direct messages with the bot.`);
  });

  it("says where the file ends if the service lists no more", async () => {
    const stage = await plainStage();
    stage.media.add("webhooks", ...webhooks(1010));
    const message = await stage.ask(stage.ann, "/media logs webhooks as:json");
    const [file] = stage.ann.files();
    expect(message.text).toMatch(/It is not complete: entries before \d{4}-\S+Z are missing\.$/);
    expect(JSON.parse(file?.content.trim().split("\n").at(-1) ?? "")).toMatchObject({ complete: false });
  });

  it("sends no file if nothing matches, and says so", async () => {
    const stage = await stageWith("webhooks", ...webhooks(3));
    const message = await stage.ask(stage.ann, "/media logs webhooks status>=500 as:csv");
    expect(textOf(message)).toContain("No webhooks were found.");
    expect(labelsOf(message)).toContain("Without the filters");
    expect(stage.ann.files()).toEqual([]);
  });
});

const time = (second: number) => `2026-11-21T14:00:${second}Z`;
it.each<[words: string, counted: ListingFigures, rows: number, end: string | undefined, figures: ListingFigures]>([
  [
    "all, although the count ended early",
    { found: 40, of: 90, searchedTo: time(30) },
    70,
    undefined,
    { found: 70, of: 90 },
  ],
  [
    "more than the count, and not all",
    { found: 40, of: 90, searchedTo: time(30) },
    70,
    time(20),
    { found: 70, of: 90, searchedTo: time(20) },
  ],
  ["less than the count, which is of all", { found: 100, of: 900 }, 70, time(20), { found: 100, of: 900 }],
  [
    "less than the count, which is not of all",
    { found: 100, of: 900, searchedTo: time(10) },
    70,
    time(20),
    { found: 100, of: 900, searchedTo: time(10) },
  ],
])(
  "the figures of a file are those of the count or of the file, whichever got further: %s",
  (_, counted, rows, end, figures) => {
    expect(figuresOf(counted, rows, end)).toEqual(figures);
  },
);

it.each([
  ["demo", "csv", "webhooks-demo-2026-11-21T1403Z.csv"],
  ["a/../b c", "json", "webhooks-a_.._b_c-2026-11-21T1403Z.jsonl"],
  ["x".repeat(300), "csv", `webhooks-${"x".repeat(60)}-2026-11-21T1403Z.csv`],
] as const)("the name of a file is readable for any project name: %s", (project, form, name) => {
  expect(fileName(`webhooks-${project}`, form, Date.parse("2026-11-21T14:03:22Z"))).toBe(name);
});

const startWithEvents = () => stageWith("events", created({ minutesAgo: 9 }), failure({ minutesAgo: 8 }), refusal());

describe("the event log", () => {
  it("is listed with outcomes and reasons, searched and paged like the others", async () => {
    const stage = await startWithEvents();
    const message = await stage.ask(stage.ann, "/media logs events failed since:1h");
    expectWords(message, "2 failed events of 3 in the last hour, project demo", "▲ channel full (5 of 5)");
    expect(textOf(message)).toContain("✗ ICE timeout");
    expect(checkBlocks(message.blocks, "message")).toEqual({ ok: true });
    expect(labelsOf(message)).toEqual(["Refresh", "Share here", "CSV"]);
  });

  it("is part of the status, whose buttons lead to its failures and their causes", async () => {
    const stage = await startWithEvents();
    const { ann } = stage;
    const status = await stage.ask(ann, "/media status");
    expect(textOf(status)).toContain("Event log: newest");
    expect(labelsOf(status)).toEqual(["Look at events", "Why", "Refresh"]);
    const failing = await stage.press(status, "Look at events");
    // Refused clients aren't failures of the service.
    expect(textOf(status)).toContain("▲ Connections fail: 1 of 3 events in the last hour");
    expect(textOf(failing)).toContain("1 event of 3 in the last hour, outcome failed, project demo");
    const again = await stage.ask(ann, "/media status", stage.random);
    const why = await stage.next(ann, stage.random, () => ann.press(again, "Why"));
    expect(textOf(why)).toContain("Why connections failed in the last hour, project demo");
  });

  it("has a status that explains why clients were refused, also if nothing failed", async () => {
    const stage = await stageWith("events", created({ minutesAgo: 9 }), refusal());
    const status = await stage.ask(stage.ann, "/media status");
    expect(textOf(status)).toContain("1 attempt to connect refused (channel full)");
    expect(labelsOf(status)).toEqual(["Why", "Refresh"]);
    const why = await stage.press(status, "Why");
    expect(textOf(why)).toContain("channel full");
  });
});

describe("if a service has the six operations only", () => {
  it("each command that needs more says plainly what it lacks", async () => {
    const stage = await plainStage();
    for (const command of [
      "logs events",
      "summary events",
      "logs events as:csv",
      "logs events failed since:2h",
      "why",
    ]) {
      const message = await stage.ask(stage.ann, `/media ${command}`);
      expect(textOf(message), command).toContain("This service has no event log");
      expect(textOf(message), command).not.toContain("Check the address");
      expect(labelsOf(message)).toEqual(["Status"]);
    }
    for (const [command, part] of [
      ["live", "list of live channels"],
      ["tokens", "record of access tokens"],
      ["deliveries", "list of webhook deliveries"],
      ["endpoints", "list of webhook endpoints"],
    ]) {
      expect(await stage.read(stage.ann, `/media ${command}`)).toContain(`This service has no ${part}`);
    }
    await stage.ann.command("/media revoke lobby", { in: stage.general });
    await stage.slack.until(() =>
      textOf(stage.ann.modal ?? []).includes("This service has no record of access tokens"),
    );
  });

  it("the status of the other logs is shown, with the one that is missing", async () => {
    const stage = await plainStage();
    stage.media.add("webhooks", webhook({ status: 503 }));
    const status = await stage.ask(stage.ann, "/media status");
    expectWords(status, "▲ Webhooks fail: 1 of 1 in the last hour", "Event log: this service has none");
    expect(textOf(status)).not.toContain("No answer");
    expect(labelsOf(status)).toEqual(["Look at webhooks", "Refresh"]);
  });
});

/** A session that ended some minutes ago. */
function session(session_id: string, minutesAgo: number): SessionLogEntry {
  const timestamp = new Date(Date.now() - minutesAgo * 60_000).toISOString();
  const times = { timestamp, created_timestamp: timestamp, destroyed_timestamp: timestamp, duration_min: 10 };
  return { ...times, channel_id: "lobby@demo", session_id, total_connections: 2, max_connections: 1 };
}

const connectionOf = (session_id: string, connection_id: string, minutesAgo: number) =>
  connection({ session_id, connection_id, minutesAgo });

/** The entries in the menu of a message. */
const optionsIn = (message: SeenMessage): string[] =>
  textOf(message).split("Details of…\n")[1]?.split("\n").filter(Boolean) ?? [];

/** Chooses one of the entries, counted from 0, and returns the window after it was filled. */
async function look({ slack }: Stage, person: Person, message: SeenMessage, at: number): Promise<SeenView> {
  await person.choose(message, "Details of…", optionsIn(message)[at] ?? "");
  return slack.until(() => (person.modal && isWaiting(person.modal) ? undefined : person.modal));
}

const isWaiting = (view: SeenView): boolean => textOf(view).includes("One moment");

describe("the details of an entry", () => {
  it("show every field of the chosen entry as it was sent, even after it has moved, for that person alone", async () => {
    const stage = await startStage();
    const { ann, service } = stage;
    const entry = webhook({ type: "connection.created", status: 503, elapsed_time_ms: 12_345 });
    const equal = webhook({ minutesAgo: 9 });
    await service.add("webhooks", equal, equal, entry);
    const message = await stage.ask(ann, "/media logs webhooks");
    await service.add("webhooks", webhook({ minutesAgo: 0, elapsed_time_ms: 99 }));
    const view = await look(stage, ann, message, 0);
    expect(view).toMatchObject({ title: "Webhook", submit: undefined });
    for (const part of [entry.timestamp, "12.3 s (12,345 ms)", "https://hooks.example/media"]) {
      expect(textOf(view)).toContain(part);
    }
    await ann.close();
    expect(textOf(await look(stage, ann, message, 2))).toContain("Took\n84 ms");
    expect(stage.bob.modal).toBeUndefined();
  });

  it("report that the entry is gone if the service no longer lists it", async () => {
    const stage = await plainStage();
    stage.media.add("webhooks", webhook({ minutesAgo: 5, elapsed_time_ms: 1 }));
    const message = await stage.ask(stage.ann, "/media logs webhooks");
    stage.media.add("webhooks", ...Array.from({ length: 1000 }, () => webhook()));
    expect(textOf(await look(stage, stage.ann, message, 0))).toContain(
      "This entry is no longer listed. The service keeps entries for 30 days.",
    );
  });
});

describe("from a session to its connections and back", () => {
  async function startWithSessions(): Promise<Stage> {
    const stage = await startStage();
    const sessions = Array.from({ length: 30 }, (_, at) => session(`session-${30 - at}`, 30 - at));
    await stage.service.add("sessions", ...sessions);
    await stage.service.add(
      "connections",
      connectionOf("session-25", "a", 27),
      connectionOf("session-25", "b", 26),
      connectionOf("session-3", "c", 4),
    );
    return stage;
  }
  const submit = (stage: Stage) => stage.next(stage.ann, stage.general, () => stage.ann.submit());

  it("shows the connections of that session in place, and leads back to the previous page", async () => {
    const stage = await startWithSessions();
    const first = await stage.ask(stage.ann, "/media logs sessions channel:lobby");
    const older = await stage.press(first, "Older");
    await stage.service.add("sessions", session("session-0", 0));
    const view = await look(stage, stage.ann, older, 4);
    expect([view.title, view.submit]).toEqual(["Session", "Show its connections"]);
    expect(textOf(view)).toContain("session-25");

    const connections = await submit(stage);
    expect(stage.ann.modal).toBeUndefined();
    expect(connections.ts).toBe(first.ts);
    expect(connections.text).toContain("2 connections of 3, session session-25, project demo: 2 connections");
    expect(labelsOf(connections)).toContain("Back to sessions");

    const back = await stage.press(await stage.press(connections, "Refresh"), "Back to sessions");
    expect(back.text).toContain("channel lobby");
    expect(optionsIn(back)).toEqual(optionsIn(older));
    expect(back.text).toContain("22–31 of 31 sessions");
  });

  it("leads from a connection to its session and back, each time to the previous page", async () => {
    const stage = await startWithSessions();
    const sessions = await stage.ask(stage.ann, "/media logs sessions");
    await look(stage, stage.ann, sessions, 2);
    const connections = await submit(stage);
    const view = await look(stage, stage.ann, connections, 0);
    expect([view.title, view.submit]).toEqual(["Connection", "Show its session"]);
    const found = await submit(stage);
    expect(found.text).toContain("1 session of 30, session session-3, project demo: 1 session");
    const back = await stage.press(found, "Back to connections");
    expect(optionsIn(back)).toEqual(optionsIn(connections));
  });

  it("reports a session that has not ended, and keeps the way back after other pages were opened in between", async () => {
    const stage = await stageWith("connections", connectionOf("session-1", "a", 1));
    await stage.service.add("sessions", session("session-2", 2));
    const connections = await stage.ask(stage.ann, "/media logs connections");
    await look(stage, stage.ann, connections, 0);
    const none = await submit(stage);
    expect(textOf(none)).toContain("A session is logged when it ends.");
    const all = await stage.press(none, "Without the filters");
    expect(all.text).toBe("1 session, project demo: 1 session");
    expect(optionsIn(await stage.press(all, "Back to connections"))).toHaveLength(1);
  });

  it("offers nothing for a connection without a session", async () => {
    const stage = await stageWith("connections", connectionOf("", "a", 1));
    const connections = await stage.ask(stage.ann, "/media logs connections");
    expect((await look(stage, stage.ann, connections, 0)).submit).toBeUndefined();
  });
});

const room = await roomsIn(async (options) => {
  const stage = await startStage(options);
  await stage.service.add("events", created({ minutesAgo: 9 }), failure({ minutesAgo: 8 }));
  const about = { channel_id: "lobby@demo", connection_id: ids.connection_id };
  await stage.service.add("webhooks", webhook(), webhook({ minutesAgo: 8, status: 503, ...about }));
  return stage;
});

describe("from an entry to the traces of what it names", () => {
  /** The window of the newest entry of a listing. */
  async function startAtEntry(logs: string) {
    const stage = room();
    const listing = await stage.ask(stage.ann, `/media logs ${logs}`);
    return { stage, listing, view: await look(stage, stage.ann, listing, 0) };
  }
  const windowWith = ({ slack, ann }: Stage, words: string): Promise<SeenView> =>
    slack.until(() => (ann.modal && textOf(ann.modal).includes(words) ? ann.modal : undefined));

  it.each([
    ["events", ["Trace connection", "Trace session", "Trace client", "Trace channel"]],
    ["webhooks", ["Trace connection", "Trace channel"]],
  ])("the window of one of the %s has a button for each", async (kind, labels) => {
    const { view } = await startAtEntry(`${kind} failed`);
    expect(labelsOf(view)).toEqual(labels);
    expect(checkBlocks(view.blocks, "modal")).toEqual({ ok: true });
  });

  it("a button shows the trace in the window, which becomes a message in place, with the way back", async () => {
    const { stage, listing, view } = await startAtEntry("webhooks failed");
    await stage.ann.press(view, "Trace connection");
    const trace = await windowWith(stage, `Trace of connection ${ids.connection_id}, project demo`);
    expect(trace.id).toBe(view.id);
    expect(textOf(trace)).toContain("failed after 20 s: ICE timeout");
    expect(checkBlocks(trace.blocks, "modal")).toEqual({ ok: true });
    const message = await stage.next(stage.ann, stage.general, () => stage.ann.submit());
    expect(message.ts).toBe(listing.ts);
    expect(stage.ann.modal).toBeUndefined();
    const back = await stage.press(message, "Back to webhooks");
    expect(textOf(back)).toContain("1 failed webhook");
  });

  it("a channel and a client are shown from the entry's time on, with what was before", async () => {
    const { stage, view } = await startAtEntry("events failed");
    await stage.ann.press(view, "Trace channel");
    const trace = await windowWith(stage, "Trace of channel lobby, project demo");
    expect(textOf(trace)).toContain("ICE timeout");
    expect(textOf(trace)).not.toContain("W1NA created");
    const message = await stage.next(stage.ann, stage.general, () => stage.ann.submit());
    const older = await stage.press(message, "Older");
    expect(textOf(older)).toContain("connection 0J9V6TQ2…W1NA created");
  });

  it("an entry that names nothing has no buttons", async () => {
    expect(buttonsOf((await startAtEntry("webhooks")).view)).toEqual([]);
  });
});
