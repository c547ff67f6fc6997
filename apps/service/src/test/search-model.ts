import fc from "fast-check";
import type { LogKind } from "../logs/log-store.js";
import { logFields } from "../search/columns.js";
import type { Where } from "../search/conditions.js";

/** An entry as a test wrote it. */
export interface WrittenEntry {
  readonly seq: number;
  readonly timestamp: string;
  readonly text: string;
}

/** What happens to a log: entries are written, or segments are built. */
export type Step = "index" | readonly Pick<WrittenEntry, "timestamp" | "text">[];

type Test = Readonly<Record<string, unknown>>;
type Json = null | boolean | number | string;

/** When logs are searched, in ms since 1970. */
export const NOW: number = Date.parse("2026-04-10T00:00:00Z");
const OLDEST = new Date(NOW - 30 * 86_400_000).toISOString();

// Few different values, so that conditions are met, and entries have the same time. Those of March have expired.
const seconds = fc.integer({ min: 0, max: 5 });
const fraction = fc.constantFrom("", ".5", ".50", ".500001", ".5000010", ".5000011", ".000000001", ".999999");
const minutes = ["2026-04-01T09:30", "2026-04-01T09:30", "2026-04-02T23:59", "2026-04-02T22:00", "2026-03-10T23:59"];
const moment = fc.tuple(fc.constantFrom(...minutes), seconds, fraction);
/** The timestamp of an entry. */
export const timestamp = moment.map(([minute, second, digits]) => `${minute}:0${second}${digits}Z`);
const zoned = moment.map(([minute, second, digits]) => `${minute.replace("T09", "T18")}:0${second}${digits}+09:00`);
const asked = fc.oneof({ weight: 3, arbitrary: timestamp }, { weight: 1, arbitrary: zoned });
const number = fc.oneof(
  fc.constantFrom(0, 1, 200, 399, 399.5, 400, 404, 500, 2 ** 40),
  fc.integer({ min: 0, max: 60 }),
);
const text = fc.constantFrom(
  ...["", "lobby@demo", "Lobby@demo", "ann@home@demo", "lobby", "a*b\\", "É\n🎥", "ok", "refused"],
  ...["https://hooks.example/media?x=1&from=bot#from=cli", "https://hooks.example/?from=cli%2Dfollow"],
);
const part = fc.oneof(text, fc.constantFrom("LOBBY", "@", "é", "hooks", "bot", "cli-follow", "demo"));
const pattern = fc.constantFrom(
  ...["*", "", "lobby*", "*@demo", "*o*y*", "a\\*b\\\\", "*\\*b*", "*hooks*media*", "l*y@*o", "**"],
);

const oneOrMore = (value: fc.Arbitrary<Json>): fc.Arbitrary<Json | Json[]> =>
  fc.oneof(value, fc.array(value, { minLength: 1, maxLength: 3 }));

const bounds = (value: fc.Arbitrary<Json>) => ({ gt: value, gte: value, lt: value, lte: value });
const flat = (members: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Test> =>
  fc.oneof(...Object.entries(members).map(([name, value]) => fc.record({ [name]: value })));
/** Tests of one or more members, and tests within them. */
const nested = (members: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Test> => {
  const leaf = flat(members);
  const pair = fc.array(leaf, { minLength: 1, maxLength: 2 });
  return fc.oneof(
    { weight: 3, arbitrary: leaf },
    { weight: 1, arbitrary: fc.record({ any: pair }) },
    { weight: 1, arbitrary: fc.record({ all: pair, not: leaf }) },
    { weight: 1, arbitrary: fc.record({ not: fc.record({ any: pair }) }) },
    { weight: 1, arbitrary: fc.tuple(leaf, leaf).map(([one, other]) => ({ ...one, ...other })) },
  );
};

const tests = {
  number: nested({ eq: oneOrMore(number), ...bounds(number) }),
  time: nested(bounds(asked)),
  text: nested({
    eq: oneOrMore(text),
    contains: oneOrMore(part),
    starts_with: oneOrMore(part),
    like: oneOrMore(pattern),
  }),
};

/** Conditions on the fields of a log. */
export function whereOf(kind: LogKind): fc.Arbitrary<Where> {
  const names = logFields[kind].map(({ name }) => name);
  const derived = {
    ...((names.includes("status") || names.includes("outcome")) && { failed: fc.boolean() }),
    ...(names.includes("channel_id") && { channel: tests.text }),
    ...(names.includes("total_sent_bytes") && { total_bytes: tests.number }),
    ...(kind === "api" && { from: tests.text }),
  };
  const conditions: Record<string, fc.Arbitrary<unknown>> = {
    ...Object.fromEntries(logFields[kind].map(({ name, type }) => [name, tests[type]])),
    ...derived,
  };
  const any = fc
    .constantFrom(...Object.keys(conditions))
    .chain((name) => fc.record({ [name]: conditions[name] ?? fc.constant({}) }));
  // Without conditions that most entries meet, most searches would find nothing.
  const usual = fc.constantFrom<Where>(
    { timestamp: { gt: "2026-04-01T00:00:00Z" } },
    { timestamp: { not: { gt: "2026-04-02T23:59:03Z" } } },
  );
  const one = fc.oneof(any, usual);
  return fc.array(one, { maxLength: 2 }).map((parts) => Object.assign({}, ...parts) as Where);
}

/** The texts of entries of a log: fields may be absent, and rarely have another type. */
export function entriesOf(kind: LogKind): fc.Arbitrary<Pick<WrittenEntry, "timestamp" | "text">[]> {
  const values = { number, text, time: timestamp };
  const fields = Object.fromEntries(
    logFields[kind]
      .slice(1)
      .map(({ name, type }) => [
        name,
        fc.oneof({ weight: 20, arbitrary: values[type] }, { weight: 1, arbitrary: fc.constantFrom<Json>(null, true) }),
      ]),
  );
  const entry = fc
    .tuple(timestamp, fc.record(fields, { requiredKeys: [] }))
    .map(([time, others]) => ({ timestamp: time, text: JSON.stringify({ timestamp: time, ...others }) }));
  return fc.array(entry, { minLength: 1, maxLength: 25 });
}

/** What happens to a log, at random. */
export const stepsOf = (kind: LogKind): fc.Arbitrary<Step[]> =>
  fc.array(fc.oneof({ weight: 2, arbitrary: entriesOf(kind) }, fc.constant<Step>("index")), { maxLength: 6 });

/** Members of a body with a range of time. */
export const rangeOf = fc
  .record({ since: asked, until: asked }, { requiredKeys: [] })
  .filter(({ since, until }) => since === undefined || until === undefined || timeOf(since) < timeOf(until));

const times = new Map<string, bigint>();

/** A time as a number of 10⁻¹² s since 1970, by integers only. */
export function timeOf(timestamp: string): bigint {
  const known = times.get(timestamp);
  if (known !== undefined) return known;
  const [, whole = "", digits = "", zone = ""] = /^(.{19})(?:\.(\d+))?(.+)$/.exec(timestamp) ?? [];
  const time = BigInt(Date.parse(`${whole}${zone}`)) * 10n ** 9n + BigInt(digits.padEnd(12, "0"));
  times.set(timestamp, time);
  return time;
}

/** The entries that a listing has to have, in its order: the rules of the contract, applied to one entry after another. */
export function expected(
  entries: readonly WrittenEntry[],
  { since, until, where = {}, order = "newest" }: { since?: string; until?: string; where?: Where; order?: string },
): WrittenEntry[] {
  const sign = order === "newest" ? -1 : 1;
  const [from, end] = [since ?? OLDEST, until ?? "9999-12-31T23:59:59Z"].map(timeOf) as [bigint, bigint];
  return entries
    .map((entry) => ({ entry, time: timeOf(entry.timestamp), fields: JSON.parse(entry.text) }))
    .filter(({ time }) => time >= timeOf(OLDEST) && time >= from && time < end)
    .filter(({ fields }) => Object.entries(where).every(([name, test]) => meets(fields, name, test as Test)))
    .sort((a, b) => sign * (a.time === b.time ? a.entry.seq - b.entry.seq : a.time < b.time ? -1 : 1))
    .map(({ entry }) => entry);
}

const meets = (entry: Record<string, unknown>, name: string, test: Test | boolean): boolean =>
  typeof test === "boolean" ? hasFailed(entry) === test : passes(fieldOf(entry, name), test);

/** Whether an entry failed; undefined if it has neither a status nor an outcome. */
export function hasFailed({ status, outcome }: Readonly<Record<string, unknown>>): boolean | undefined {
  if (typeof status === "number") return status === 0 || status >= 400;
  return typeof outcome === "string" ? outcome !== "ok" : undefined;
}

/** What a test of a field compares. */
export function fieldOf(entry: Readonly<Record<string, unknown>>, name: string): unknown {
  const { total_received_bytes: received, total_sent_bytes: sent, channel_id: channel, url } = entry;
  if (name === "total_bytes")
    return typeof received === "number" && typeof sent === "number" ? received + sent : undefined;
  if (name === "channel") return typeof channel === "string" ? channel.replace(/@[^@]*$/, "") : undefined;
  if (name === "from")
    return typeof url === "string" ? (new URL(url, "http://x").searchParams.get("from") ?? undefined) : undefined;
  return entry[name];
}

function passes(value: unknown, test: Test): boolean {
  return Object.entries(test).every(([name, wanted]) => {
    if (name === "any") return (wanted as Test[]).some((one) => passes(value, one));
    if (name === "all") return (wanted as Test[]).every((one) => passes(value, one));
    if (name === "not") return !passes(value, wanted as Test);
    return [wanted].flat().some((one) => passesOne(value, name, one));
  });
}

function passesOne(value: unknown, name: string, wanted: unknown): boolean {
  if (typeof value !== typeof wanted) return false;
  if (typeof value === "number" || /^[gl]te?$/.test(name)) {
    const [one, other] = [value, wanted].map((it) => (typeof it === "string" ? timeOf(it) : Number(it))) as [
      number,
      number,
    ];
    return { eq: one === other, gt: one > other, gte: one >= other, lt: one < other, lte: one <= other }[name] ?? false;
  }
  const [have, want] = [String(value), String(wanted)];
  if (name === "eq") return have === want;
  if (name === "contains") return have.toLowerCase().indexOf(want.toLowerCase()) >= 0;
  if (name === "starts_with") return have.slice(0, want.length) === want;
  const escaped = want.replace(/\\[\\*]|[\s\S]/g, (at) =>
    at === "*" ? "[^]*" : `\\u${at.slice(-1).charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return new RegExp(`^${escaped}$`).test(have);
}
