import { logKinds } from "@media-ops/contract";
import { checkBlocks } from "@media-ops/fake-slack";
import type { Button } from "@slack/types";
import { describe, expect, it } from "vitest";
import * as csv from "./csv/index.js";
import { changeWords, incidentWords } from "./incident.js";
import * as jsonl from "./jsonl/index.js";
import * as markdown from "./markdown/index.js";
import * as slack from "./slack/index.js";
import * as terminal from "./terminal/index.js";
import { ofEntries } from "./test/of-entries.js";
import * as given from "./test/samples.js";
import { previewOf } from "./test/slack-preview.js";

const { now, kinds } = given;
const wide = { now, width: 100 };

/** A summary of an hour of which ten minutes were searched, grouped by receiver. */
const incomplete = { since: now - 3_600_000, until: now, searchedTo: now - 600_000, by: ["url"] } as const;

/** What is watched, by the name of what was seen. */
const descriptions: Readonly<Record<string, string>> = {
  iceTimeouts: "failed connections, more than 5% in 10 min",
  refused: "refused clients, more than 50 in 5 min",
  slow: "media API calls, p95 above 2 s in 5 min",
  nodeGone: "events with the reason node-gone",
};
const watched = (["failing", "recovered", "blind", "iceTimeouts", "refused", "slow", "nodeGone"] as const).map(
  (name) => ({
    file: `incident.${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
    incident: given.incidents[name],
    description: descriptions[name] ?? "failed webhooks, more than 10 in 5 min",
  }),
);

/** What a bot adds to its messages. */
const use = {
  joinUrl: "https://play.example/join#token",
  revocable: "/media revoke 0b7e8a52-2f0d-4a57-9c1e-6f1f6f0f7a10",
};
const button = (label: string, id: string) =>
  ({ type: "button", text: { type: "plain_text", text: label }, action_id: id }) satisfies Button;
const nameOf = (requestedBy: string) =>
  requestedBy.startsWith("slack:") ? { userId: requestedBy.slice("slack:T0PLAY/".length) } : requestedBy;

const [delivery = never()] = given.deliveries;
const enabled = { ...(given.endpoints[2] ?? never()), state: "ok" as const };

function never(): never {
  throw new Error("There is no such sample.");
}

/** Each message for Slack, by the name of its golden file. */
const messages: Readonly<Record<string, slack.SlackMessage>> = {
  ...Object.fromEntries(
    kinds.flatMap((kind) => [
      [kind, slack.formatLogs(kind, given.samples[kind], { now })],
      [`${kind}.compact`, slack.formatLogs(kind, given.samples[kind], { now, style: "compact" })],
      [`${kind}.detail`, slack.formatLogDetail(kind, given.samples[kind][0], { now })],
      [
        `${kind}.summary`,
        ofEntries(slack.formatSummary)(kind, given.samples[kind], { now, timeZone: "Europe/Berlin" }),
      ],
    ]),
  ),
  "webhooks.incomplete": ofEntries(slack.formatSummary)("webhooks", given.samples.webhooks.slice(0, 4), {
    now,
    ...incomplete,
  }),
  status: slack.formatStatus(given.statuses, given.service, { now }),
  trace: slack.formatTrace(given.trace, { now }),
  "trace.incomplete": slack.formatTrace(given.partialTrace, { now }),
  why: slack.formatWhy(given.why, { now }),
  live: slack.formatLive(given.live, { now }),
  "live.channel": slack.formatLive(given.liveLobby, { now, channel: "lobby", title: "Live in lobby" }),
  ...Object.fromEntries(
    watched.map(({ file, incident, description }) => [
      file,
      slack.formatIncident(incident, { now, title: "demo", description }),
    ]),
  ),
  digest: slack.formatDigest(given.troubled, { now, title: "Digest of demo" }),
  "digest.calm": slack.formatDigest(given.calm, { now, title: "Digest of demo" }),
  token: slack.formatToken(given.token, given.claims, { now }),
  "token.join": slack.formatToken(given.token, given.claims, { now, ...use }),
  "token.good": slack.formatCheckedToken(given.goodToken, { now }),
  "token.bad": slack.formatCheckedToken(given.badToken, { now }),
  tokens: slack.formatTokens(given.issued, {
    now,
    nameOf,
    hasMore: true,
    button: ({ state, jwt_id }) => (state === "active" ? button("Revoke", jwt_id) : undefined),
  }),
  "tokens.revoked": slack.formatRevoked(given.revokedToken, { now }),
  "tokens.revoked.channel": slack.formatRevoked(given.revokedChannel, { now }),
  deliveries: slack.formatDeliveries(given.deliveries, {
    now,
    button: ({ state, event_id }) => (state === "failed" ? button("Send again", event_id) : undefined),
  }),
  "deliveries.one": slack.formatDelivery(delivery, { now }),
  "deliveries.resent": slack.formatResent(given.resent, { now }),
  endpoints: slack.formatEndpoints(given.endpoints, {
    now,
    button: ({ state, kind }) => (state === "off" ? button("Switch on", kind) : undefined),
  }),
  "endpoints.on": slack.formatEnabled(enabled, { now }),
  audit: slack.formatAudit(given.audit, { now, nameOf }),
  problem: slack.formatProblem(given.problem),
};

describe("the golden files, for human review,", () => {
  it.each(Object.entries(messages))("have the message %s for the Block Kit Builder", async (name, message) => {
    expect(checkBlocks(message.blocks, name.endsWith(".detail") ? "modal" : "message")).toEqual({ ok: true });
    await expect(`${readable(message)}\n`).toMatchFileSnapshot(`../golden/${name}.slack.json`);
  });

  it("have webhooks in colour", async () => {
    const text = terminal.formatLogs("webhooks", given.samples.webhooks, {
      ...wide,
      color: true,
      title: "Webhooks since yesterday",
      note: "Older ones are no longer listed by the service.",
    });
    await expect(`${text}\n`).toMatchFileSnapshot("../golden/webhooks.color.txt");
  });

  it("have one page with everything else", async () => {
    await expect(page()).toMatchFileSnapshot("../golden/README.md");
  });
});

function page(): string {
  const ofKinds = kinds.flatMap((kind) => [
    `## ${logKinds[kind].title}`,
    "Terminal, 100 columns wide:",
    block("text", terminal.formatLogs(kind, given.samples[kind], wide)),
    "48 columns wide:",
    block("text", terminal.formatLogs(kind, given.samples[kind], { now, width: 48 })),
    "One line per entry:",
    block("text", terminal.formatLogs(kind, given.samples[kind], { ...wide, style: "compact" })),
    "The details of one entry:",
    block("text", terminal.formatLogDetail(kind, given.samples[kind][0], wide)),
    "The summary:",
    block("text", ofEntries(terminal.formatSummary)(kind, given.samples[kind], wide)),
    "Markdown:",
    markdown.formatLogs(kind, given.samples[kind], { now, title: logKinds[kind].title }),
    markdown.formatLogDetail(kind, given.samples[kind][0], { now }),
    ofEntries(markdown.formatSummary)(kind, given.samples[kind], { now, title: "Summary", chart: "latency" }),
    ...asCsv(csv.formatLogs(kind, given.samples[kind])),
    ...asJson(jsonl.formatLogs(kind, given.samples[kind])),
    ...inSlack("as a table", kind),
    ...inSlack("one line per entry", `${kind}.compact`),
    ...inSlack("the details of one entry, as a modal", `${kind}.detail`),
    ...inSlack("the summary", `${kind}.summary`),
  ]);
  return `${[
    "# The output of the formatters",
    "The same few entries of each kind in each form. The tests write this page and the files beside it, and fail if a form changes; `pnpm exec vitest run --project formatters --update` writes them again. Slack messages are drawn approximately as a reader in UTC sees them.",
    ...ofKinds,
    "## A summary of a part",
    block(
      "text",
      ofEntries(terminal.formatSummary)("webhooks", given.samples.webhooks.slice(0, 4), { ...wide, ...incomplete }),
    ),
    ...inSlack("", "webhooks.incomplete"),
    "## Status",
    block("text", terminal.formatStatus(given.statuses, given.service, wide)),
    ...inSlack("", "status"),
    "## Trace",
    block("text", terminal.formatTrace(given.trace, wide)),
    "48 columns wide:",
    block("text", terminal.formatTrace(given.trace, { now, width: 48 })),
    "A part, by a service without an event log:",
    block("text", terminal.formatTrace(given.partialTrace, wide)),
    "Nothing, or one of several things:",
    block("text", terminal.formatTrace(given.emptyTrace, wide)),
    block("text", terminal.formatTrace(given.ambiguousTrace, wide)),
    "Markdown:",
    markdown.formatTrace(given.trace, { now }),
    ...asCsv(csv.formatTrace(given.trace)),
    ...asJson(jsonl.formatTrace(given.partialTrace)),
    ...inSlack("", "trace"),
    ...inSlack("a part", "trace.incomplete"),
    "## Why",
    block("text", terminal.formatWhy(given.why, wide)),
    block("text", terminal.formatWhy(given.calmWhy, wide)),
    block("text", terminal.formatWhy(given.partialWhy, wide)),
    "Markdown:",
    markdown.formatWhy(given.why, { now }),
    ...inSlack("", "why"),
    "## Live",
    block("text", terminal.formatLive(given.live, wide)),
    block("text", terminal.formatLive(given.liveLobby, { ...wide, channel: "lobby", title: "Live in lobby" })),
    "Markdown:",
    markdown.formatLive(given.live, { now }),
    ...inSlack("", "live"),
    ...inSlack("one channel", "live.channel"),
    "## Incidents of a watch",
    ...watched.flatMap(({ file, incident }) => {
      const { mark, what, details } = incidentWords(incident, { now });
      return [block("text", `${mark} ${what}\n${details}`), ...inSlack("", file)];
    }),
    "What is worth a note in the thread:",
    block("text", `${changeWords(given.incidents.failing, given.incidents.recovered)}`),
    "## Daily digest",
    ...inSlack("of a day on which webhooks failed", "digest"),
    ...inSlack("of a day like the others", "digest.calm"),
    "## Token",
    block("text", terminal.formatToken(given.token, given.claims, wide)),
    ...inSlack("", "token"),
    "With a link to join, and the command to revoke it:",
    block("text", terminal.formatToken(given.token, given.claims, { ...wide, ...use })),
    ...inSlack("", "token.join"),
    "Whether a token is good:",
    block("text", terminal.formatCheckedToken(given.goodToken, wide)),
    block("text", terminal.formatCheckedToken(given.badToken, wide)),
    ...inSlack("", "token.good"),
    ...inSlack("", "token.bad"),
    "## Issued tokens",
    block("text", terminal.formatTokens(given.issued, { ...wide, hasMore: true })),
    "48 columns wide:",
    block("text", terminal.formatTokens(given.issued.slice(0, 2), { now, width: 48 })),
    "Markdown:",
    markdown.formatTokens(given.issued, { now }),
    ...asCsv(csv.formatTokens(given.issued)),
    ...asJson(jsonl.formatTokens(given.issued)),
    ...inSlack("", "tokens"),
    "What was revoked:",
    block("text", terminal.formatRevoked(given.revokedToken, wide)),
    block("text", terminal.formatRevoked(given.revokedChannel, wide)),
    ...inSlack("", "tokens.revoked"),
    ...inSlack("", "tokens.revoked.channel"),
    "## Webhook deliveries",
    block("text", terminal.formatDeliveries(given.deliveries, wide)),
    "One of them:",
    block("text", terminal.formatDelivery(delivery, wide)),
    "Markdown:",
    markdown.formatDeliveries(given.deliveries, { now }),
    markdown.formatDelivery(delivery, { now }),
    ...asCsv(csv.formatDeliveries(given.deliveries)),
    ...asJson(jsonl.formatDeliveries(given.deliveries)),
    ...inSlack("", "deliveries"),
    ...inSlack("one of them", "deliveries.one"),
    "What was sent again:",
    block("text", terminal.formatResent(given.resent, wide)),
    ...inSlack("", "deliveries.resent"),
    "## Webhook endpoints",
    block("text", terminal.formatEndpoints(given.endpoints, wide)),
    "Markdown:",
    markdown.formatEndpoints(given.endpoints, { now }),
    ...asCsv(csv.formatEndpoints(given.endpoints)),
    ...inSlack("", "endpoints"),
    "What was switched on:",
    block("text", terminal.formatEnabled(enabled, wide)),
    ...inSlack("", "endpoints.on"),
    "## Audit log",
    block("text", terminal.formatAudit(given.audit, wide)),
    "Markdown:",
    markdown.formatAudit(given.audit, { now }),
    ...asCsv(csv.formatAudit(given.audit)),
    ...asJson(jsonl.formatAudit(given.audit)),
    ...inSlack("", "audit"),
    "## Problem",
    block("text", terminal.formatProblem(given.problem, wide)),
    ...inSlack("", "problem"),
  ].join("\n\n")}\n`;
}

const block = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``;

const asCsv = (text: string): string[] => ["CSV:", block("csv", text.replaceAll("\r\n", "\n").trimEnd())];
const asJson = (text: string): string[] => ["JSON lines:", block("json", text.trimEnd())];

/** A preview of a message, with a link to its blocks. */
function inSlack(form: string, name: string): string[] {
  const lines = previewOf(messages[name]?.blocks ?? []).split("\n");
  const heading = `[In Slack](${name}.slack.json)${form && `, ${form}`}:`;
  return [heading, lines.map((line) => `> ${line}`.trimEnd()).join("\n")];
}

/** JSON with one line for everything that fits, so that the rows of tables are readable. */
function readable(value: unknown, indent = "", before = 0): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  const parts = Object.entries(value).map(([key, one]) => {
    const name = Array.isArray(value) ? "" : `${JSON.stringify(key)}: `;
    return { name, one };
  });
  const space = Array.isArray(value) ? "" : " ";
  const flat = `${open}${space}${parts.map(({ name, one }) => name + readable(one, "", -Infinity)).join(", ")}${space}${close}`;
  if (indent.length + before + flat.length < 120) return flat;
  const lines = parts.map(({ name, one }) => `${inner}${name}${readable(one, inner, name.length)}`);
  return `${open}\n${lines.join(",\n")}\n${indent}${close}`;
}
