import { sql } from "kysely";
import { AHEAD_MS, DAY_MS, DayPartitions, startOfDay } from "../storage/day-partitions.js";
import type { Storage } from "../storage/open-storage.js";
import { projectWriterOf } from "../storage/postgres-writer.js";
import { byProject, LogStore, type ProjectBatch } from "./log-store.js";

/** The log entries' partitions. */
export const entryDays = (query: Storage["query"]): DayPartitions =>
  new DayPartitions(query, {
    name: "log_entry",
    column: "at",
    boundOf: (dayMs) => new Date(dayMs).toISOString().slice(0, 10),
    dayOf: (bound) => Date.parse(bound),
  });

const FORGET_LIMIT = 1000;

/** The logs in PostgreSQL: one partition for each day. */
export class PostgresLogStore extends LogStore {
  readonly #days = entryDays(this.storage.query);
  readonly #writer = projectWriterOf(this.storage);

  async write(batches: readonly ProjectBatch[]): Promise<void> {
    const steps = ({ projectId, entries, batch }: ProjectBatch) => ({
      projectId,
      steps: [this.#writer.append(projectId, entries, batch ?? "all")],
    });
    await this.#writer.write(byProject(batches, ({ projectId }) => projectId).flatMap(([, own]) => own.map(steps)));
  }

  override async prepare(): Promise<void> {
    const today = startOfDay(this.now());
    await this.#days.make(today - DAY_MS, today + AHEAD_MS);
  }

  override async runRetention(time: number, signal: AbortSignal): Promise<string | undefined> {
    const dropped = await super.runRetention(time, signal);
    await this.#forgetBatches(time, signal);
    return dropped;
  }

  protected async dropBefore(day: number, signal: AbortSignal): Promise<string | undefined> {
    const dropped = await this.#days.dropBefore(day);
    await this.#days.deleteEarly(day, signal);
    return dropped === 0 ? undefined : `${dropped} partitions of log entries older than 30 days were dropped`;
  }

  /** Deletes the batch names of writers that have not written in the day before a time, in ms since 1970. */
  async #forgetBatches(time: number, signal: AbortSignal): Promise<void> {
    const { query } = this.storage;
    // A writer repeats a batch within seconds of PostgreSQL's return. Rows have the database's time, since the clocks of
    // several machines differ; it may be wrong too, so the earlier of both counts.
    const isForgotten = sql`at < least(now(), to_timestamp(${time}::bigint / 1000.0)) - interval '1 day'`;
    const projects = sql<{ project_id: string }>`select distinct project_id from last_batch where ${isForgotten}`;
    for (const { project_id: id } of (await projects.execute(query)).rows) {
      let forgotten = BigInt(FORGET_LIMIT);
      while (!signal.aborted && forgotten === BigInt(FORGET_LIMIT)) {
        const forget = sql`delete from last_batch where project_id = ${id} and writer in (
          select writer from last_batch where project_id = ${id} and ${isForgotten} limit ${FORGET_LIMIT})`;
        forgotten = (await forget.execute(query)).numAffectedRows ?? 0n;
      }
    }
  }
}
