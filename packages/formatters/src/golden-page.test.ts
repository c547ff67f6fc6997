import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { columns } from "./columns.js";
import type { SlackMessage } from "./slack/index.js";
import { previewOf } from "./test/slack-preview.js";

const folder = join(import.meta.dirname, "../golden");
const read = (name: string): string => readFileSync(join(folder, name), "utf8").replaceAll("\r\n", "\n").trimEnd();
const block = (language: string, name: string): string => `\`\`\`${language}\n${read(name)}\n\`\`\``;

/** What Slack makes of blocks, and where they are, to be pasted into the Block Kit Builder. */
function inSlack(how: string, name: string): string[] {
  const { blocks } = JSON.parse(read(name)) as SlackMessage;
  const lines = previewOf(blocks).split("\n");
  const heading = `[In Slack](${name})${how && `, ${how}`}:`;
  return [heading, lines.map((line) => `> ${line}`.trimEnd()).join("\n")];
}

/** One page that shows every golden file that can be read as it is. */
function page(): string {
  const kinds = Object.entries(columns).flatMap(([kind, { title }]) => [
    `## ${title}`,
    "Terminal, 100 columns wide:",
    block("text", `${kind}.terminal.txt`),
    "48 columns wide:",
    block("text", `${kind}.narrow.txt`),
    "A line each:",
    block("text", `${kind}.compact.txt`),
    "One entry with all that it holds:",
    block("text", `${kind}.detail.txt`),
    "All of them summed up:",
    block("text", `${kind}.summary.txt`),
    "Markdown:",
    read(`${kind}.md`),
    "CSV:",
    block("csv", `${kind}.csv`),
    "JSON lines:",
    block("json", `${kind}.jsonl`),
    ...inSlack("as a table", `${kind}.slack.json`),
    ...inSlack("a line each", `${kind}.compact.slack.json`),
    ...inSlack("one entry with all that it holds, as a modal", `${kind}.detail.slack.json`),
    ...inSlack("all of them summed up", `${kind}.summary.slack.json`),
  ]);
  return `${[
    "# What the formatters make",
    "The same few entries of each kind in each form. This page and the files beside it are made by the tests, which fail when a form changes; `pnpm exec vitest run --project formatters --update` makes them anew. What Slack shows is drawn here more or less as a reader in UTC sees it.",
    ...kinds,
    "## Status",
    block("text", "status.txt"),
    ...inSlack("", "status.slack.json"),
    "## Token",
    block("text", "token.txt"),
    ...inSlack("", "token.slack.json"),
    "## Problem",
    block("text", "problem.txt"),
    ...inSlack("", "problem.slack.json"),
  ].join("\n\n")}\n`;
}

it("one page shows all golden files as they are", async () => {
  await expect(page()).toMatchFileSnapshot(join(folder, "README.md"));
});
