// Typed watches and digests, and their meanings.
import type { SlackCommand } from "./slack-commands.js";

type Watch = Extract<SlackCommand, { name: "watch" }>;
type Digest = Extract<SlackCommand, { name: "digest" }>;

export const rightWatches: readonly (readonly [typed: string, means: Omit<Watch, "name">])[] = [
  ["webhooks failed", { kind: "webhooks", filters: [{ field: "status", negated: false, test: { is: "failed" } }] }],
  [
    "api when:p95>2s over:5m",
    { kind: "api", filters: [], when: { measure: "p95", limit: 2000, orEqual: false }, over: 300_000 },
  ],
  [
    "webhooks when:failed>5% over:10m",
    { kind: "webhooks", filters: [], when: { measure: "failed", limit: 0.05, orEqual: false }, over: 600_000 },
  ],
  [
    "events reason:ice-timeout when:count>20 over:5m",
    {
      kind: "events",
      filters: [{ field: "reason", negated: false, test: { is: "like", any: [["ice-timeout"]] } }],
      when: { measure: "count", limit: 20, orEqual: false },
      over: 300_000,
    },
  ],
  [
    "events outcome:refused quiet:22:00-07:00 in:demo",
    {
      kind: "events",
      filters: [{ field: "outcome", negated: false, test: { is: "like", any: [["refused"]] } }],
      quiet: { from: 1320, to: 420 },
      in: "demo",
    },
  ],
  [
    "connections channel:lobby bytes>10GB",
    {
      kind: "connections",
      filters: [
        { field: "channel", negated: false, test: { is: "like", any: [["lobby"]] } },
        { field: "bytes", negated: false, test: { is: ">", value: 1e10 } },
      ],
    },
  ],
  // The limit of a watch beside the field of the same name.
  [
    "events count>3 when:count>20",
    {
      kind: "events",
      filters: [{ field: "count", negated: false, test: { is: ">", value: 3 } }],
      when: { measure: "count", limit: 20, orEqual: false },
    },
  ],
  [
    "api elapsed>1s when elapsed>2s",
    {
      kind: "api",
      filters: [{ field: "elapsed", negated: false, test: { is: ">", value: 1000 } }],
      when: { measure: "p95", limit: 2000, orEqual: false },
    },
  ],
  [
    "webhooks when:count>5 failed over:10s",
    {
      kind: "webhooks",
      filters: [{ field: "status", negated: false, test: { is: "failed" } }],
      when: { measure: "count", limit: 5, orEqual: false },
      over: 10_000,
    },
  ],
];

/** Other spellings of a limit, and the limit as it is written. */
export const limitSpellings: Readonly<Record<string, readonly string[]>> = {
  "count>20": [
    "when:count>20",
    "when: count > 20",
    "when count > 20",
    "when count>20",
    "when : count>20",
    "when=count>20",
  ],
  "count>=20": ["when:count>=20", "when:count≥20", "when:count=>20", "when count >= 20", "when at least 20"],
  "count>1": ["when:more than 1", "when more than 1", "when:count over 1", "when:entries>1", "when:COUNT＞１"],
  "failed>5%": [
    "when:failed>5%",
    "when:failed > 5 %",
    "when failed>5 %",
    "when:failures>5%",
    "when errors over 5 percent",
    "when：failed＞5％",
    '"when:failed>5%"',
    'when:"failed > 5%"',
    "--when failed>5%",
  ],
  "failed>=0.125%": ["when:failed>=0.125%", "when:failed at least 0.125%"],
  "p95>2s": [
    "when:p95>2s",
    "when: p95>2s",
    "when p95 > 2 s",
    "when:latency>2000ms",
    "when latency > 2s",
    "when:P95>2S",
  ],
  "p50>=1.5s": ["when:median>=1.5s", "when:p50≥1s500ms"],
  "p99>1m30s": ["when:p99>90s", "when:p99 above 90 seconds"],
};

/** Other spellings of quiet hours, and the hours as they are written. */
export const spanSpellings: Readonly<Record<string, readonly string[]>> = {
  "22:00-07:00": [
    "quiet:22:00-07:00",
    "quiet:22-7",
    "quiet:22:00..07:00",
    "quiet:22:00…07:00",
    "quiet:22:00–7:00",
    "quiet:22:00 - 07:00",
    "quiet:22:00〜07:00",
    "quiet:10pm-7am",
    "quiet:10 pm to 7 am",
    "quiet from 22:00 to 07:00",
    'quiet:"22:00 until 7:00"',
  ],
  "00:00-12:00": ["quiet:midnight-noon", "quiet:0-12", "quiet:24:00-12"],
};

export const rightDigests: readonly (readonly [typed: string, means: Omit<Digest, "name">, written: string])[] = [
  ["", {}, ""],
  ["at:9", { at: 540 }, " at:09:00"],
  ["at:09:00", { at: 540 }, " at:09:00"],
  ["at 9 am", { at: 540 }, " at:09:00"],
  ["at:9:30pm", { at: 1290 }, " at:21:30"],
  ["at:noon", { at: 720 }, " at:12:00"],
  ["at:24:00", { at: 0 }, " at:00:00"],
  ["at:off", { at: "off" }, " at:off"],
  ["at:Never in:#general", { at: "off", channel: "general" }, " at:off in:#general"],
  ["at:none", { at: "off" }, " at:off"],
  ["in #general at 9", { at: 540, channel: "general" }, " at:09:00 in:#general"],
  ["in:#C0123", { channel: "C0123" }, " in:#C0123"],
  ["in:<#C0123|general>", { channel: "C0123" }, " in:#C0123"],
  ["in <#C0123|general> at:9", { at: 540, channel: "C0123" }, " at:09:00 in:#C0123"],
  ["in:<#C0123>", { channel: "C0123" }, " in:#C0123"],
  ["in:＃会議-ロビー", { channel: "会議-ロビー" }, " in:#会議-ロビー"],
  [
    "at:17:30 in:#general project:demo",
    { at: 1050, channel: "general", project: "demo" },
    " at:17:30 in:#general project:demo",
  ],
];
