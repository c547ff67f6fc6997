import fc from "fast-check";
import { expect, it } from "vitest";
import { type LogKind, logKindNames, logKinds } from "../logs/log-store.js";
import { ReadLoad } from "../reads/pace.js";
import { LogSearch, type SearchBody, type SearchPage } from "../search/search.js";
import { SegmentStore } from "../search/segment-store.js";
import { openIndexedLogs } from "./indexed-logs.js";
import { entriesOf, expected, NOW, rangeOf, timeOf, type WrittenEntry, whereOf } from "./search-model.js";

const now = (): number => NOW;
// In between, some entries are in segments, some late, some in none.
type Step = "index" | Pick<WrittenEntry, "timestamp" | "text">[];

/** Opens logs in which each run of a property has its own project. */
async function openLogsFor(maxMs?: number) {
  const { storage, logs, indexer } = await openIndexedLogs(now);
  const load = new ReadLoad({ perMinute: 0, now, ...(maxMs !== undefined && { maxMs }) });
  // So few late entries are read at once that most searches do so in several parts.
  const search = new LogSearch({ reader: new SegmentStore(storage, 2), load, now });
  let runs = 0;
  return <Plan extends { kind: LogKind }>(plan: Plan) => {
    runs += 1;
    const projectId = `project-${runs}`;
    // A project's channels bear its name.
    const own: Plan = JSON.parse(JSON.stringify(plan).replaceAll("@demo", `@${projectId}`));
    const { kind } = own;
    const written: WrittenEntry[] = [];
    return {
      ...own,
      written,
      async run(step: Step): Promise<void> {
        if (step === "index") {
          await indexer.indexLog([projectId, logKinds[kind].number]);
          return;
        }
        await logs.append(step.map((entry) => ({ ...entry, projectId, kind })));
        for (const entry of step) written.push({ ...entry, seq: written.length + 1 });
      },
      ask: (body: SearchBody): Promise<SearchPage> =>
        search.search({ projectId, keyId: "key", signal: new AbortController().signal }, kind, body),
    };
  };
}

const textsOf = (entries: readonly WrittenEntry[]): string[] => entries.map(({ text }) => text);
const stepsOf = (kind: LogKind): fc.Arbitrary<Step[]> =>
  fc.array(fc.oneof(fc.constant<Step>("index"), entriesOf(kind)), { maxLength: 5 });
const order = fc.constantFrom<("newest" | "oldest")[]>("newest", "oldest");
const limit = fc.oneof(fc.integer({ min: 1, max: 8 }), fc.constant(1000));

const planned = fc.constantFrom(...logKindNames).chain((kind) =>
  fc.record({
    kind: fc.constant(kind),
    before: stepsOf(kind),
    during: stepsOf(kind),
    where: whereOf(kind),
    range: rangeOf,
    order,
    limit,
  }),
);

/** Whatever a log has and wherever that is, the pages of any search have what a filter and a sort in memory give. */
async function expectPagesToBeRight(numRuns: number, maxMs?: number): Promise<void> {
  const newLog = await openLogsFor(maxMs);
  let found = 0;
  await fc.assert(
    fc.asyncProperty(planned, async (plan) => {
      const { before, where, range, order, limit, run, ask, written } = newLog(plan);
      for (const step of before) await run(step);
      const body: SearchBody = { ...range, where, order, limit };
      const matching = textsOf(expected(written, body));
      const pages: string[] = [];
      for (let cursor: string | undefined, isLast = false; !isLast; ) {
        const answer = await ask(cursor === undefined ? body : { ...body, cursor });
        pages.push(...answer.entries);
        cursor = answer.nextCursor;
        isLast = cursor === undefined;
        if (!isLast && maxMs === undefined) expect(answer.entries).toHaveLength(limit);
        expectSearchedTo(answer.searchedTo, order, matching.slice(pages.length)[0]);
      }
      expect(pages).toEqual(matching);
      found += pages.length;
    }),
    { numRuns },
  );
  // Without matches, the test would prove nothing.
  expect(found).toBeGreaterThan(numRuns);
}

/** What was not yet found is beyond `x-searched-to`, or at its time. */
function expectSearchedTo(searchedTo: string | undefined, order: "newest" | "oldest", next: string | undefined): void {
  if (searchedTo === undefined) expect.unreachable("x-searched-to is missing");
  else if (next !== undefined) {
    const { timestamp } = JSON.parse(next) as { timestamp: string };
    const [first, second] = order === "newest" ? [timestamp, searchedTo] : [searchedTo, timestamp];
    expect(timeOf(first) <= timeOf(second)).toBe(true);
  }
}

/** While entries are written and indexed, a walk yields each entry that was there once, and each new one at most once. */
async function expectWalksToBeStable(numRuns: number): Promise<void> {
  const newLog = await openLogsFor();
  await fc.assert(
    fc.asyncProperty(planned, async (plan) => {
      const { before, during, where, range, order, limit, run, ask, written } = newLog(plan);
      for (const step of before) await run(step);
      const there = [...written];
      const body: SearchBody = { ...range, where, order, limit };
      const pages: string[] = [];
      const steps = [...during];
      for (let cursor: string | undefined, isLast = false; !isLast; ) {
        const answer = await ask(cursor === undefined ? body : { ...body, cursor });
        pages.push(...answer.entries);
        cursor = answer.nextCursor;
        isLast = cursor === undefined;
        const step = steps.shift();
        if (step) await run(step);
      }
      const counts = countOf(pages);
      for (const [text, count] of countOf(textsOf(expected(there, body))))
        expect(counts.get(text)).toBeGreaterThanOrEqual(count);
      const all = countOf(textsOf(expected(written, body)));
      for (const [text, count] of counts) expect(count).toBeLessThanOrEqual(all.get(text) ?? 0);
    }),
    { numRuns },
  );
}

/** A page and what follows it have each entry once, in the order of writing. */
async function expectFollowingToBeRight(numRuns: number): Promise<void> {
  const newLog = await openLogsFor();
  await fc.assert(
    fc.asyncProperty(planned, async (plan) => {
      const { before, during, where, range, limit, run, ask, written } = newLog(plan);
      const { since } = range;
      for (const step of before) await run(step);
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
    }),
    { numRuns },
  );
}

function countOf(texts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

/** Tests searches with this many runs of each property. */
export function testSearches(runs: number): void {
  it("the pages of any search are those of a filter and a sort in memory", () => expectPagesToBeRight(runs));
  it("a search that is out of time after each piece finds the same", () => expectPagesToBeRight(runs, 0));
  it("a walk yields each entry once while others are written and indexed", () => expectWalksToBeStable(runs));
  it("following yields each entry once, in the order of writing", () => expectFollowingToBeRight(runs));
}
