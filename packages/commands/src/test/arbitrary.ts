import fc from "fast-check";
import type { LogKind } from "../api.js";
import type { CoreCommand } from "../commands.js";
import type { Filter, Pattern, Test } from "../filters/field-types.js";
import { type FieldSpec, failureField, fieldNamed, fieldsOf, kinds } from "../kinds.js";
import { type GroupField, groupFields } from "../values/field-choices.js";
import type { Threshold } from "../values/threshold.js";
import type { SlackCommand } from "./slack-commands.js";

const LAST_MS = 253_402_300_799_999;

// All characters with a meaning, and the variants that input methods and phones type instead.
const SIGNS = "a1 .,:=<>~!-*…\"'“”„‘’«»\n\u00a0\u200b\u2068@x/：，、＊＝！～〜≧－「」『』＂ｓ２";

/** Any text that is not blank, with quotes, control characters and halves of surrogate pairs. */
const anyText = fc
  .oneof(
    fc.string({ unit: "binary", minLength: 1, maxLength: 12 }),
    fc.string({ unit: fc.constantFrom(...SIGNS), minLength: 1, maxLength: 12 }),
  )
  // Blank text cannot be typed.
  .filter((text) => text.trim() !== "");

const instant = fc.integer({ min: 0, max: LAST_MS });

function anyPattern(): fc.Arbitrary<Pattern> {
  const end = fc.oneof(fc.constant(""), anyText);
  const withWildcards = fc
    .tuple(end, fc.array(anyText, { maxLength: 2 }), end)
    .map(([first, middle, last]) => [first, ...middle, last]);
  return fc.oneof(
    anyText.map((text) => [text]),
    withWildcards,
  );
}

/** A value of a closed list, or a pattern of some of them. */
function listedPattern(values: readonly string[]): fc.Arbitrary<Pattern> {
  return fc.oneof(
    fc.constantFrom(...values).map((value) => [value]),
    fc.constantFrom(...values).map((value) => [value.slice(0, 3), ""]),
  );
}

function anyTest({ type, wire }: FieldSpec): fc.Arbitrary<Test> {
  if (type.is === "text") {
    // Names and full ids are not listed together.
    const isPlain = (texts: readonly string[][]): boolean =>
      wire !== "channel_id" || new Set(texts.map((parts) => parts.some((part) => part.includes("@")))).size === 1;
    const list = { minLength: 1, maxLength: 3 };
    const { values } = type;
    const pattern = values ? listedPattern(values.map(([value]) => value)) : anyPattern();
    return fc.oneof(
      fc.record({
        is: fc.constant("like" as const),
        any: fc.array(pattern, list).filter((any) => isPlain(any.map((pattern) => [...pattern]))),
      }),
      fc.record({
        is: fc.constant("containing" as const),
        any: fc.array(anyText, list).filter((any) => isPlain(any.map((text) => [text]))),
      }),
      ...(wire === "outcome" ? [fc.record({ is: fc.constant("failed" as const) })] : []),
    );
  }
  const value = type.isTime ? instant : fc.integer({ min: 0, max: type.name === "HTTP status" ? 999 : 2 ** 40 });
  const range = fc.tuple(value, value).map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) }));
  return fc.oneof(
    fc.record({ is: fc.constant("within" as const), any: fc.array(range, { minLength: 1, maxLength: 3 }) }),
    fc.record({ is: fc.constantFrom(">" as const, ">=" as const, "<" as const, "<=" as const), value }),
    ...(wire === "status" ? [fc.record({ is: fc.constant("failed" as const) })] : []),
  );
}

/** Any filter by a field of a kind. */
function anyFilter(kind: LogKind): fc.Arbitrary<Filter> {
  return fc
    .constantFrom(...fieldsOf(kind))
    .chain((field) => fc.record({ field: fc.constant(field.name), negated: fc.boolean(), test: anyTest(field) }));
}

const anyKind = fc.constantFrom(...kinds);

/** Periods that do not end before they start. */
function anyPeriod(now: number): fc.Arbitrary<{ since?: number; until?: number }> {
  const since = fc.integer({ min: 0, max: now });
  return fc.oneof(
    fc.constant({}),
    since.map((at) => ({ since: at })),
    instant.map((at) => ({ until: at })),
    fc
      .tuple(since, instant)
      .filter(([a, b]) => a !== b)
      .map(([a, b]) => ({ since: Math.min(a, b), until: Math.max(a, b) })),
  );
}

/** The API's names of the fields that entries of a kind can be grouped by. */
function groupsOf(kind: LogKind): GroupField[] {
  return groupFields.filter(
    (field) => (field === "failed" ? failureField(kind) : fieldNamed(kind, field)) !== undefined,
  );
}

/** Whether filters ask for entries that both failed and did not. */
function contradict(filters: readonly Filter[]): boolean {
  return new Set(filters.filter(({ test }) => test.is === "failed").map(({ negated }) => negated)).size > 1;
}

/** Any command that may have been parsed at a time. */
export function anyCommand(now: number): fc.Arbitrary<CoreCommand> {
  const selection = anyKind.chain((kind) =>
    fc.tuple(
      fc.record({
        kind: fc.constant(kind),
        filters: fc.array(anyFilter(kind), { maxLength: 4 }).filter((filters) => !contradict(filters)),
      }),
      anyPeriod(now),
      fc.record({ in: anyText }, { requiredKeys: [] }),
    ),
  );
  const shown = fc.record(
    {
      as: fc.constantFrom("table" as const, "compact" as const, "csv" as const, "json" as const),
    },
    { requiredKeys: [] },
  );
  const count = fc.integer({ min: 1, max: 1000 });
  const ordered = (kind: LogKind) =>
    fc.record({
      field: fc.constantFrom(...fieldsOf(kind).filter(({ holds }) => holds !== "text")).map(({ name }) => name),
      first: fc.constantFrom("largest" as const, "smallest" as const),
    });
  const page = (kind: LogKind) =>
    fc.oneof(
      fc.record({ last: count }, { requiredKeys: [] }),
      fc.record({ sort: ordered(kind), top: count }, { requiredKeys: ["sort"] }),
    );
  const groups = (kind: LogKind) =>
    fc.record({ by: fc.subarray(groupsOf(kind), { minLength: 1, maxLength: 2 }) }, { requiredKeys: [] });
  const token = fc.record(
    {
      channel: anyText,
      role: fc.constantFrom("recvonly" as const, "sendonly" as const, "sendrecv" as const),
      forMs: fc.integer({ min: 1000, max: 10 * 365 * 86_400_000 }),
      max: fc.integer({ min: 0, max: 5000 }),
      id: fc.uuid(),
      starting: instant,
      in: anyText,
    },
    { requiredKeys: ["channel"] },
  );
  // Words that would be read as something else without the argument's name.
  const name = fc.oneof(anyText, fc.constantFrom("lobby", "drops", "2h", "in", "channel", "webhooks", "0J9V6TQ2…W1NA"));
  const traced = fc.record(
    {
      what: name.map((text) => text.replace(/^([\dA-Z]{4,})(?:\.{2,}|‥|\*)(?=[\dA-Z]*$)/, "$1…")),
      is: fc.constantFrom(...(["channel", "session", "connection", "client", "bundle"] as const)),
      last: count,
      in: anyText,
      as: fc.constantFrom("timeline" as const, "csv" as const, "json" as const),
    },
    { requiredKeys: ["what"] },
  );
  const asked = fc.record({ channel: name, in: anyText }, { requiredKeys: [] });
  return fc.oneof(
    selection.chain(([parts, ...more]) =>
      fc
        .tuple(page(parts.kind), shown)
        .map((form) => ({ name: "logs" as const, ...Object.assign(parts, ...more, ...form) })),
    ),
    selection.chain(([parts, ...more]) =>
      groups(parts.kind).map((by) => ({ name: "summary" as const, ...Object.assign(parts, ...more, by) })),
    ),
    token.map((rest) => ({ name: "token" as const, ...rest })),
    fc.tuple(traced, anyPeriod(now)).map(([rest, period]) => ({ name: "trace" as const, ...rest, ...period })),
    fc.tuple(asked, anyPeriod(now)).map(([rest, period]) => ({ name: "why" as const, ...rest, ...period })),
    asked.map((rest) => ({ name: "live" as const, ...rest })),
    fc.record({ in: anyText }, { requiredKeys: [] }).map((rest) => ({ name: "status" as const, ...rest })),
    fc
      .record({ topic: fc.constantFrom("logs", "webhooks", "filters", "times") }, { requiredKeys: [] })
      .map((rest) => ({ name: "help" as const, ...rest })),
  );
}

/** The limits that a watch of a log can have. */
function anyThreshold(kind: LogKind): fc.Arbitrary<Threshold> {
  const limits = (measure: Threshold["measure"], min: number, max: number, scale = 1) =>
    fc
      .record({ limit: fc.integer({ min, max }), orEqual: fc.boolean() })
      .filter(({ limit, orEqual }) => limit > 0 || !orEqual)
      .map(({ limit, orEqual }) => ({ measure, limit: limit / scale, orEqual }));
  const times = ["p50", "p95", "p99"] as const;
  return fc.oneof(
    limits("count", 0, 999_999_999),
    ...(failureField(kind) ? [limits("failed", 0, 99_999, 100_000)] : []),
    ...(fieldNamed(kind, "elapsed_time_ms") ? times.map((measure) => limits(measure, 1, 86_400_000)) : []),
  );
}

/** Any command of Slack alone that may have been parsed. */
export function anySlackCommand(): fc.Arbitrary<SlackCommand> {
  const minute = fc.integer({ min: 0, max: 24 * 60 - 1 });
  const watch = anyKind.chain((kind) =>
    fc.record(
      {
        name: fc.constant("watch" as const),
        kind: fc.constant(kind),
        filters: fc.array(anyFilter(kind), { maxLength: 4 }).filter((filters) => !contradict(filters)),
        when: anyThreshold(kind),
        over: fc.integer({ min: 10_000, max: 6 * 3_600_000 }),
        in: anyText,
        quiet: fc.record({ from: minute, to: minute }).filter(({ from, to }) => from !== to),
      },
      { requiredKeys: ["name", "kind", "filters"] },
    ),
  );
  const digest = fc.record(
    {
      name: fc.constant("digest" as const),
      at: fc.oneof(minute, fc.constant("off" as const)),
      channel: fc.stringMatching(/^[a-z0-9_-]{1,80}$|^C[A-Z0-9]{8,10}$|^[\u3041-\u3096-]{1,20}$/),
      project: anyText,
    },
    { requiredKeys: ["name"] },
  );
  const watches = fc.record({ name: fc.constant("watches" as const), in: anyText }, { requiredKeys: ["name"] });
  return fc.oneof({ weight: 3, arbitrary: watch }, digest, watches);
}

const vocabulary = [
  "watch",
  "when:p95>2s",
  "when:failed",
  "when:",
  "when",
  "more than",
  "p95",
  ">2s",
  "5 %",
  "over:5m",
  "quiet:22-7",
  "digest",
  "at:9",
  "in:#general",
  "<#C0123|general>",
  "logs",
  "summary",
  "token",
  "status",
  "help",
  "webhooks",
  "sessions",
  "events",
  "trace",
  "why",
  "live",
  "users",
  "client",
  "client:c1",
  "reason:ice",
  "drops",
  "in",
  "media",
  "api",
  "lobby",
  "404",
  "5xx",
  "since",
  "since:2h",
  "since:",
  "until:1h",
  "until:yesterday",
  "last:0",
  "last:50",
  "as:xml",
  "in:demo",
  "status>=400",
  "status＞＝４００",
  "since：２h",
  "「ロビー」",
  "to",
  "not",
  "or",
  "for",
  "last",
  "status:400..",
  "status:404,",
  ",500",
  "20 november",
  "status",
  ">=",
  "400",
  ":",
  "-type:session.created",
  "--since",
  "2h",
  "ago",
  "url~hooks*",
  'channel:"main hall"',
  '"',
  "“x",
  "'",
  "for:10m",
  "for",
  "role:admin",
  "max:9999",
  "id:foo",
  "starting:09:00",
  "created:2h",
  "bytes>1,000",
  "session:a*",
  "not",
  "and",
  "?",
  "status=>400",
  "status:400-499",
  "status:9..1",
  "time:soon",
  "foo:bar",
  "elapsed>500mb",
  ",",
  "…",
  "*",
  "-",
  "=",
  "kind:api",
  "constructor",
  "__proto__",
  "status:constructor",
  "toString:x",
  "hasOwnProperty",
  "\u0007",
  "\u202e",
];

/** Any input that users may type, intentionally or not. */
export const anyInput = fc.oneof(
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.string({ maxLength: 60 }),
  fc
    .array(fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...vocabulary) }, anyText), { maxLength: 8 })
    .map((words) => words.join(" ")),
  fc.array(fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...vocabulary) }, anyText), { maxLength: 8 }),
);
