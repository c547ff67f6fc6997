import type { LogKind } from "@media-ops/contract";
import { checkBlocks } from "@media-ops/fake-slack";
import {
  type Digest,
  type DigestDay,
  type LogStatus,
  logStatus,
  summarize,
  type Trace,
  type TraceLine,
} from "@media-ops/reports";
import type { Button } from "@slack/types";
import { parse } from "csv-parse/sync";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as csv from "./csv/index.js";
import {
  auditEntryWords,
  changeWords,
  deliveryWords,
  entryLabel,
  type Incident,
  incidentWords,
  issuedTokenWords,
  revokedWords,
} from "./index.js";
import * as jsonl from "./jsonl/index.js";
import * as markdown from "./markdown/index.js";
import * as slack from "./slack/index.js";
import * as terminal from "./terminal/index.js";
import { anyEntry, anyKind, anyKindAndEntries, anyKindAndEntry, anyText, anyValue, many } from "./test/arbitrary.js";
import { hostile } from "./test/hostile.js";
import { cellsOf, meaning } from "./test/markdown-text.js";
import * as samples from "./test/samples.js";
import { strayMarkup } from "./test/slack-markup.js";
import { withoutColours } from "./test/terminal-text.js";

const { now } = samples;

/** What the values of a field may be, by its name and the samples. */
type Leaf = (name: string, values: readonly unknown[]) => fc.Arbitrary<unknown>;

const isRecord = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Anything with the shape of these samples: a member that one of them lacks, or all of them, may be missing. */
function anyShape(name: string, samples: readonly unknown[], leaf: Leaf, mayLackAll: boolean): fc.Arbitrary<unknown> {
  if (samples.length > 0 && samples.every((one) => Array.isArray(one))) {
    return many(anyShape(name, samples.flat(), leaf, mayLackAll), 20);
  }
  if (samples.length === 0 || name === "roles" || !samples.every(isRecord)) return leaf(name, samples);
  const names = [...new Set(samples.flatMap((one) => Object.keys(one)))];
  const given = samples.map((one) => new Map(Object.entries(one)));
  const fields = names.map((key) => {
    const values = given.flatMap((members) => (members.has(key) ? [members.get(key)] : []));
    return [key, anyShape(key, values, leaf, mayLackAll)];
  });
  const requiredKeys = mayLackAll ? [] : names.filter((key) => given.every((members) => members.has(key)));
  return fc.record<Record<string, unknown>>(Object.fromEntries(fields), { requiredKeys });
}

/** What a service, or a proxy before it, may answer instead of these samples. */
function anyLike<Sample extends object>(...samples: readonly Sample[]): fc.Arbitrary<Sample> {
  const anyOf: Leaf = (name, values) =>
    fc.oneof(
      ...(values.length > 0 ? [fc.constantFrom(...values)] : []),
      name === "roles" ? fc.dictionary(anyText, anyValue) : anyText,
      anyValue,
      fc.constantFrom(null, undefined),
    );
  return fc.oneof(
    { weight: 9, arbitrary: anyShape("", samples, anyOf, true) },
    { weight: 1, arbitrary: anyOf("", [[]]) },
  ) as fc.Arbitrary<Sample>;
}

/** Any number of what a service may answer instead of each of these samples. */
const manyLike = <Sample extends object>(samples: readonly Sample[]): fc.Arbitrary<Sample[]> =>
  many(anyLike(...samples), 64);

const anyFigure = fc.oneof(
  fc.nat(1000),
  fc.double(),
  fc.constantFrom(0, -1, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY),
);

/** A time around now, or any number. */
const anyMoment = fc.oneof({ weight: 3, arbitrary: fc.integer({ min: now - 3 * 86_400_000, max: now }) }, anyFigure);

const MOMENTS = new Set(["from", "to", "began", "ended", "lookedUntil", "blindSince"]);
/** The names of free texts; the others are one of a few words. */
const TEXTS = new Set(["id", "name", "mediaReason", "detail"]);

/** Our own results: their types are right, and their numbers and names any. */
const typed: Leaf = (name, values) => {
  if (MOMENTS.has(name)) return anyMoment;
  if (name === "field") return fc.oneof(fc.constantFrom(...values), fc.constantFrom("type", "status"), anyText);
  if (TEXTS.has(name)) return anyText;
  if (values.every((one) => typeof one === "boolean")) return fc.boolean();
  return values.every((one) => typeof one === "number") ? anyFigure : fc.constantFrom(...values);
};

const anyTyped = <Result>(...samples: readonly Result[]): fc.Arbitrary<Result> =>
  anyShape("", samples, typed, false) as fc.Arbitrary<Result>;

/** Any explanation. */
const anyWhy = anyTyped(samples.why, {
  ...samples.calmWhy,
  since: "?",
  until: "1970-01-01T00:00:00Z",
  before: undefined,
});

/** Any incident, also one that no watch can have seen. */
const anyIncident: fc.Arbitrary<Incident> = fc
  .tuple(anyTyped<Incident>(...Object.values(samples.incidents)), anyKind)
  .map(([incident, kind]) => ({ ...incident, kind }));

const anyLine = anyKind.chain((kind) =>
  fc.record({ kind: fc.constant(kind), entry: anyEntry(kind), end: fc.option(anyEntry("connections")) }),
) as fc.Arbitrary<TraceLine>;

/** Any trace with valid and invalid entries. */
const anyTrace: fc.Arbitrary<Trace> = fc
  .record({
    lines: many(anyLine, 300),
    subject: fc.constantFrom(undefined, "channel" as const, "client" as const, "connection" as const),
    id: anyText,
    complete: fc.boolean(),
    searchedTo: fc.option(anyText, { nil: undefined }),
    missing: fc.subarray([...samples.kinds]),
    candidates: fc.array(fc.record({ subject: fc.constant("client" as const), id: anyText, timestamp: anyText }), {
      maxLength: 30,
    }),
  })
  .map((given) => ({ ...samples.trace, ...given }));

const [anyCount, anyLength] = [fc.nat(), fc.double()];
const anyDay: fc.Arbitrary<DigestDay> = fc.record(
  { count: anyCount, failed: anyCount, refused: anyCount, p95: anyLength, minutes: anyCount, bytes: anyCount },
  { requiredKeys: ["count"] },
);

const anyDigestLog = anyKindAndEntries.chain(([kind, entries]) =>
  fc
    .record(
      { isRead: fc.constant(true), days: fc.tuple(anyDay, anyDay), minutes: anyCount, searchedTo: fc.nat(now) },
      { requiredKeys: [] },
    )
    .map(({ isRead, days, minutes, searchedTo }) => {
      const { refused } = logStatus(kind, isRead ? entries : [], { now });
      return {
        kind,
        ...(isRead && { day: summarize(kind, entries, { searchedTo, refusedFails: false }) }),
        ...(refused && { refused }),
        ...(minutes !== undefined && { minutes }),
        ...(days && { dayBefore: days[0], weekBefore: days[1] }),
      };
    }),
);

/** Any digest: logs with any entries that were read wholly, in part or not at all. */
const anyDigest: fc.Arbitrary<Digest> = fc
  .array(anyDigestLog, { maxLength: 6 })
  .map((logs) => ({ period: { from: now - 86_400_000, to: now }, logs }));

/** The options of any printer. */
const anyOptions = fc.record({
  now: fc.constant(now),
  timeZone: fc.constantFrom<string | undefined>(
    undefined,
    "UTC",
    "Asia/Kolkata",
    "America/New_York",
    "Pacific/Chatham",
  ),
  title: anyText,
  note: anyText,
  when: anyText,
  channel: anyText,
  description: anyText,
  notes: fc.array(anyText, { maxLength: 12 }),
  nameOf: anyText.map((name) => () => name),
  hasMore: fc.boolean(),
  isLabelled: fc.boolean(),
  style: fc.constantFrom("table" as const, "compact" as const),
  chart: fc.constantFrom("entries" as const, "latency" as const),
  pageSize: fc.double(),
  atMost: fc.double(),
  width: fc.oneof(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 250 })),
  color: fc.boolean(),
});

type Options = typeof anyOptions extends fc.Arbitrary<infer Given> ? Given : never;

/** A result, with what it may be, and how it is printed. */
interface Result<Input> {
  any: fc.Arbitrary<Input>;
  /** What is right; and, with a hostile thing in it, what a service may answer. */
  sample: Input;
  hostile?: (thing: object) => readonly Input[];
  /** How many items it has, for printers that say how many they show, or have one in a row. */
  count?: (input: Input) => number;
  /** How many of the items a message shows at least, if there are as many. @default 1 */
  least?: number;
  /** The most characters of its message: Slack refuses more than some 11,000. */
  most?: number;
  slack?: (input: Input, options: Options) => slack.SlackMessage & { shown?: number };
  surface?: "message" | "modal";
  /** The most blocks: the caller has some of its own. @default 50 */
  blocks?: number;
  terminal?: (input: Input, options: Options) => string;
  markdown?: (input: Input, options: Options) => string;
  /** In one line of plain text. */
  words?: (input: Input, options: Options) => string;
  csv?: (input: Input) => string;
  jsonl?: (input: Input) => string;
}

const judges = {
  slack<Input>(message: slack.SlackMessage & { shown?: number }, input: Input, _: Options, result: Result<Input>) {
    expect(checkBlocks(message.blocks, result.surface ?? "message")).toEqual({ ok: true });
    expect(strayMarkup(message)).toEqual([]);
    expect(message.text).not.toBe("");
    expect(message.text.length).toBeLessThan(3000);
    expect(message.blocks.length).toBeLessThanOrEqual(result.blocks ?? 50);
    if (result.most !== undefined) expect(lengthOfTexts(message.blocks)).toBeLessThan(result.most);
    if (message.shown === undefined || result.count === undefined) return;
    expect(message.shown).toBeLessThanOrEqual(result.count(input));
    expect(message.shown).toBeGreaterThanOrEqual(Math.min(result.count(input), result.least ?? 1));
  },
  /** Every line fits, has no control characters, and ends its own colours. */
  terminal(text: string, _: unknown, { width }: Options) {
    // One expectation for all lines: each takes longer than the checks of a line.
    const wrong = text.split("\n").filter((line) => {
      const plain = withoutColours(line);
      const codes = Array.from(line.matchAll(/\p{Cc}\[(\d+)m/gu), ([, code]) => Number(code));
      const areEnded = codes.every((code, at) =>
        at % 2 === 0 ? [1, 2, 31, 32, 33].includes(code) : code === ((codes[at - 1] ?? 0) < 10 ? 22 : 39),
      );
      const isClean = !/[\p{Cc}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(plain);
      return !isClean || terminal.textWidth(plain) > width || !areEnded || codes.length % 2 !== 0;
    });
    expect(wrong).toEqual([]);
  },
  /** Only the markup of the printers: titles, tables, bold lines, bullets and charts. All rows of a table have as many cells. */
  markdown(text: string) {
    let columns = 0;
    const wrong = text
      .replace(/\n```text\n[^`]*\n```$/, "")
      .split("\n")
      .filter((line) => {
        const isRow = line.startsWith("| ");
        const cells = isRow
          ? cellsOf(line)
          : [line.replace(/^(?:### |(?: {2})?- )?/, "").replace(/^\*\*(.*)\*\*$/, "$1")];
        const isUneven = isRow && columns > 0 && cells.length !== columns;
        columns = isRow ? cells.length : 0;
        return isUneven || cells.some((cell) => meaning(cell).length > 0);
      });
    expect(wrong).toEqual([]);
  },
  words(text: string) {
    expect(text).not.toBe("");
    expect(text).not.toMatch(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u);
  },
  /** A row for each item, in which no spreadsheet runs a formula. */
  csv<Input>(text: string, input: Input, _: unknown, { count }: Result<Input>) {
    const rows: Record<string, string>[] = parse(text, { columns: true, record_delimiter: "\r\n" });
    if (count) expect(rows).toHaveLength(count(input));
    const texts = rows.flatMap((row) => Object.values(row)).filter((value) => !/^-?[\d.e+-]+$/.test(value));
    expect(texts.filter((value) => /^\s*[=+\-@＝＋－＠]/.test(value))).toEqual([]);
  },
  jsonl<Input>(text: string, input: Input, _: unknown, { count }: Result<Input>) {
    const lines = text.split("\n");
    expect(lines.pop()).toBe("");
    if (count) expect(lines).toHaveLength(count(input));
    for (const line of lines) JSON.parse(line);
  },
};

const timed = ["terminal", "markdown", "words"] as const;

/** The total length of a message's texts. */
function lengthOfTexts(part: unknown): number {
  if (typeof part !== "object" || part === null) return 0;
  const text = "text" in part && typeof part.text === "string" ? part.text.length : 0;
  return Object.values(part).reduce<number>((sum, one) => sum + lengthOfTexts(one), text);
}

/** The tests of a result, which don't depend on its type. Each input is printed in all media. */
function testsOf<Input>(result: Result<Input>) {
  const check = (input: Input, options: Options): void => {
    if (result.slack) judges.slack(result.slack(input, options), input, options, result);
    for (const medium of ["csv", "jsonl"] as const) {
      if (result[medium]) judges[medium](result[medium](input), input, options, result);
    }
    for (const medium of timed) if (result[medium]) judges[medium](result[medium](input, options), input, options);
    if (result.terminal && options.color) {
      const coloured = withoutColours(result.terminal(input, options));
      expect(coloured).toBe(result.terminal(input, { ...options, color: false }));
    }
  };
  return {
    any: () => fc.assert(fc.property(result.any, anyOptions, check), { numRuns: 30 }),
    hostile(thing: object) {
      for (const input of result.hostile?.(thing) ?? []) check(input, usual);
    },
    invalid(options: Partial<Options>, message: RegExp) {
      for (const medium of ["slack", ...timed] as const) {
        const print = result[medium];
        if (print) expect(() => print(result.sample, { ...usual, ...options }), medium).toThrow(message);
      }
    },
  };
}

const [usual] = fc.sample(
  anyOptions.map((options) => ({ ...options, timeZone: undefined, width: 80, atMost: 10, pageSize: 10 })),
  { numRuns: 1, seed: 1 },
) as [Options];

/** What a service may answer: something hostile, or a sample with it in place of a member. */
const spoilt = <Sample extends object>(thing: object, ...given: readonly Sample[]): Sample[] => [
  thing as Sample,
  ...given.flatMap((sample) => Object.keys(sample).map((name) => ({ ...sample, [name]: thing }))),
];
const entries = (thing: object): [LogKind, unknown][] =>
  [thing, { url: thing, status: thing, timestamp: thing }].map((entry) => ["webhooks", entry]);

/** A list of tokens, deliveries, endpoints or audit entries. */
function list<Item extends object>(
  given: readonly Item[],
  inSlack: (items: readonly Item[], options: slack.SlackListingOptions<Item>) => slack.SlackListingMessage,
  print: Pick<Result<readonly Item[]>, "terminal" | "markdown" | "csv" | "jsonl">,
) {
  let id = 0;
  const button = (): Button => {
    id += 1;
    return { type: "button", text: { type: "plain_text", text: "Revoke" }, action_id: `revoke:${id}` };
  };
  return testsOf<readonly Item[]>({
    any: manyLike(given),
    sample: given,
    hostile: (thing) => {
      const items = spoilt(thing, ...given);
      return [items, ...items.map((item) => [item])];
    },
    count: ({ length }) => length,
    most: 11_000,
    blocks: 46,
    slack: (items, options) => inSlack(items, { ...options, ...(options.isLabelled && { button }) }),
    ...print,
  });
}

/** What is printed in Slack and the terminal only. */
const answer = <Input extends object>(
  given: readonly [Input, ...Input[]],
  print: Pick<Result<Input>, "slack" | "terminal" | "words">,
) => {
  return testsOf<Input>({
    any: anyLike(...given),
    sample: given[0],
    hostile: (thing) => spoilt(thing, ...given),
    most: 11_000,
    ...print,
  });
};

const token = `ey.${"t".repeat(300)}.sig`;
const [delivery] = samples.deliveries;
const manyAttempts = samples.deliveries.map((one) => ({ ...one, attempts: Array(99).fill(one.attempts).flat() }));

const results = {
  "log entries": testsOf<[LogKind, readonly unknown[]]>({
    any: anyKindAndEntries,
    sample: ["api", samples.samples.api],
    hostile: (thing) => entries(thing).map(([kind, entry]) => [kind, [entry]]),
    count: ([, { length }]) => length,
    slack: ([kind, some], options) => slack.formatLogs(kind, some, options),
    terminal: ([kind, some], options) => terminal.formatLogs(kind, some, options),
    markdown: ([kind, some], options) => markdown.formatLogs(kind, some, options),
    csv: ([kind, some]) => csv.formatLogs(kind, some),
    jsonl: ([kind, some]) => jsonl.formatLogs(kind, some),
  }),
  "lines of log entries": testsOf<[LogKind, readonly unknown[]]>({
    any: anyKindAndEntries,
    sample: ["api", samples.samples.api],
    hostile: (thing) => entries(thing).map(([kind, entry]) => [kind, [entry]]),
    count: ([, { length }]) => Math.min(length, 100),
    most: 11_000,
    slack: ([kind, some], options) => slack.formatLogs(kind, some, { ...options, style: "compact" }),
    terminal: ([kind, some], options) => terminal.formatLogs(kind, some, { ...options, style: "compact" }),
  }),
  "one entry": testsOf({
    any: anyKindAndEntry,
    sample: ["api", samples.samples.api[0]],
    hostile: entries,
    surface: "modal",
    slack: ([kind, entry], options) => slack.formatLogDetail(kind, entry, options),
    terminal: ([kind, entry], options) => terminal.formatLogDetail(kind, entry, options),
    markdown: ([kind, entry], options) => markdown.formatLogDetail(kind, entry, options),
    words: ([kind, entry], options) => entryLabel(kind, entry, options),
  }),
  "a summary": testsOf({
    any: fc
      .record({
        some: anyKindAndEntries,
        searchedTo: fc.option(fc.integer({ min: 0, max: now }), { nil: undefined }),
        by: fc.constantFrom(undefined, ["url", "type"] as const, ["channel_id", "failed"] as const),
        only: fc.constantFrom({}, { only: "failed" as const }, { only: "ok" as const }),
      })
      .map(({ some, only, ...search }) => ({ ...summarize(...some, search), ...only })),
    sample: summarize("api", samples.samples.api),
    hostile: (thing) => entries(thing).map(([kind, entry]) => summarize(kind, [entry])),
    slack: slack.formatSummary,
    terminal: terminal.formatSummary,
    markdown: markdown.formatSummary,
  }),
  "the state of a service": testsOf<[statuses: LogStatus[], service: typeof samples.service]>({
    any: fc.tuple(
      fc.array(
        fc.tuple(anyKindAndEntries, fc.boolean()).map(([[kind, some], isRecent]) => {
          const timestamp = new Date(now).toISOString();
          return logStatus(kind, isRecent ? some.map((one) => ({ ...Object(one), timestamp })) : some, { now });
        }),
        { maxLength: 6 },
      ),
      fc.record({ address: anyText, answeredInMs: fc.double(), askedWith: anyText }),
    ),
    sample: [samples.statuses, samples.service],
    hostile: (thing) => entries(thing).map(([kind, entry]) => [[logStatus(kind, [entry], { now })], samples.service]),
    slack: ([statuses, service], options) => slack.formatStatus(statuses, service, options),
    terminal: ([statuses, service], options) => terminal.formatStatus(statuses, service, options),
  }),
  "a trace": testsOf({
    any: anyTrace,
    sample: samples.trace,
    hostile: (thing) => {
      const lines = samples.trace.lines.flatMap(({ kind, entry }) =>
        spoilt(thing, entry).map((one) => ({ kind, entry: one, end: thing })),
      );
      return [{ ...samples.trace, lines: [thing, ...lines] as never[] }];
    },
    count: ({ lines }) => lines.length,
    least: 10,
    most: 11_300,
    blocks: 14,
    slack: slack.formatTrace,
    terminal: terminal.formatTrace,
    markdown: markdown.formatTrace,
    csv: csv.formatTrace,
    jsonl: (trace) => jsonl.formatTrace({ ...trace, complete: true, missing: [], candidates: [] }),
  }),
  "an explanation": testsOf({
    any: anyWhy,
    sample: samples.why,
    most: 11_300,
    slack: slack.formatWhy,
    terminal: terminal.formatWhy,
    markdown: markdown.formatWhy,
  }),
  "live channels": testsOf({
    any: anyLike(samples.live, samples.liveLobby),
    sample: samples.live,
    hostile: (thing) =>
      spoilt(
        thing,
        samples.live,
        ...spoilt(thing, ...samples.liveLobby.channels).map((channel) => ({ ...samples.live, channels: [channel] })),
      ),
    most: 11_300,
    slack: slack.formatLive,
    terminal: terminal.formatLive,
    markdown: markdown.formatLive,
  }),
  "an incident": testsOf({
    any: anyIncident,
    sample: samples.incidents.failing,
    hostile: (thing) =>
      [
        thing,
        [thing],
        [{ field: "reason", tallies: thing }],
        [{ field: thing, tallies: [thing, { name: thing, count: thing }] }],
      ].map((groups) => ({ ...samples.incidents.iceTimeouts, groups: groups as never })),
    most: 11_000,
    slack: slack.formatIncident,
    words: (incident, options) => Object.values(incidentWords(incident, options)).join(" "),
  }),
  "a digest": testsOf({
    any: anyDigest,
    sample: { period: { from: now - 86_400_000, to: now }, logs: [] },
    most: 11_000,
    slack: slack.formatDigest,
  }),
  "issued tokens": list<(typeof samples.issued)[number]>(samples.issued, slack.formatTokens, {
    terminal: terminal.formatTokens,
    markdown: markdown.formatTokens,
    csv: csv.formatTokens,
    jsonl: jsonl.formatTokens,
  }),
  "webhook deliveries": list<(typeof samples.deliveries)[number]>(samples.deliveries, slack.formatDeliveries, {
    terminal: terminal.formatDeliveries,
    markdown: markdown.formatDeliveries,
    csv: csv.formatDeliveries,
    jsonl: jsonl.formatDeliveries,
  }),
  "webhook endpoints": list<(typeof samples.endpoints)[number]>(samples.endpoints, slack.formatEndpoints, {
    terminal: terminal.formatEndpoints,
    markdown: markdown.formatEndpoints,
    csv: csv.formatEndpoints,
    jsonl: jsonl.formatEndpoints,
  }),
  "an audit log": list<(typeof samples.audit)[number]>(samples.audit, slack.formatAudit, {
    terminal: terminal.formatAudit,
    markdown: markdown.formatAudit,
    csv: csv.formatAudit,
    jsonl: jsonl.formatAudit,
  }),
  "one delivery": testsOf({
    any: anyLike(...samples.deliveries, ...manyAttempts),
    sample: delivery,
    hostile: (thing) => spoilt(thing, ...samples.deliveries, { ...delivery, attempts: [thing as never] }),
    most: 11_000,
    slack: slack.formatDelivery,
    terminal: terminal.formatDelivery,
    markdown: markdown.formatDelivery,
    words: deliveryWords,
  }),
  "one token": answer([...samples.issued] as [(typeof samples.issued)[number]], { words: issuedTokenWords }),
  "one audit entry": answer([...samples.audit] as [(typeof samples.audit)[number]], { words: auditEntryWords }),
  "what was revoked": answer([samples.revokedToken, samples.revokedChannel], {
    slack: slack.formatRevoked,
    terminal: terminal.formatRevoked,
    words: revokedWords,
  }),
  "what was sent again": answer([samples.resent], { slack: slack.formatResent, terminal: terminal.formatResent }),
  "what was switched on": answer([...samples.endpoints], {
    slack: slack.formatEnabled,
    terminal: terminal.formatEnabled,
  }),
  "a checked token": answer([samples.goodToken, samples.badToken], {
    slack: slack.formatCheckedToken,
    terminal: terminal.formatCheckedToken,
  }),
  "a token": answer([samples.claims], {
    slack: (claims, options) => slack.formatToken(token, claims, options),
    // Its own line may be wider.
    terminal: (claims, options) => terminal.formatToken(token, claims, options).replace(`${token}\n`, ""),
    words: (claims, options) =>
      terminal
        .formatClaims(claims, { ...options, width: Number.POSITIVE_INFINITY, color: false })
        .replaceAll("\n", " "),
  }),
};

const problems = testsOf<unknown>({
  any: fc.oneof(
    fc.anything(),
    fc.record({ message: anyText, requestId: anyText, detail: anyText }).map(({ message, requestId, detail }) => {
      const fields = { name: "MediaForbiddenError", code: "Forbidden", requestId, problem: { detail } };
      return Object.assign(new Error(message), fields);
    }),
  ),
  sample: samples.problem,
  hostile: (thing) => [thing],
  slack: (error, { title }) => slack.formatProblem(error, { next: { Forbidden: title } }),
  terminal: (error, { title, ...screen }) => terminal.formatProblem(error, { ...screen, next: { Forbidden: title } }),
});

const cases = Object.entries({ ...results, "a problem": problems });

describe("whatever a service answers,", () => {
  it.each(cases)("%s is accepted and fits in each medium, and its texts have no effect", (_, tests) => tests.any());

  it.each(cases)("%s is printed with hostile things in it", (_, tests) => {
    for (const thing of Object.values(hostile)) tests.hostile(thing);
  });
});

describe("for any incident,", () => {
  it("there is no all-clear if the service doesn't answer, and a message begins with the mark", () => {
    fc.assert(
      fc.property(anyIncident, anyOptions, (incident, options) => {
        const message = slack.formatIncident(incident, options);
        const { mark, what, details } = incidentWords(incident, options);
        expect(JSON.stringify(message.blocks[0])).toContain(`"text":"${mark} `);
        if (incident.blindSince !== undefined) {
          expect(mark).toBe("?");
          expect(`${message.text} ${details}`).toMatch(/^No answer.*The service has not answered since /s);
        }
        expect(`${what}${details}`).not.toContain("\n");
      }),
      { numRuns: 300 },
    );
  });

  it("every change is one line, or none", () => {
    fc.assert(
      fc.property(anyIncident, anyIncident, (before, after) => {
        const words = changeWords(before, after);
        if (words !== undefined) expect(words).toMatch(/^[^\n]+\.$/);
        expect(changeWords(before, before)).toBeUndefined();
      }),
    );
  });
});

it("Slack accepts an entry as a modal, with any number and length of fields", () => {
  const anyLongText = fc
    .tuple(fc.oneof(anyText, fc.constantFrom('"', "\\", "“", "会", "👩‍👩‍👧‍👦")), fc.nat(5000))
    .map(([text, times]) => text.repeat(Math.min(times, 5000 / text.length)));
  fc.assert(
    fc.property(anyKind, anyLongText, anyLongText, fc.nat(200), (kind, name, value, count) => {
      const known = Object.keys(Object(samples.samples[kind][0])).map((field) => [field, value]);
      const unknown = Array.from({ length: count }, (_, at) => [`${at}${name}`, value]);
      const message = slack.formatLogDetail(kind, Object.fromEntries([...known, ...unknown]), { now });
      expect(checkBlocks(message.blocks, "modal")).toEqual({ ok: true });
      expect(strayMarkup(message)).toEqual([]);
      // Slack accepts views of 250 kB, of which the caller needs a part.
      expect(Buffer.byteLength(JSON.stringify(message.blocks))).toBeLessThan(240_000);
    }),
    { numRuns: 20 },
  );
});

it("for any claims, Slack's message shows the token once, and its notification doesn't", () => {
  fc.assert(
    fc.property(anyLike(samples.claims), anyOptions, (claims, options) => {
      const message = slack.formatToken(token, claims, options);
      expect(JSON.stringify(message).split(token)).toHaveLength(2);
      expect(message.text).not.toContain(token);
    }),
  );
});

describe("invalid arguments are reported, as opposed to invalid entries:", () => {
  it.each(Object.entries(results))("%s, for a time that is not finite and an unknown zone", (_, tests) => {
    tests.invalid({ now: Number.NaN }, /^now must be .* but is NaN/);
    tests.invalid({ timeZone: "Mars/Olympus" }, /^Unknown time zone "Mars\/Olympus"\./);
  });

  const calls = "calls" as LogKind;
  it.each<[name: string, print: (some: readonly unknown[]) => unknown]>([
    ["slack.formatLogs", (some) => slack.formatLogs(calls, some, { now })],
    ["slack.formatLogDetail", ([one]) => slack.formatLogDetail(calls, one, { now })],
    ["terminal.formatLogs", (some) => terminal.formatLogs(calls, some, { now })],
    ["terminal.formatLogDetail", ([one]) => terminal.formatLogDetail(calls, one, { now })],
    ["markdown.formatLogs", (some) => markdown.formatLogs(calls, some, { now })],
    ["markdown.formatLogDetail", ([one]) => markdown.formatLogDetail(calls, one, { now })],
    ["entryLabel", ([one]) => entryLabel(calls, one, { now })],
    ["csv.formatLogs", (some) => csv.formatLogs(calls, some)],
  ])("%s, for an unknown kind", (_, print) => {
    for (const some of [[], samples.samples.api]) {
      expect(() => print(some)).toThrow(/^"calls" is not a kind of log\. Kinds are /);
    }
  });

  it("JSON lines are the same for every kind", () => {
    expect(jsonl.formatLogs(calls, [{ a: 1 }])).toBe('{"a":1}\n');
  });
});
