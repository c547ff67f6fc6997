import assert from "node:assert/strict";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { DAY_MS, kinds, listings, makeEntries, makeEntry, measured, tokenPath } from "../harness/entries.js";
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
const row = "growth";

const situations = [
  { name: "log unchanged", written: "nothing" },
  { name: "log changed", written: "new" },
  // A late entry that no listing shows invalidates the cache, so that everything is read from the database.
  { name: "log read again", written: "late" },
] as const;

/**
 * Measures on SQLite whether listings take longer, and the service more memory and disk, as more entries are stored.
 */
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

/** Starts a service on a database with the given number of entries. */
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

/** Returns the milliseconds of one listing, which must match the stored entries exactly. */
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

/** Returns the megabytes used after every log was listed repeatedly, plain and gzipped, and tokens were created. */
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
