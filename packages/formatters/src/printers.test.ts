import type { LogKind } from "@media-ops/contract";
import { logStatus } from "@media-ops/reports";
import { describe, expect, it } from "vitest";
import * as csv from "./csv/index.js";
import { incidentWords } from "./incident/words.js";
import * as jsonl from "./jsonl/index.js";
import { entryLabel } from "./logs/line.js";
import * as markdown from "./markdown/index.js";
import * as slack from "./slack/index.js";
import * as terminal from "./terminal/index.js";
import { failing } from "./test/incident-samples.js";
import { ofEntries } from "./test/of-entries.js";
import { audit, deliveries, endpoints, goodToken, issued, resent, revokedChannel } from "./test/operation-samples.js";
import { claims, now, samples, service } from "./test/samples.js";
import { trace } from "./test/trace-samples.js";
import { live, why } from "./test/why-samples.js";
import type { TimeOptions } from "./values/time.js";

type Printer = (kind: LogKind, entries: readonly unknown[], options: TimeOptions) => unknown;

/** All printers of a kind's entries; those of one entry print the first. */
const printers: Readonly<Record<string, Printer>> = {
  "slack.formatLogs": slack.formatLogs,
  "slack.formatLogs, compact": (kind, entries, options) =>
    slack.formatLogs(kind, entries, { ...options, style: "compact" }),
  "slack.formatLogDetail": (kind, [entry], options) => slack.formatLogDetail(kind, entry, options),
  "slack.formatSummary": ofEntries(slack.formatSummary),
  "slack.formatStatus": (kind, entries, options) =>
    slack.formatStatus([logStatus(kind, entries, { now })], service, options),
  "terminal.formatStatus": (kind, entries, options) =>
    terminal.formatStatus([logStatus(kind, entries, { now })], service, options),
  entryLabel: (kind, [entry], options) => entryLabel(kind, entry, options),
  "terminal.formatLogs": terminal.formatLogs,
  "terminal.formatLogs, compact": (kind, entries, options) => {
    return terminal.formatLogs(kind, entries, { ...options, style: "compact" });
  },
  "terminal.formatLogDetail": (kind, [entry], options) => terminal.formatLogDetail(kind, entry, options),
  "terminal.formatSummary": ofEntries(terminal.formatSummary),
  "markdown.formatLogs": markdown.formatLogs,
  "markdown.formatLogDetail": (kind, [entry], options) => markdown.formatLogDetail(kind, entry, options),
  "markdown.formatSummary": ofEntries(markdown.formatSummary),
};
const named = Object.entries(printers);

const otherPrinters: Readonly<Record<string, (options: TimeOptions) => unknown>> = {
  ...Object.fromEntries(
    Object.entries({ slack, terminal, markdown }).flatMap(([name, { formatTrace, formatWhy, formatLive }]) => [
      [`${name}.formatTrace`, (options: TimeOptions) => formatTrace(trace, options)],
      [`${name}.formatWhy`, (options: TimeOptions) => formatWhy(why, options)],
      [`${name}.formatLive`, (options: TimeOptions) => formatLive(live, options)],
    ]),
  ),
  ...Object.fromEntries(
    Object.entries({ slack, terminal, markdown }).flatMap(([name, printer]) => [
      [`${name}.formatTokens`, (options: TimeOptions) => printer.formatTokens(issued, options)],
      [`${name}.formatDeliveries`, (options: TimeOptions) => printer.formatDeliveries(deliveries, options)],
      [
        `${name}.formatDelivery`,
        (options: TimeOptions) => deliveries.map((one) => printer.formatDelivery(one, options)),
      ],
      [`${name}.formatEndpoints`, (options: TimeOptions) => printer.formatEndpoints(endpoints, options)],
      [`${name}.formatAudit`, (options: TimeOptions) => printer.formatAudit(audit, options)],
    ]),
  ),
  ...Object.fromEntries(
    Object.entries({ slack, terminal }).flatMap(([name, printer]) => [
      [`${name}.formatRevoked`, (options: TimeOptions) => printer.formatRevoked(revokedChannel, options)],
      [`${name}.formatResent`, (options: TimeOptions) => printer.formatResent(resent, options)],
      [`${name}.formatEnabled`, (options: TimeOptions) => endpoints.map((one) => printer.formatEnabled(one, options))],
      [`${name}.formatCheckedToken`, (options: TimeOptions) => printer.formatCheckedToken(goodToken, options)],
    ]),
  ),
  "slack.formatIncident": (options) => slack.formatIncident(failing, { ...options, title: "demo", description: "" }),
  "slack.formatDigest": (options) =>
    slack.formatDigest({ period: { from: now - 86_400_000, to: now }, logs: [] }, options),
  incidentWords: (options) => incidentWords(failing, options),
  "slack.formatToken": (options) => slack.formatToken("ey.t.s", claims, options),
  "terminal.formatToken": (options) => terminal.formatToken("ey.t.s", claims, options),
  "terminal.formatClaims": (options) => terminal.formatClaims(claims, options),
};

describe("invalid arguments are reported, as opposed to invalid entries", () => {
  it.each([...named, ["csv.formatLogs", csv.formatLogs] as const])("by %s, for an unknown kind", (_, print) => {
    for (const entries of [[], samples.api]) {
      expect(() => print("calls" as LogKind, entries, { now })).toThrow(/^"calls" is not a kind of log\. Kinds are /);
    }
  });

  it("by all printers except JSON lines, which are the same for every kind", () => {
    expect(jsonl.formatLogs("calls" as LogKind, [{ a: 1 }])).toBe('{"a":1}\n');
  });

  it.each(named)("by %s, for a current time that is not finite", (_, print) => {
    for (const entries of [[], samples.api]) {
      expect(() => print("api", entries, { now: Number.NaN })).toThrow(/^now must be .* but is NaN/);
    }
  });

  it.each(Object.entries(otherPrinters))(
    "by %s, for a current time that is not finite, and for an unknown zone",
    (_, print) => {
      expect(() => print({ now: Number.POSITIVE_INFINITY })).toThrow(/^now must be .* but is Infinity/);
      expect(() => print({ now, timeZone: "Mars/Olympus" })).toThrow(/^Unknown time zone "Mars\/Olympus"\./);
    },
  );

  it.each(named)("by %s, for an unknown zone", (_, print) => {
    for (const entries of [[], samples.api]) {
      expect(() => print("api", entries, { now, timeZone: "Mars/Olympus" })).toThrow(
        /^Unknown time zone "Mars\/Olympus"\./,
      );
    }
  });
});
