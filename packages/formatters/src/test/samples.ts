import { readFileSync } from "node:fs";
import type {
  AuditEntry,
  CheckedToken,
  Delivery,
  IssuedToken,
  LiveChannels,
  LogEntryOf,
  LogKind,
  ResentDeliveries,
  RevokedTokens,
  WebhookEndpoint,
} from "@media-ops/contract";
import {
  type Digest,
  type DigestLog,
  logStatus,
  type Summary,
  type Trace,
  type Why,
  type WhyCause,
} from "@media-ops/reports";
import { KINDS } from "@media-ops/reports/entries";
import { MediaTooManyRequestsError } from "@media-ops/sdk";
import type { Incident } from "../incident.js";
import type { ServiceStatus } from "../status.js";
import type { TokenClaims } from "../token.js";

/** What services answer and what watches saw, as `samples.json` has it. Lists have the newest first. */
interface Samples {
  /** Realistic entries of each kind. */
  entries: { readonly [Kind in LogKind]: readonly LogEntryOf<Kind>[] };
  /** The claims of a token for ten minutes. */
  claims: TokenClaims & { exp: number };
  /** Active tokens, and two that have ended. */
  issued: readonly IssuedToken[];
  /** Webhook deliveries in each state. */
  deliveries: readonly [waiting: Delivery, failed: Delivery, delivered: Delivery];
  /** A webhook endpoint in each state. */
  endpoints: readonly [ok: WebhookEndpoint, failing: WebhookEndpoint, off: WebhookEndpoint];
  audit: readonly AuditEntry[];
  revokedToken: RevokedTokens;
  /** The tokens of a channel, whose connections did not all end. */
  revokedChannel: RevokedTokens;
  resent: ResentDeliveries;
  /** A token that is good, in a channel that is full. */
  goodToken: CheckedToken;
  badToken: CheckedToken;
  /** The trace of a channel, oldest first. */
  trace: Trace;
  /** Why connections failed, or clients were refused. */
  causes: Readonly<Record<"iceTimeouts" | "expiredToken" | "fullChannel", WhyCause>>;
  live: LiveChannels;
  /** One channel with its clients. */
  liveLobby: LiveChannels;
  incidents: Readonly<Record<"failing" | "iceTimeouts" | "slow" | "nodeGone" | "refused", Incident>>;
  /** A day on which webhooks failed, and one like the others; each period of two hours with its entries and failures. */
  digests: Readonly<Record<"troubled" | "calm", readonly CountedLog[]>>;
}

interface CountedLog extends Omit<DigestLog, "day"> {
  day: Omit<Summary, "kind" | "complete" | "period" | "overTime">;
  periods: readonly [count: number, failed: number][];
}

const data: Samples = JSON.parse(readFileSync(new URL("samples.json", import.meta.url), "utf8"));

export const { entries: samples, claims, issued, deliveries, endpoints, audit, trace, causes, live, liveLobby } = data;
export const { revokedToken, revokedChannel, resent, goodToken, badToken } = data;

/** The current time of all samples. */
export const now = Date.parse("2026-11-21T14:05:30Z");

export const kinds = KINDS;

/** The states of those logs, of which one is empty. */
export const statuses = kinds.map((kind) => logStatus(kind, kind === "api" ? [] : samples[kind], { now }));

export const service: ServiceStatus = {
  address: "https://media.example",
  answeredInMs: 84,
  askedWith: "profile staging",
};

export const token = "eyJhbGciOiJIUzI1NiJ9.e30.not-a-signature";

export const problem = new MediaTooManyRequestsError("429 from https://media.example", {
  status: 429,
  problem: { detail: "The key made more than 50 requests in a second." },
  requestId: "01KAKV0B9E7W5Q3X1Z8N6M4K2J",
  retryAfterMs: 2000,
});

/** The trace of a connection, by a service without an event log, which did not search the whole range. */
export const partialTrace: Trace = {
  ...trace,
  subject: "connection",
  id: "01KAKV0B9G7T5R3P1M8K6H4F2D",
  lines: trace.lines.flatMap((line) =>
    line.kind === "events" && line.end && "connection_id" in line.end ? [{ kind: "connections", entry: line.end }] : [],
  ),
  complete: false,
  searchedTo: "2026-11-21T13:40:00Z",
  missing: ["events", "webhooks"],
  older: undefined,
};

/** A text that names nothing. */
export const emptyTrace: Trace = { ...trace, subject: undefined, id: "0J9V6TQ2…W1NA", lines: [], older: undefined };

/** A text that may name several things. */
export const ambiguousTrace: Trace = {
  ...emptyTrace,
  id: "01KAKV0…",
  candidates: [
    { subject: "connection", id: "01KAKV09Q2M4EXK7C3R8ZB5HW1", timestamp: "2026-11-21T14:03:20.000412Z" },
    { subject: "connection", id: partialTrace.id, timestamp: "2026-11-21T14:04:02.7Z" },
    { subject: "client", id: "01KAKV0B9E7W5Q3X1Z8N6M4K2J", timestamp: "2026-11-20T09:00:00Z" },
  ],
};

/** Why connections failed in twenty minutes. */
export const why: Why = {
  since: "2026-11-21T13:45:30Z",
  until: "2026-11-21T14:05:30Z",
  complete: true,
  counts: { connected: 120, ok: 71, failed: 45, refused: 1678 },
  before: { connected: 118, ok: 110, failed: 2, refused: 0 },
  causes: Object.values(causes),
};

/** Twenty minutes in which nothing failed. */
export const calmWhy: Why = {
  ...why,
  counts: { connected: 120, ok: 118, failed: 0, refused: 0 },
  before: { connected: 98, ok: 99, failed: 0, refused: 0 },
  causes: [],
};

/** The same if not all of it was counted. */
export const partialWhy: Why = { ...calmWhy, since: "2026-11-21T13:52:10Z", complete: false };

const { failing } = data.incidents;

/** What watches saw: one that has recovered and had come back, and one whose service does not answer, too. */
export const incidents = {
  ...data.incidents,
  recovered: { ...failing, value: 0, ended: now - 30_000, times: 4 },
  blind: { ...failing, blindSince: now - 180_000, lookedUntil: now - 180_000 },
};

const [DAY, PART] = [86_400_000, 7_200_000];
const to = Math.floor(now / 60_000) * 60_000;

function digestOf(logs: readonly CountedLog[]): Digest {
  const period = { from: to - DAY, to };
  const bucketOf = ([count, failed]: [number, number], at: number) => {
    return { from: period.from + at * PART, to: period.from + (at + 1) * PART, count, failed, complete: true };
  };
  return {
    period,
    logs: logs.map(({ periods, day, ...log }) => ({
      ...log,
      day: { ...day, kind: log.kind, complete: true, period, overTime: periods.map(bucketOf) },
    })),
  };
}

/** The digest of a day on which webhooks failed, and that of a day like the others. */
export const [troubled, calm] = [digestOf(data.digests.troubled), digestOf(data.digests.calm)];
