import fc from "fast-check";
import { expect, it } from "vitest";
import { logKindNames } from "../logs/log-store.js";
import { ReadLoad } from "../reads/pace.js";
import { openIndexedLogs } from "../test/indexed-logs.js";
import { expected, NOW, rangeOf, stepsOf, timeOf, type WrittenEntry, whereOf } from "../test/search-model.js";
import { LogSearch, type SearchBody, type SearchPage } from "./search.js";
import { SegmentStore } from "./segment-store.js";

const numRuns = process.env.TEST_LEVEL === "hard" ? 400 : 60;
const now = (): number => NOW;

const planned = fc.constantFrom(...logKindNames).chain((kind) =>
  fc.record({
    kind: fc.constant(kind),
    before: stepsOf(kind),
    during: stepsOf(kind),
    where: whereOf(kind),
    range: rangeOf,
    order: fc.constantFrom<("newest" | "oldest")[]>("newest", "oldest"),
    limit: fc.oneof(fc.integer({ min: 1, max: 8 }), fc.constant(1000)),
  }),
);
type Plan = typeof planned extends fc.Arbitrary<infer One> ? One : never;
type Log = Pick<ReturnType<Awaited<ReturnType<typeof openIndexedLogs>>["newLog"]>, "written" | "run"> & {
  /** Searches the log; within `maxMs`, if that is given. */
  ask(body: SearchBody, maxMs?: 0): Promise<SearchPage>;
};

/** Checks a property of any search of any log, which already has the entries of `before`. */
async function forAny(property: (log: Log, plan: Plan) => Promise<void>): Promise<void> {
  const { storage, newLog } = await openIndexedLogs(now);
  // So few late entries are read at once that most searches do so in several parts.
  const reader = new SegmentStore(storage, 2);
  const [unhurried, hurried] = [{}, { maxMs: 0 }].map(
    (limit) => new LogSearch({ reader, load: new ReadLoad({ perMinute: 0, now, ...limit }), now }),
  );
  const caller = { keyId: "key", signal: new AbortController().signal };
  const checked = fc.asyncProperty(planned, async (plan) => {
    const { projectId, written, own, run } = newLog(plan.kind);
    await run(...plan.before);
    const ask: Log["ask"] = (body, maxMs) => {
      const search = (maxMs === 0 ? hurried : unhurried) ?? expect.unreachable();
      return search.search({ ...caller, projectId }, plan.kind, body);
    };
    await property({ written, run, ask }, own(plan));
  });
  await fc.assert(checked, { numRuns });
}

const textsOf = (entries: readonly WrittenEntry[]): string[] => entries.map(({ text }) => text);

function countOf(texts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

it("the pages of any search are those of a filter and a sort in memory, also if it is out of time after each piece", async () => {
  let found = 0;
  await forAny(async ({ written, ask }, { where, range, order, limit }) => {
    const body: SearchBody = { ...range, where, order, limit };
    const matching = textsOf(expected(written, body));
    for (const maxMs of [undefined, 0] as const) {
      const pages: string[] = [];
      for (let cursor: string | undefined, isLast = false; !isLast; ) {
        const answer = await ask(cursor === undefined ? body : { ...body, cursor }, maxMs);
        pages.push(...answer.entries);
        cursor = answer.nextCursor;
        isLast = cursor === undefined;
        if (!isLast && maxMs === undefined) expect(answer.entries).toHaveLength(limit);
        expectSearchedTo(answer.searchedTo, order, matching[pages.length]);
      }
      expect(pages).toEqual(matching);
    }
    found += matching.length;
  });
  // Without matches, the test would prove nothing.
  expect(found).toBeGreaterThan(numRuns);
});

/** What was not yet found is beyond `x-searched-to`, or at its time. */
function expectSearchedTo(searchedTo: string | undefined, order: "newest" | "oldest", next: string | undefined): void {
  expect(searchedTo).toMatch(/^\d{4}-.*Z$/);
  if (searchedTo !== undefined && next !== undefined) {
    const { timestamp } = JSON.parse(next) as { timestamp: string };
    const [first, second] = order === "newest" ? [timestamp, searchedTo] : [searchedTo, timestamp];
    expect(timeOf(first) <= timeOf(second)).toBe(true);
  }
}

it("while others are written and indexed, a walk yields each entry that was there once, and each new one at most once", () =>
  forAny(async ({ written, run, ask }, { during, where, range, order, limit }) => {
    const body: SearchBody = { ...range, where, order, limit };
    const there = countOf(textsOf(expected(written, body)));
    const pages: string[] = [];
    const steps = [...during];
    for (let cursor: string | undefined, isLast = false; !isLast; ) {
      const answer = await ask(cursor === undefined ? body : { ...body, cursor });
      pages.push(...answer.entries);
      cursor = answer.nextCursor;
      isLast = cursor === undefined;
      await run(...steps.splice(0, 1));
    }
    const counts = countOf(pages);
    for (const [text, count] of there) expect(counts.get(text)).toBeGreaterThanOrEqual(count);
    const all = countOf(textsOf(expected(written, body)));
    for (const [text, count] of counts) expect(count).toBeLessThanOrEqual(all.get(text) ?? 0);
  }));

it("a page and what follows it have each entry once, in the order of writing", () =>
  forAny(async ({ written, run, ask }, { during, where, range: { since }, limit }) => {
    const body: SearchBody = { ...(since !== undefined && { since }), where, limit };
    let cursor = (await ask(body)).followCursor ?? "";
    const from = written.length;
    const followed: string[] = [];
    const read = async (): Promise<void> => {
      for (let count = limit; count === limit; ) {
        const answer = await ask({ ...body, cursor, wait_s: 0 });
        followed.push(...answer.entries);
        count = answer.entries.length;
        cursor = answer.nextCursor ?? "";
      }
    };
    for (const [at, step] of during.entries()) {
      await run(step);
      if (at % 2 === 0) await read();
    }
    await read();
    const matching = expected(written.slice(from), body).sort((one, other) => one.seq - other.seq);
    expect(followed).toEqual(textsOf(matching));
  }));
