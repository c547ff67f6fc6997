import { expect, onTestFinished } from "vitest";
import { type LogKind, type LogName, logKinds } from "../logs/log-store.js";
import { unhurried } from "../reads/along.js";
import { SEQ_COLUMN } from "../search/columns.js";
import { LogIndexer, type LogIndexerOptions, type SegmentSizes } from "../search/log-indexer.js";
import { SegmentStore } from "../search/segment-store.js";
import { openLogs } from "../stores.js";
import { openTestStorage } from "./harness.js";
import type { Step, WrittenEntry } from "./search-model.js";

// Tests look at all late entries at once.
const MANY = 1_000_000;
/** Sizes with which a few entries make many segments. */
export const SMALL_SIZES: SegmentSizes = { smallest: 4, full: 16, late: 1, failed: 600 };

/** Opens the logs of a new database, with segments of small sizes. */
export async function openIndexedLogs(
  now: () => number,
  { atEnd = onTestFinished }: { atEnd?: (close: () => Promise<void>) => void } = {},
) {
  const storage = await openTestStorage(undefined, atEnd);
  const newIndexer = (others: Partial<LogIndexerOptions> = {}): LogIndexer =>
    new LogIndexer({ database: storage, write: storage.writeAll, now, sizes: SMALL_SIZES, ...others });
  const logs = await openLogs(storage, now);
  const indexer = newIndexer();
  let projects = 0;
  /** A log of a new project, to which steps happen. The project's channels bear its name. */
  const newLog = (kind: LogKind, by = indexer) => {
    const projectId = `p${projects++}`;
    const log: LogName = [projectId, logKinds[kind].number];
    const written: WrittenEntry[] = [];
    const own = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value).replaceAll("@demo", `@${projectId}`));
    const run = async (...steps: Step[]): Promise<void> => {
      for (const step of own(steps)) {
        if (step === "index") await by.indexLog(log);
        else {
          await logs.append(step.map((entry) => ({ ...entry, projectId, kind })));
          for (const entry of step) written.push({ ...entry, seq: written.length + 1 });
        }
      }
    };
    return { projectId, log, written, own, run };
  };
  return { storage, logs, reader: new SegmentStore(storage, MANY), indexer, newIndexer, newLog };
}

/** The seqs of a log's entries, by where a reader finds them: each is to be in exactly one place. */
export async function placesIn(reader: SegmentStore, log: LogName) {
  const all = { from: "", until: "~" };
  const { rows: noted } = await reader.late(log, all, "newest");
  const segments = await reader.segments(log, all, "oldest", 1000);
  const end = segments.at(-1)?.untilAt ?? "";
  const late = noted.filter(({ at, seq }) => {
    const segment = segments.find(({ untilAt }) => at < untilAt);
    return segment !== undefined && seq > segment.seq;
  });
  const indexed: number[] = [];
  for (const segment of segments) {
    const column = await reader.column(log, segment, SEQ_COLUMN, unhurried.pause);
    indexed.push(...(column.type === "number" ? column.values : expect.fail("The seqs are not numbers.")));
  }
  const tail = await reader.rows(log, { from: end, until: "~" }, "oldest", 100_000);
  return { late: late.map(({ seq }) => seq), segments: indexed, tail: tail.map(({ seq }) => seq) };
}

/** The seqs of all places, sorted. */
export const allOf = ({ late, segments, tail }: Awaited<ReturnType<typeof placesIn>>): number[] =>
  [...late, ...segments, ...tail].sort((a, b) => a - b);
