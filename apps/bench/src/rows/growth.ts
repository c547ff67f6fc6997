import assert from "node:assert/strict";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { kinds, listings, makeEntries, makeEntry, measured, tokenPath } from "../harness/entries.js";
import { post } from "../harness/http.js";
import { LogFile } from "../harness/log-file.js";
import { memoryOf } from "../harness/proc.js";
import { mediaOps, startService } from "../harness/programs.js";
import { compare, oursAtMost, type Result, type Row, type RowOptions, ratioAtMost, single } from "../harness/report.js";
import { type Sandbox, show, withSandbox } from "../harness/sandbox.js";
import { takeTurns } from "../harness/turns.js";

const path = listings[measured.kind];
const FEW = 10_000;
const LISTED = 1000;
const DAY_MS = 24 * 60 * 60 * 1000;
const row = "growth";

const situations = [
  { name: "log unchanged", written: "nothing" },
  { name: "log changed", written: "new" },
  // An entry so late that no listing shows it: what is kept in memory does not help, all is read from the database.
  { name: "log read again", written: "late" },
] as const;

/** Whether a listing takes longer, and the service more memory and disk, if more entries are stored. On SQLite. */
export const growth: Row = (options) =>
  withSandbox(async (sandbox) => {
    const most = Number(process.env.BENCH_ENTRIES ?? (options.isQuick ? 20_000 : 1_000_000));
    const results: Result[] = [];
    const stores = [await fill(sandbox, options, most), await fill(sandbox, options, FEW)];
    for (const { name, written } of situations) {
      const contestants = stores.map((store) => ({
        name: `${store.entries} entries stored`,
        turn: () => listingTime(store, written),
      }));
      const times = await takeTurns(contestants, options.isQuick ? 1 : 200, options.isQuick ? 0 : 30);
      const goals = { [`${FEW} entries stored`]: ratioAtMost(1.2) };
      results.push(...compare({ row, measure: `${most} entries stored: listing, ${name}, ms`, goals }, times));
    }
    const [large, small] = stores;
    assert(large && small);
    const [ours, theirs] = [await memoryAfterUse(large, options), await memoryAfterUse(small, options)];
    const labels = {
      row,
      measure: `${most} entries stored: memory of the service (RSS), MB`,
      goal: oursAtMost(200, "MB"),
    };
    results.push(...single(labels, ours, `${FEW} entries stored`, theirs));
    const disk = { row, measure: "disk of an entry with its index, bytes", goal: ratioAtMost(1.6) };
    results.push(...single(disk, large.diskBytes / most, "its JSON", large.jsonBytes / most));
    for (const { log } of stores) log.close();
    return results;
  });

type Store = Awaited<ReturnType<typeof fill>>;

/** A service on a database with so many entries. */
async function fill(sandbox: Sandbox, { builds }: RowOptions, entries: number) {
  const [build] = builds;
  const file = join(sandbox.folder, `${entries}.db`);
  const { api_key: key } = await mediaOps(build, `sqlite:${file}`, "projects", "create", measured.projectId);
  const log = new LogFile(file);
  const until = Date.now();
  const newest: string[] = [];
  let jsonBytes = 0;
  function* counted() {
    for (const entry of makeEntries(entries, until - 29.9 * DAY_MS, until)) {
      jsonBytes += Buffer.byteLength(entry.text);
      if (entry.projectId === measured.projectId && entry.kind === measured.kind) newest.unshift(entry.text);
      if (newest.length > LISTED) newest.pop();
      yield entry;
    }
  }
  log.append(counted());
  const diskBytes = (await stat(file)).size;
  show(`growth: ${entries} entries stored`);
  const service = await startService(sandbox, build, `sqlite:${file}`);
  return { entries, jsonBytes, diskBytes, log, newest, ...service, key };
}

/** Milliseconds of one listing, which must be exactly what is stored. */
async function listingTime(store: Store, written: "nothing" | "new" | "late"): Promise<number> {
  const { log, newest } = store;
  if (written !== "nothing") {
    const entry = makeEntry(measured.projectId, measured.kind, Date.now() - (written === "late" ? 29.5 * DAY_MS : 0));
    log.append([entry]);
    if (written === "new") {
      newest.unshift(entry.text);
      newest.pop();
    }
  }
  const started = performance.now();
  const { body } = await post(store, path);
  const ms = performance.now() - started;
  assert.equal(body.toString(), `[${newest.join(",")}]`);
  return ms;
}

/** Megabytes after every log was listed again and again, plain and gzipped, and tokens were made. */
async function memoryAfterUse(store: Store, { isQuick }: RowOptions): Promise<number> {
  for (let round = 0; round < (isQuick ? 1 : 100); round++) {
    for (const kind of kinds) {
      await post(store, listings[kind]);
      gunzipSync((await post(store, listings[kind], "{}", { "accept-encoding": "gzip" })).body);
    }
    await post(store, tokenPath);
  }
  return memoryOf(store.pid);
}
