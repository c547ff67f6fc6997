import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Statement } from "@media-ops/database";
import { sql } from "kysely";
import type { Logger } from "pino";
import { z } from "zod";
import { Health, logChange } from "../health.js";
import { headsAfter, type LogName } from "../logs/log-store.js";
import type { Storage } from "../storage/open-storage.js";
import { DEFAULT_SIZES, LogIndexer, type SegmentSizes } from "./log-indexer.js";
import type { Readable } from "./segment-store.js";

/** Options of {@link Indexer}. */
export interface IndexerOptions {
  readonly database: Readable;
  /** Writes to the database, all or nothing; returns the rows of the statements that return rows. */
  write(statements: readonly Statement[]): Promise<unknown[][]>;
  readonly log: Logger;
  now(): number;
  /** How long it waits before it checks all logs again. @default 2000 */
  everyMs?: number;
  /** @default DEFAULT_SIZES */
  sizes?: SegmentSizes;
}

const EVERY_MS = 2000;
// With more logs than this, it checks them less often.
const LOGS_PER_LOOK = 10_000;
const HEADS = 500;
// Calls wait for one piece of work, and have as much time as the indexer.
const PIECE_MS = 3;
const LATE_MS = 60_000;
// A large backlog takes minutes, in which each search would read all late entries one by one.
const LATE_EVERY_MS = 10_000;
// Smaller backlogs are done before anyone could read about them.
const MUCH = 100_000;
const REPORT_EVERY_MS = 10_000;

/** A log with entries that have no segment. */
interface Backlog {
  readonly log: LogName;
  readonly entries: number;
}

/** Builds the segments of all logs in the background, in one of the processes that share a database. */
export class Indexer {
  readonly #options: IndexerOptions;
  readonly #sizes: SegmentSizes;
  readonly #indexer: LogIndexer;
  readonly #lease: Lease;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  /** When late entries of a log were first seen. */
  readonly #lateSince = new Map<string, number>();
  #pieceStart = performance.eventLoopUtilization();
  #logs = 0;
  #backlog = Number.NaN;

  constructor(options: IndexerOptions) {
    const { database, write, log, now, sizes = DEFAULT_SIZES } = options;
    this.#options = options;
    this.#sizes = sizes;
    this.#indexer = new LogIndexer({ database, write, now, sizes, pause: () => this.#pause() });
    this.#lease = new Lease({ name: "indexer", owner: randomUUID(), query: database.query, write, now });
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
      // The timer does not keep the process running.
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
    if ((backlogs.length > 0 || late.length > 0) && (await this.#lease.hold())) {
      const progress = this.#reportProgress(backlogs.reduce((sum, { entries }) => sum + entries, 0));
      const rebuildAll = async (logs: readonly LogName[]): Promise<void> => {
        for (const log of logs) await attempt(this.#rebuildLate(log));
      };
      await rebuildAll(late);
      let rebuiltAt = performance.now();
      const onSegment = async (entries: number): Promise<void> => {
        this.#backlog = Math.max(0, this.#backlog - entries);
        progress.add(entries);
        await this.#lease.hold();
        if (performance.now() - rebuiltAt < LATE_EVERY_MS) return;
        await rebuildAll(await this.#lateLogs());
        rebuiltAt = performance.now();
      };
      for (const { log } of backlogs) await attempt(this.#indexer.sealTail(log, onSegment));
      progress.end();
    }
    await this.#indexer.deleteReplaced();
    if (failures.length > 0) throw failures[0];
  }

  async #rebuildLate(log: LogName): Promise<void> {
    await this.#indexer.rebuildLate(log);
    this.#lateSince.delete(log.join());
  }

  /** The logs with enough entries for a segment, the longest first. */
  async #backlogs(): Promise<Backlog[]> {
    const found: Backlog[] = [];
    let [logs, all] = [0, 0];
    for (let last: LogName | undefined = ["", 0]; last; ) {
      const heads = await headsAfter(this.#options.database.query, last, HEADS);
      for (const { project_id, kind, seq, indexed } of heads) {
        const entries = Math.max(0, seq - indexed);
        all += entries;
        if (entries >= this.#sizes.smallest) found.push({ log: [project_id, kind], entries });
      }
      logs += heads.length;
      const end = heads.at(-1);
      last = end && heads.length === HEADS ? [end.project_id, end.kind] : undefined;
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
    const logs = rows.map(({ project_id, kind, entries }) => ({ log: [project_id, kind] as const, entries }));
    const names = new Set(logs.map(({ log }) => log.join()));
    for (const name of this.#lateSince.keys()) if (!names.has(name)) this.#lateSince.delete(name);
    const time = now();
    for (const name of names) if (!this.#lateSince.has(name)) this.#lateSince.set(name, time);
    const isDue = (name: string): boolean => time - (this.#lateSince.get(name) ?? time) >= LATE_MS;
    return logs.filter(({ log, entries }) => entries >= this.#sizes.late || isDue(log.join())).map(({ log }) => log);
  }

  /** Logs how much of a large backlog is done. */
  #reportProgress(total: number): { add(entries: number): void; end(): void } {
    const { log } = this.#options;
    const start = performance.now();
    let [done, reportedAt] = [0, start];
    const shown = (entries: number): string => entries.toLocaleString("en-US");
    if (total >= MUCH)
      log.info(`${shown(total)} log entries are to be indexed; until then, searches read them one by one`);
    return {
      add(entries) {
        done += entries;
        if (total < MUCH || performance.now() - reportedAt < REPORT_EVERY_MS) return;
        reportedAt = performance.now();
        const percent = Math.min(99, Math.floor((100 * done) / total));
        log.info(`${shown(done)} of ${shown(total)} log entries are indexed (${percent}%)`);
      },
      end() {
        if (total < MUCH) return;
        const seconds = Math.round((performance.now() - start) / 1000);
        log.info(`${shown(done)} log entries were indexed in ${seconds} s`);
      },
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

interface LeaseOptions {
  /** Names the work in the database. */
  readonly name: string;
  /** Names this process. */
  readonly owner: string;
  readonly query: Storage["query"];
  write(statements: readonly Statement[]): Promise<unknown[][]>;
  now(): number;
}

const LEASE_MS = 15_000;

const held = z.object({ owner: z.string(), until: z.number() });

/**
 * The right of one process to do something in the background. It saves work, but isn't a lock: the clocks of machines may
 * differ, so that two processes have it at once.
 */
export class Lease {
  readonly #options: LeaseOptions;
  /** When it has to be renewed, in ms since 1970. */
  #renewAt = 0;

  constructor(options: LeaseOptions) {
    this.#options = options;
  }

  /** Takes or renews the lease. Returns whether this process has it. */
  async hold(): Promise<boolean> {
    const { name, owner, query, now } = this.#options;
    const time = now();
    // After the clock was set, it may be far ahead.
    if (time < this.#renewAt && time > this.#renewAt - LEASE_MS) return true;
    this.#renewAt = 0;
    const row = await query.selectFrom("setting").select("value").where("name", "=", name).executeTakeFirst();
    const other = row && parse(row.value);
    if (other && other.owner !== owner && time < other.until && time > other.until - 2 * LEASE_MS) return false;
    const value = JSON.stringify({ owner, until: time + LEASE_MS });
    // Only if no other process has taken it in the meantime.
    const take = row
      ? sql`update setting set value = ${value} where name = ${name} and value = ${row.value} returning name`
      : sql`insert into setting (name, value) values (${name}, ${value}) on conflict do nothing returning name`;
    const { sql: text, parameters } = take.compile(query);
    const [rows = []] = await this.#options.write([{ sql: text, parameters }]);
    if (rows.length === 1) this.#renewAt = time + LEASE_MS / 2;
    return rows.length === 1;
  }
}

function parse(value: string): z.infer<typeof held> | undefined {
  try {
    return held.safeParse(JSON.parse(value)).data;
  } catch {
    return undefined;
  }
}
