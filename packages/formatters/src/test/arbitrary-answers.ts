import type { LiveChannels } from "@media-ops/contract";
import {
  type Digest,
  type DigestDay,
  logStatus,
  summarize,
  type Trace,
  type TraceLine,
  type Why,
  type WhyCause,
} from "@media-ops/reports";
import * as fc from "fast-check";
import type { Incident } from "../incident/incident.js";
import { anyEntries, anyEntry, anyKind, anyText, anyValue } from "./arbitrary.js";
import { kinds, now } from "./samples.js";
import { trace } from "./trace-samples.js";
import { live, why } from "./why-samples.js";

const anyLine = anyKind.chain((kind) =>
  fc.record({ kind: fc.constant(kind), entry: anyEntry(kind), end: fc.option(anyEntry("connections")) }),
) as fc.Arbitrary<TraceLine>;

/** Any trace with valid and invalid entries: a few different lines, repeated to more than fit into a Slack message. */
export const anyTrace: fc.Arbitrary<Trace> = fc
  .record({
    some: fc.array(anyLine, { maxLength: 12 }),
    count: fc.nat(300),
    subject: fc.constantFrom(undefined, "channel" as const, "client" as const, "connection" as const),
    id: anyText,
    complete: fc.boolean(),
    searchedTo: fc.option(anyText, { nil: undefined }),
    missing: fc.subarray([...kinds]),
    candidates: fc.array(fc.record({ subject: fc.constant("client" as const), id: anyText, timestamp: anyText }), {
      maxLength: 30,
    }),
  })
  .map(({ some, count, ...rest }) => ({
    ...trace,
    ...rest,
    lines: Array.from({ length: some.length === 0 ? 0 : count }, (_, at) => some[at % some.length]).flatMap(
      (line) => line ?? [],
    ),
  }));

const anyShares = fc.array(fc.record({ name: anyText, count: fc.nat() }), { maxLength: 10 });

const anyCause: fc.Arbitrary<WhyCause> = fc.record({
  outcome: fc.constantFrom("failed" as const, "refused" as const),
  reason: fc.constantFrom(undefined, "ice-timeout" as const, "channel-full" as const, "other" as const),
  mediaReason: fc.option(anyText, { nil: undefined }),
  count: fc.nat(),
  before: fc.option(fc.nat(), { nil: undefined }),
  detail: fc.option(anyText, { nil: undefined }),
  clients: anyShares,
  clientCount: fc.nat(),
  nodes: anyShares,
  channels: anyShares,
  where: fc.constant({}),
});

/** Any explanation. */
export const anyWhy: fc.Arbitrary<Why> = fc.record({
  since: fc.constantFrom(why.since, "?"),
  until: fc.constantFrom(why.until, "1970-01-01T00:00:00Z"),
  complete: fc.boolean(),
  counts: fc.record({ connected: fc.nat(), ok: fc.nat(), failed: fc.nat(), refused: fc.nat() }),
  before: fc.constantFrom(why.before, undefined),
  causes: fc.array(anyCause, { maxLength: 20 }),
});

const anyClient = fc.record(
  {
    connection_id: anyValue,
    state: anyValue,
    since: anyValue,
    client_id: anyValue,
    role: anyValue,
    node_name: anyValue,
  },
  { requiredKeys: [] },
);

/** Any list of live channels, as a service may answer. */
export const anyLive: fc.Arbitrary<LiveChannels> = fc
  .record(
    {
      timestamp: anyValue,
      connections: anyValue,
      channels: fc.array(
        fc.oneof(
          anyValue,
          fc.record(
            {
              channel_id: anyValue,
              connections: anyValue,
              admitted: anyValue,
              roles: fc.dictionary(anyText, anyValue),
              since: anyValue,
              limits: fc.oneof(anyValue, fc.record({ min: anyValue, max: anyValue })),
              clients: fc.array(anyClient, { maxLength: 5 }),
              omitted_clients: anyValue,
            },
            { requiredKeys: [] },
          ),
        ),
        { maxLength: 12 },
      ),
      omitted_channels: anyValue,
      repeated: fc.nat(40),
    },
    { requiredKeys: ["repeated"] },
  )
  .map(({ repeated, channels, ...rest }) => {
    return {
      ...live,
      ...rest,
      channels: Array.from({ length: repeated }, () => channels ?? []).flat(),
    } as LiveChannels;
  });

const anyTallies = fc.array(fc.record({ name: anyText, count: fc.oneof(fc.nat(1000), fc.double()) }), {
  maxLength: 6,
});

const anyField = fc.oneof(
  fc.constantFrom("reason", "status", "url", "client_id", "node_name", "channel_id", "media_target"),
  anyText,
);

const anyFigure = fc.oneof(
  fc.nat(1000),
  fc.double(),
  fc.constantFrom(0, -1, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY),
);

/** A time around now, or any number. */
const anyMoment = fc.oneof({ weight: 3, arbitrary: fc.integer({ min: now - 3 * 86_400_000, max: now }) }, anyFigure);

/** Any incident, also one that no watch can have seen. */
export const anyIncident: fc.Arbitrary<Incident> = fc
  .record(
    {
      kind: anyKind,
      measure: fc.constantFrom("count" as const, "failed" as const, "p50" as const, "p95" as const, "p99" as const),
      limit: anyFigure,
      overMs: anyFigure,
      value: anyFigure,
      worst: anyFigure,
      began: anyMoment,
      ended: anyMoment,
      lookedUntil: anyMoment,
      count: anyFigure,
      total: anyFigure,
      isFailure: fc.boolean(),
      groups: fc.array(fc.record({ field: anyField, tallies: anyTallies }), { maxLength: 6 }),
      overTime: fc.array(fc.record({ from: anyMoment, to: anyMoment, count: anyFigure }), { maxLength: 24 }),
      times: anyFigure,
      blindSince: anyMoment,
    },
    { requiredKeys: ["kind", "measure", "limit", "overMs", "value", "worst", "began", "lookedUntil", "count"] },
  )
  .map((incident) => ({ isFailure: true, groups: [], overTime: [], times: 1, ...incident }));

const anyDay: fc.Arbitrary<DigestDay> = fc.record(
  {
    count: fc.nat(),
    failed: fc.nat(),
    refused: fc.nat(),
    p95: fc.double(),
    minutes: fc.nat(),
    bytes: fc.nat(),
  },
  { requiredKeys: ["count"] },
);

/** Any digest: logs with any entries that were read wholly, in part or not at all. */
export const anyDigest: fc.Arbitrary<Digest> = fc
  .array(
    anyKind.chain((kind) =>
      fc
        .record(
          { entries: anyEntries(kind), days: fc.tuple(anyDay, anyDay), minutes: fc.nat(), searchedTo: fc.nat(now) },
          { requiredKeys: [] },
        )
        .map(({ entries, days, minutes, searchedTo }) => {
          const { refused } = logStatus(kind, entries ?? [], { now });
          return {
            kind,
            ...(entries && { day: summarize(kind, entries, { searchedTo, refusedFails: false }) }),
            ...(refused && { refused }),
            ...(minutes !== undefined && { minutes }),
            ...(days && { dayBefore: days[0], weekBefore: days[1] }),
          };
        }),
    ),
    { maxLength: 6 },
  )
  .map((logs) => ({ period: { from: now - 86_400_000, to: now }, logs }));
