import type { LiveChannels, Trace, TraceLine, Why, WhyCause } from "@media-ops/sdk";
import * as fc from "fast-check";
import { anyEntry, anyKind, anyText, anyValue } from "./arbitrary.js";
import { kinds } from "./samples.js";
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
