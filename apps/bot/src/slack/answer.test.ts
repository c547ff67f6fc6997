import { json } from "node:stream/consumers";
import { startFakeSlack } from "@media-ops/fake-slack";
import { formatLogs, formatProblem, formatSummary } from "@media-ops/formatters/slack";
import { summarize } from "@media-ops/reports";
import { createLog } from "@media-ops/secrets";
import { WebClient } from "@slack/web-api";
import { describe, expect, it, onTestFinished } from "vitest";
import { webhook } from "../test/entries.js";
import { startBadService } from "../test/services.js";
import { createAnswer, plainMessage, plainTextOf, postToResponseUrl, row, runButton, slackDate } from "./answer.js";
import { SCOPES } from "./client.js";

const now = Date.now();
const entries = [webhook({ status: 503, url: "https://a.example/<x>&y" }), webhook({ minutesAgo: 3 })];

describe("the plain text of blocks", () => {
  it("has a table's content, row by row, and no buttons", () => {
    const { blocks } = formatLogs("webhooks", entries, { now, title: "webhook logs of demo: 2" });
    const text = plainTextOf([...blocks, ...row(runButton("Refresh", "logs webhooks"))]);
    const lines = text.split("\n");
    expect(lines[0]).toBe("webhook logs of demo: 2");
    expect(lines.filter((line) => line.includes("session.created"))).toHaveLength(2);
    expect(text).toContain("503");
    expect(text).not.toContain("Refresh");
  });

  it("creates no mentions and no links from foreign text", () => {
    const { blocks } = formatLogs("webhooks", entries, { now });
    expect(plainTextOf(blocks)).toContain("a.example/&lt;x&gt;&amp;y");
    expect(plainTextOf([{ type: "section", text: { type: "plain_text", text: "<!channel>" } }])).toBe(
      "&lt;!channel&gt;",
    );
  });

  it("keeps times that Slack formats for each reader, in UTC", () => {
    expect(plainTextOf(formatLogs("webhooks", entries, { now }).blocks)).toMatch(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/);
  });

  it("has the text and the figures of a summary", () => {
    const text = plainTextOf(formatSummary(summarize("webhooks", entries), { now, title: "summary" }).blocks);
    expect(text).toContain("2 webhooks");
    expect(text).toContain("no chart can be shown");
  });

  it("has the text of a problem", () => {
    const text = plainTextOf(formatProblem(new Error("x"), { next: { Unknown: "Try again." } }).blocks);
    expect(text).toBe("✗ Something went wrong here\nWhat to do: Try again.");
  });

  it("is no longer than one Slack message", () => {
    const long = { type: "section", text: { type: "plain_text", text: "x".repeat(3000) } };
    expect(plainTextOf([long, long])).toHaveLength(3500);
  });
});

it.each([
  [Date.UTC(2026, 10, 21, 12, 0, 30, 999), "<!date^1795262430^{date_short_pretty} {time_secs}|2026-11-21T12:00:30Z>"],
  [0, "<!date^0^{date_short_pretty} {time_secs}|1970-01-01T00:00:00Z>"],
  [-1000, "-1 s after 1970"],
  [1e300, "1e+297 s after 1970"],
  [Number.NaN, "NaN s after 1970"],
])("%d is a time that Slack formats for each reader, or a number if it cannot", (ms, words) => {
  expect(slackDate(ms)).toBe(words);
});

type Answer = readonly [status: number, body: string, headers?: Record<string, string>];

/** A server that sends these answers in turn, and records the pauses between the requests. */
async function addressThatAnswers(...answers: Answer[]) {
  let tries = 0;
  const url = await startBadService((_request, response) => {
    const [status, body, headers = {}] = answers[tries++] ?? [200, "ok"];
    response.writeHead(status, headers).end(body);
  });
  const pauses: number[] = [];
  const pause = async (ms: number) => pauses.push(ms);
  return { post: () => postToResponseUrl(`${url}/planted`, { text: "x" }, pause), pauses, tries: () => tries };
}

describe("the bot's answer", () => {
  it.each(["ok", '{"ok":true}', ""])("is accepted if Slack responds %j", async (body) => {
    const { post, tries } = await addressThatAnswers([200, body]);
    await post();
    expect(tries()).toBe(1);
  });

  it.each([
    [200, "invalid_blocks", "invalid_blocks"],
    [200, '{"ok":false,"error":"invalid_blocks"}', "invalid_blocks"],
    [404, "used_url", "used_url"],
    [404, "<p>gone</p>", "status 404"],
  ])("is not retried if Slack refuses it with %i %s", async (status, body, code) => {
    const { post, tries } = await addressThatAnswers([status, body]);
    await expect(post()).rejects.toMatchObject({ name: "SlackRefusal", code });
    expect(tries()).toBe(1);
  });

  it("is retried after the pause that Slack requests, but at most a minute", async () => {
    const { post, pauses } = await addressThatAnswers(
      [429, "", { "retry-after": "7" }],
      [429, "", { "retry-after": "3600" }],
      [429, "", {}],
    );
    await post();
    expect(pauses).toEqual([7000, 60_000, 1000]);
  });

  it("is retried three times if Slack is broken", async () => {
    const broken = [503, ""] as const;
    const { post, pauses } = await addressThatAnswers(broken, broken, broken, broken);
    await expect(post()).rejects.toMatchObject({ code: "status 503" });
    expect(pauses).toEqual([500, 2000, 5000]);
  });

  it("leaves the URL, which is a secret, out of the error if Slack is unreachable", async () => {
    const pause = async () => {};
    const sent = postToResponseUrl("http://127.0.0.1:1/planted", { text: "x" }, pause);
    const error = await sent.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({ message: "Slack's response address was not reached." });
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain("planted");
  });
});

describe("an answer to a request in a thread", () => {
  /** A thread, and what is posted to the request's response URL. */
  async function startInThread(withBot: boolean) {
    const slack = await startFakeSlack({ scopes: [...SCOPES] });
    onTestFinished(() => slack.stop());
    const team = slack.addWorkspace({ name: "acme" });
    const ann = team.addUser({ name: "ann" });
    const place = team.addChannel({ name: "ops", members: [ann], withBot });
    const posted: unknown[] = [];
    const responseUrl = await startBadService(async (request, response) => {
      posted.push(await json(request));
      response.end("ok");
    });
    const client = new WebClient(team.botToken, { slackApiUrl: slack.apiUrl });
    const where = { userId: ann.id, channelId: place.id, threadTs: "1.1", responseUrl };
    return { slack, ann, place, posted, answer: createAnswer(client, where, createLog({ level: "silent" })) };
  }

  it("is sent there, for that person alone, and replaces its message there", async () => {
    const { slack, posted, answer } = await startInThread(true);
    await answer.say(plainMessage("x"));
    const [sent] = slack.transcript.filter(({ name }) => name === "chat.postEphemeral");
    expect(sent?.detail).toMatchObject({ args: { thread_ts: "1.1", text: "x" } });
    expect(posted).toEqual([]);
    await answer.replace(plainMessage("y"));
    expect(posted).toEqual([expect.objectContaining({ text: "y", thread_ts: "1.1", replace_original: true })]);
  });

  it("is sent to the channel for that person alone, if the bot is not in it", async () => {
    const { ann, place, posted, answer } = await startInThread(false);
    await answer.say(plainMessage("x"));
    expect(posted).toEqual([
      expect.objectContaining({ text: "x", response_type: "ephemeral", replace_original: false }),
    ]);
    expect(ann.sees(place)).toEqual([]);
    expect(ann.direct()).toEqual([]);
  });
});
