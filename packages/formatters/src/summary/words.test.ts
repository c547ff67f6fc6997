import type { LogKind } from "@media-ops/contract";
import { summarize } from "@media-ops/reports";
import { describe, expect, it } from "vitest";
import { now, samples } from "../test/samples.js";
import { clockFor } from "../values/time.js";
import { summaryFacts, summaryWords } from "./words.js";

function webhooks(...statuses: number[]): unknown[] {
  return statuses.map((status, at) => ({ status, elapsed_time_ms: at + 1, url: `https://hooks.example/${status}` }));
}

const wordsOf = (kind: LogKind, entries: readonly unknown[]): string =>
  summaryWords(summarize(kind, entries), clockFor({ now }));
const outcomeOf = (entries: readonly unknown[]): string =>
  wordsOf(
    "webhooks",
    entries.map((entry) => ({ ...(entry as object), elapsed_time_ms: null })),
  );

describe("the words of a summary", () => {
  it("use the singular for one entry", () => {
    expect(wordsOf("sessions", samples.sessions.slice(0, 1))).toBe("1 session. It lasted 2 h 5 min. It was in lobby.");
    expect(wordsOf("sessions", samples.sessions.slice(0, 2))).toMatch(/^2 sessions\. /);
  });

  it.each<[string, number[], string]>([
    ["none failed", [200, 204, 302], "None of 3 webhooks failed."],
    ["the only one succeeded", [200], "The one webhook did not fail."],
    ["the only one failed", [503], "The one webhook failed, with status 503. It was for hooks.example/503."],
    ["one failed", [200, 404], "1 of 2 webhooks failed, with status 404. It was for hooks.example/404."],
    ["all failed", [503, 503], "All 2 webhooks failed, all with status 503. All of these were for hooks.example/503."],
    [
      "they were not answered",
      [200, 0, 0],
      "2 of 3 webhooks failed, all without an answer. All of these were for hooks.example/0.",
    ],
    [
      "one status is most frequent",
      [200, 503, 503, 404],
      "3 of 4 webhooks failed, most often with status 503. Failed most often: hooks.example/503 (2×).",
    ],
    ["no status is most frequent", [200, 503, 404], "2 of 3 webhooks failed."],
  ])("name the most frequent status and URL of failures if %s", (_, statuses, words) => {
    expect(outcomeOf(webhooks(...statuses))).toBe(words);
  });

  it("show a percentage only for many entries", () => {
    const statuses = Array.from({ length: 1000 }, (_, at) => (at % 8 === 0 ? 503 : 200));
    expect(outcomeOf(webhooks(...statuses))).toMatch(/^125 of 1,000 webhooks failed \(13%\), all with status 503\./);
  });

  it.each<[string, number[], string]>([
    ["one", [84], "It took 84 ms."],
    ["several equal ones", [84, 84, 84], "All took at most 84 ms."],
    ["a few", [5, 84, 1240], "Half took at most 84 ms, the slowest 1.24 s."],
    [
      "many",
      Array.from({ length: 100 }, (_, at) => at + 1),
      "Half took at most 50 ms, 95% at most 95 ms, the slowest 100 ms.",
    ],
  ])("show the processing time of %s", (_, times, words) => {
    const entries = times.map((elapsed_time_ms) => ({ status: 200, elapsed_time_ms }));
    expect(wordsOf("api", entries)).toMatch(new RegExp(`\\. ${words}$`));
  });

  it("include channels, bytes and durations if a kind has them", () => {
    expect(wordsOf("connections", samples.connections)).toBe(
      "2 connections: 1.28 GB received, 49.1 kB sent. Half lasted less than a minute, the longest 44 min. All were in lobby.",
    );
    expect(wordsOf("media-api", samples["media-api"])).toMatch(/The busiest channel is lobby, with 2 of them\.$/);
  });

  it.each<[string, number[], string]>([
    ["one", [44], "It lasted 44 min."],
    ["a short one", [0], "It lasted less than a minute."],
    ["short ones", [0, 0], "All lasted less than a minute."],
    ["a few", [0, 3, 125], "Half lasted at most 3 min, the longest 2 h 5 min."],
  ])("show the duration of %s", (_, minutes, words) => {
    expect(
      wordsOf(
        "sessions",
        minutes.map((duration_min) => ({ duration_min })),
      ),
    ).toMatch(new RegExp(`\\. ${words}$`));
  });

  it("are short if there are no entries", () => {
    expect(wordsOf("media-api", [])).toBe("No media API calls.");
  });

  it("shorten a long name, and show its control characters", () => {
    const url = `https://hooks.example/\n${"x".repeat(500)}`;
    expect(wordsOf("webhooks", [{ status: 500, url }])).toMatch(/It was for hooks\.example\/␊x+…x+\.$/);
  });
});

describe("the facts of a summary", () => {
  it("have titles", () => {
    expect(summaryFacts(summarize("webhooks", samples.webhooks))).toEqual([
      { title: "Webhooks", text: "5" },
      { title: "Failed", text: "3 (60%)" },
      { title: "Failed with", text: "✗ 503 (1×), ▲ 404 (1×), ✗ no answer (1×)" },
      {
        title: "Failed most",
        text: "hooks.example/teams/vide…ion/eu-central-1/events (1×), hooks.example/media (1×), unreachable.example/in (1×)",
      },
      { title: "Took", text: "p50 84 ms · p95 10 s · p99 10 s · max 10 s" },
    ]);
  });

  it("are the least that is known if not all was searched", () => {
    const searchedTo = Date.parse("2026-11-21T00:00:00Z");
    const facts = (entries: readonly object[], kind: "webhooks" | "connections" = "webhooks") =>
      summaryFacts(summarize(kind, entries, { searchedTo })).slice(0, 2);
    expect(facts(samples.webhooks)).toMatchObject([{ text: "≥5" }, { title: "Failed", text: "≥3" }]);
    const good = { timestamp: "2026-11-21T14:00:00Z", status: 200 };
    expect(facts([good])).toMatchObject([{ text: "≥1" }, { title: "Failed", text: "?" }]);
    expect(facts([])).toEqual([{ title: "Webhooks", text: "≥0" }]);
  });

  it("are only the count if there are no entries", () => {
    expect(summaryFacts(summarize("connections", []))).toEqual([{ title: "Connections", text: "0" }]);
  });
});
