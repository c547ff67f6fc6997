import { buttonsOf, type SeenMessage, textOf } from "@media-ops/fake-slack";
import type { ListingFigures } from "@media-ops/reports";
import { describe, expect, it } from "vitest";
import { fileName } from "../slack/send-file.js";
import { webhook } from "../test/entries.js";
import { startPlainService } from "../test/plain-service.js";
import { type Stage, stageWith, startStage } from "../test/stage.js";
import { figuresOf } from "./logs.js";

const webhooks = (count: number) =>
  Array.from({ length: count }, (_, at) => webhook({ minutesAgo: count - at, elapsed_time_ms: count - at }));

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
  it("sends the file at once with as:csv, and says where it is", async () => {
    const stage = await stageWith("webhooks", ...webhooks(30));
    const message = await stage.ask(stage.ann, "/media logs webhooks last:25 as:csv");
    const [file] = stage.ann.files();
    expect(message.text).toBe(`The file ${file?.name} with 25 webhooks is in your direct messages with the bot.`);
    expect(stage.ann.direct().at(-1)?.text).toBe("25 webhooks, the newest 25, project demo");
    expect(file?.content.trim().split("\r\n")).toHaveLength(26);
    const shown = await stage.press(message, "Show them here");
    expect(textOf(shown)).toContain("1–20 of 25 webhooks");
  });

  it("writes one entry per line with as:json", async () => {
    const stage = await startStage();
    const entry = webhook();
    await stage.service.add("webhooks", entry);
    await stage.ask(stage.ann, "/media logs webhooks as:json");
    const [file] = stage.ann.files();
    expect(file?.name).toMatch(/\.jsonl$/);
    expect(JSON.parse(file?.content ?? "")).toEqual(entry);
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
    const plain = await startPlainService();
    const stage = await startStage({ media: plain });
    plain.add("webhooks", ...webhooks(1010));
    const message = await stage.ask(stage.ann, "/media logs webhooks as:json");
    const [file] = stage.ann.files();
    expect(message.text).toMatch(/It is not complete: entries before \d{4}-\S+Z are missing\.$/);
    expect(JSON.parse(file?.content.trim().split("\n").at(-1) ?? "")).toMatchObject({ complete: false });
  });

  it("sends no file if nothing matches, and says so", async () => {
    const stage = await stageWith("webhooks", ...webhooks(3));
    const message = await stage.ask(stage.ann, "/media logs webhooks status>=500 as:csv");
    expect(textOf(message)).toContain("No webhooks were found.");
    expect(buttonsOf(message).map(({ text }) => text)).toContain("Without the filters");
    expect(stage.ann.files()).toEqual([]);
  });
});

describe("the figures of a file", () => {
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
  ])("are those of the count or of the file, whichever got further: %s", (_, counted, rows, end, figures) => {
    expect(figuresOf(counted, rows, end)).toEqual(figures);
  });
});

describe("the name of a file", () => {
  it.each([
    ["demo", "csv", "webhooks-demo-2026-11-21T1403Z.csv"],
    ["a/../b c", "json", "webhooks-a_.._b_c-2026-11-21T1403Z.jsonl"],
    ["x".repeat(300), "csv", `webhooks-${"x".repeat(60)}-2026-11-21T1403Z.csv`],
  ] as const)("is readable for any project name: %s", (project, form, name) => {
    expect(fileName(`webhooks-${project}`, form, Date.parse("2026-11-21T14:03:22Z"))).toBe(name);
  });
});
