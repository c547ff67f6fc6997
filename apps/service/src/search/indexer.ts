import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import type { Logger } from "pino";
import { Health, logChange } from "../health.js";
import { allHeads, type LogName } from "../logs/log-store.js";
import { DEFAULT_SIZES, LogIndexer, type LogIndexerOptions, type SegmentSizes } from "./log-indexer.js";

/** Options of {@link Indexer}. */
export interface IndexerOptions extends Omit<LogIndexerOptions, "pause"> {
  readonly log: Logger;
  /** How long it waits before it checks all logs again. @default 2000 */
  everyMs?: number;
}

const EVERY_MS = 2000;
// With more logs than this, it checks them less often.
const LOGS_PER_LOOK = 10_000;
// Calls wait for one piece of work, and have as much time as the indexer.
const PIECE_MS = 3;
const LATE_MS = 60_000;
// A large backlog takes minutes, in which each search would read all late entries one by one.
const LATE_EVERY_MS = 10_000;
// Smaller backlogs are done before anyone could read about them.
const MUCH = 100_000;
const REPORT_EVERY_MS = 10_000;

/** Builds the segments of all logs in the background, in one of the processes that share a database. */
export class Indexer {
  readonly #options: IndexerOptions;
  readonly #sizes: SegmentSizes;
  readonly #indexer: LogIndexer;
  readonly #lease: Lease;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  #lateSince = new Map<string, number>();
  #pieceStart = performance.eventLoopUtilization();
  #logs = 0;
  #backlog = Number.NaN;

  constructor(options: IndexerOptions) {
    const { database, write, log, now, sizes = DEFAULT_SIZES } = options;
    this.#options = options;
    this.#sizes = sizes;
    this.#indexer = new LogIndexer({ database, write, now, sizes, pause: () => this.#pause() });
    this.#lease = new Lease("indexer", randomUUID(), options);
    const health = new Health(
      logChange(
        log,
        "log entries cannot be indexed; searches read them one by one, and it is tried again",
        "log entries are indexed again",
      ),
    );
    this.#running = this.#run(health);
  }

  /** About how many entries are not indexed; NaN until that is known. */
  get backlog(): number {
    return this.#backlog;
  }

  /** Stops at once. Work that is not written is done again later. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(health: Health): Promise<void> {
    const { signal } = this.#stopping;
    for (;;) {
      const wait = (this.#options.everyMs ?? EVERY_MS) * Math.max(1, this.#logs / LOGS_PER_LOOK);
      await sleep(wait, undefined, { signal, ref: false }).catch(() => {});
      if (signal.aborted) return;
      await health.try(() =>
        this.#indexAll().catch((error: unknown) => {
          if (!signal.aborted) throw error;
        }),
      );
    }
  }

  async #indexAll(): Promise<void> {
    this.#pieceStart = performance.eventLoopUtilization();
    const backlogs = await this.#backlogs();
    const late = await this.#lateLogs();
    const failures: unknown[] = [];
    // One log that cannot be indexed must not keep the others from it.
    const attempt = async (work: Promise<unknown>): Promise<void> => {
      await work.catch((error: unknown) => {
        this.#stopping.signal.throwIfAborted();
        failures.push(error);
      });
    };
    const rebuildAll = async (logs: readonly LogName[]): Promise<void> => {
      for (const log of logs) {
        await attempt(this.#indexer.rebuildLate(log).then(() => this.#lateSince.delete(log.join())));
      }
    };
    if ((backlogs.length > 0 || late.length > 0) && (await this.#lease.hold())) {
      const report = this.#reporter(backlogs.reduce((sum, { entries }) => sum + entries, 0));
      await rebuildAll(late);
      let rebuiltAt = performance.now();
      const onSegment = async (entries: number): Promise<void> => {
        this.#backlog = Math.max(0, this.#backlog - entries);
        report(entries);
        await this.#lease.hold();
        if (performance.now() - rebuiltAt < LATE_EVERY_MS) return;
        await rebuildAll(await this.#lateLogs());
        rebuiltAt = performance.now();
      };
      for (const { log } of backlogs) await attempt(this.#indexer.sealTail(log, onSegment));
      report("end");
    }
    await this.#indexer.deleteReplaced();
    if (failures.length > 0) throw failures[0];
  }

  /** The logs with enough entries for a segment, the longest first. */
  async #backlogs(): Promise<{ log: LogName; entries: number }[]> {
    const found: { log: LogName; entries: number }[] = [];
    let [logs, all] = [0, 0];
    for await (const heads of allHeads(this.#options.database.query)) {
      for (const { project_id, kind, seq, indexed } of heads) {
        const entries = Math.max(0, seq - indexed);
        all += entries;
        if (entries >= this.#sizes.smallest) found.push({ log: [project_id, kind], entries });
      }
      logs += heads.length;
      await this.#pause();
    }
    [this.#logs, this.#backlog] = [logs, all];
    return found.sort((a, b) => b.entries - a.entries);
  }

  /** The logs whose late entries are many, or have waited for long. */
  async #lateLogs(): Promise<LogName[]> {
    const { database, now } = this.#options;
    const rows = await database.query
      .selectFrom("log_late")
      .select(({ fn }) => ["project_id", "kind", fn.countAll<number>().as("entries")])
      .groupBy(["project_id", "kind"])
      .execute();
    const time = now();
    const seen = this.#lateSince;
    this.#lateSince = new Map(
      rows.map(({ project_id, kind }) => [`${project_id},${kind}`, seen.get(`${project_id},${kind}`) ?? time]),
    );
    return rows
      .map(({ project_id, kind, entries }) => ({ log: [project_id, kind] as const, entries }))
      .filter(({ log, entries }) => {
        const since = this.#lateSince.get(log.join()) ?? time;
        return entries >= this.#sizes.late || time - since >= LATE_MS;
      })
      .map(({ log }) => log);
  }

  /** Returns a function that logs how much of a large backlog is done. */
  #reporter(total: number): (entries: number | "end") => void {
    const { log } = this.#options;
    if (total < MUCH) return () => {};
    const start = performance.now();
    let [done, reportedAt] = [0, start];
    const shown = (entries: number): string => entries.toLocaleString("en-US");
    log.info(`${shown(total)} log entries are to be indexed; until then, searches read them one by one`);
    return (entries) => {
      const time = performance.now();
      if (entries === "end") {
        log.info(`${shown(done)} log entries were indexed in ${Math.round((time - start) / 1000)} s`);
        return;
      }
      done += entries;
      if (time - reportedAt < REPORT_EVERY_MS) return;
      reportedAt = time;
      const percent = Math.min(99, Math.floor((100 * done) / total));
      log.info(`${shown(done)} of ${shown(total)} log entries are indexed (${percent}%)`);
    };
  }

  /** Lets calls run if a piece of work has taken its time. Ends the work after a stop. */
  async #pause(): Promise<void> {
    this.#stopping.signal.throwIfAborted();
    // Without the time in which the thread waited for the database.
    const { active } = performance.eventLoopUtilization(this.#pieceStart);
    if (active < PIECE_MS) return;
    await sleep(active, undefined, { ref: false });
    this.#stopping.signal.throwIfAborted();
    this.#pieceStart = performance.eventLoopUtilization();
  }
}

const LEASE_MS = 15_000;

/** The right of one process to work in the background. It isn't a lock: if clocks differ, two processes may have it. */
export class Lease {
  readonly #name: string;
  readonly #owner: string;
  readonly #options: Pick<IndexerOptions, "database" | "write" | "now">;
  #renewAt = 0;

  /** @param name Names the work in the database, as `owner` names this process. */
  constructor(name: string, owner: string, options: Pick<IndexerOptions, "database" | "write" | "now">) {
    this.#name = name;
    this.#owner = owner;
    this.#options = options;
  }

  /** Takes or renews the lease. Returns whether this process has it. */
  async hold(): Promise<boolean> {
    const { database, write, now } = this.#options;
    const time = now();
    // After the clock was set, it may be far ahead.
    if (time < this.#renewAt && time > this.#renewAt - LEASE_MS) return true;
    this.#renewAt = 0;
    const name = this.#name;
    const row = await database.query.selectFrom("setting").select("value").where("name", "=", name).executeTakeFirst();
    const [until, owner] = row?.value.split(" ") ?? [];
    const isLive = time < Number(until) && time > Number(until) - 2 * LEASE_MS;
    if (isLive && owner !== this.#owner) return false;
    const value = `${time + LEASE_MS} ${this.#owner}`;
    // Only if no other process has taken it in the meantime.
    const take = row
      ? sql`update setting set value = ${value} where name = ${name} and value = ${row.value} returning name`
      : sql`insert into setting (name, value) values (${name}, ${value}) on conflict do nothing returning name`;
    const { sql: text, parameters } = take.compile(database.query);
    const [rows = []] = await write([{ sql: text, parameters }]);
    if (rows.length === 1) this.#renewAt = time + LEASE_MS / 2;
    return rows.length === 1;
  }
}
