import { formatLogs, formatProblem, formatSummary } from "@media-ops/formatters/slack";
import { describe, expect, it } from "vitest";
import { webhook } from "../test/entries.js";
import { row, runButton } from "./controls.js";
import { plainTextOf } from "./plain-text.js";

const now = Date.now();
const entries = [webhook({ status: 503, url: "https://a.example/<x>&y" }), webhook({ minutesAgo: 3 })];

describe("what a person reads in blocks, as plain text,", () => {
  it("has what a table has, row by row, and no buttons", () => {
    const { blocks } = formatLogs("webhooks", entries, { now, title: "webhook logs of demo: 2" });
    const text = plainTextOf([...blocks, ...row(runButton("Refresh", "logs webhooks"))]);
    const lines = text.split("\n");
    expect(lines[0]).toBe("webhook logs of demo: 2");
    expect(lines.filter((line) => line.includes("session.created"))).toHaveLength(2);
    expect(text).toContain("503");
    expect(text).not.toContain("Refresh");
  });

  it("mentions nobody and makes no links of what comes from outside", () => {
    const { blocks } = formatLogs("webhooks", entries, { now });
    expect(plainTextOf(blocks)).toContain("a.example/&lt;x&gt;&amp;y");
    expect(plainTextOf([{ type: "section", text: { type: "plain_text", text: "<!channel>" } }])).toBe(
      "&lt;!channel&gt;",
    );
  });

  it("keeps times that Slack writes for each reader, as universal ones", () => {
    expect(plainTextOf(formatLogs("webhooks", entries, { now }).blocks)).toMatch(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/);
  });

  it("has the words and figures of a summary", () => {
    const text = plainTextOf(formatSummary("webhooks", entries, { now, title: "summary" }).blocks);
    expect(text).toContain("2 webhooks");
    expect(text).toContain("no chart can be shown");
  });

  it("has what a problem says", () => {
    const text = plainTextOf(formatProblem(new Error("x"), { next: { Unknown: "Try again." } }).blocks);
    expect(text).toBe("✗ Something went wrong here\nWhat to do: Try again.");
  });

  it("is no longer than Slack shows in one message", () => {
    const long = { type: "section", text: { type: "plain_text", text: "x".repeat(3000) } };
    expect(plainTextOf([long, long])).toHaveLength(3500);
  });
});
