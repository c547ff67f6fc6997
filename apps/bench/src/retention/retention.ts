import assert from "node:assert/strict";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { compare, longerByAtMost, type Result } from "../report.js";
import { Connections } from "../service/connection.js";
import { makeEntries, measured } from "../service/entries.js";
import { fill, show } from "../service/feeder.js";
import { type Sandbox, withSandbox } from "../service/sandbox.js";
import { createProject, startServiceProcess } from "../service/service-process.js";
import { Expired } from "./expired.js";
import { type CallName, callNames, type Longest, longestWaits, warmUp } from "./waits.js";

const DAY_MS = 24 * 60 * 60 * 1000;
// So many that the deletion goes on for some seconds.
const EXPIRED = 450_000;
const KEPT = 50_000;
const RUNS = 5;
const GOAL = longerByAtMost(20, "ms");

interface Files {
  /** Most entries have expired. */
  expired: string;
  /** The same, after the service has deleted them. */
  clean: string;
  /** Between the two kinds of entries. */
  before: Date;
  apiKey: string;
}

/** How long calls wait while the service deletes what has expired, beside the same calls with nothing to delete. */
export async function benchRetention(): Promise<Result[]> {
  return withSandbox(async (sandbox) => {
    const files = await makeFiles(sandbox);
    const during: Longest[] = [];
    const without: Longest[] = [];
    for (let run = 1; run <= RUNS; run++) {
      const { longest, ms } = await measureDeletion(sandbox, files);
      during.push(longest);
      without.push(await measureWithout(sandbox, files, ms));
      show(`run ${run} of ${RUNS}: ${ms.toFixed(0)} ms of the deletion were measured`);
    }
    return callNames.map((name) => toResult(name, during, without));
  });
}

async function makeFiles(sandbox: Sandbox): Promise<Files> {
  const [expired, clean] = [join(sandbox.folder, "expired.db"), join(sandbox.folder, "clean.db")];
  const now = Date.now();
  await fill(`sqlite:${expired}`, EXPIRED + KEPT, entries(now));
  const apiKey = await createProject(`sqlite:${expired}`, measured.projectId);
  const before = new Date(now - 30.5 * DAY_MS);
  await copyFile(expired, clean);
  const service = await startServiceProcess(sandbox, `sqlite:${clean}`);
  const watched = await Expired.open(clean, before);
  while (!(await watched.isGone())) await setTimeout(20);
  assert.equal(await watched.count(), 0, "the service deletes all that has expired");
  await watched.close();
  await service.stop();
  return { expired, clean, before, apiKey };
}

function* entries(now: number) {
  yield* makeEntries({ count: EXPIRED, from: now - 60 * DAY_MS, until: now - 31.1 * DAY_MS });
  yield* makeEntries({ count: KEPT, from: now - 29.9 * DAY_MS, until: now });
}

/** The deletion begins with the service; it is measured from when the service is warm until all is gone. */
async function measureDeletion(
  sandbox: Sandbox,
  { expired, before, apiKey }: Files,
): Promise<{ longest: Longest; ms: number }> {
  const file = await freshCopy(sandbox, expired);
  const watched = await Expired.open(file, before);
  const firstAt = await watched.firstAt();
  const service = await startServiceProcess(sandbox, `sqlite:${file}`);
  const connection = new Connections(service.url);
  await warmUp(connection, apiKey);
  assert((await watched.firstAt()) > firstAt, "the deletion has begun");
  assert(!(await watched.isGone()), "the deletion still goes on: otherwise make EXPIRED larger");
  const started = performance.now();
  const longest = await longestWaits(connection, apiKey, () => watched.isGone());
  const ms = performance.now() - started;
  assert.equal(await watched.count(), 0, "the service has deleted all that had expired");
  await watched.close();
  connection.close();
  await service.stop();
  return { longest, ms };
}

/** The same with nothing to delete, for as long. */
async function measureWithout(sandbox: Sandbox, { clean, apiKey }: Files, ms: number): Promise<Longest> {
  const service = await startServiceProcess(sandbox, `sqlite:${await freshCopy(sandbox, clean)}`);
  const connection = new Connections(service.url);
  await warmUp(connection, apiKey);
  const end = performance.now() + ms;
  const longest = await longestWaits(connection, apiKey, async () => performance.now() >= end);
  connection.close();
  await service.stop();
  return longest;
}

async function freshCopy({ folder }: Sandbox, file: string): Promise<string> {
  const copy = join(folder, "run.db");
  await copyFile(file, copy);
  return copy;
}

function toResult(call: CallName, during: readonly Longest[], without: readonly Longest[]): Result {
  const of = (runs: readonly Longest[]): number[] => runs.map((longest) => longest[call]);
  const [ours, theirs] = [of(during), of(without)];
  const telling = {
    name: "retention",
    measure: `${call}: longest wait, ms`,
    against: "nothing to delete",
    goal: GOAL,
    note: `${EXPIRED} of ${EXPIRED + KEPT} entries deleted; the worst ${Math.max(...ours).toFixed(1)} against ${Math.max(...theirs).toFixed(1)}`,
  };
  return compare(telling, ours, theirs);
}
