import type { ClockGuard } from "@media-ops/database";
import type { Logger } from "pino";
import { sweepAudit } from "./audit/audit.js";
import type { Intake } from "./intake/intake.js";
import { expiredBefore } from "./logs/log-store.js";
import { dropSegments } from "./search/log-indexer.js";
import { compactDays } from "./storage/compact-days.js";
import type { Storage } from "./storage/open-storage.js";
import type { Stores } from "./stores.js";
import { sweepTokens } from "./tokens/issued-tokens.js";
import { type Revocations, sweepRevocations } from "./tokens/revocations.js";

/** Periodic background work. */
export interface Chore {
  readonly name: string;
  readonly everyMs: number;
  /** Works in small steps, and ends early when the signal is aborted. */
  run(signal: AbortSignal): Promise<void>;
}

/** Runs each chore at once and then regularly, one after another. Returns a function that stops them. */
export function startChores(chores: readonly Chore[], log: Logger): () => Promise<void> {
  const stop = new AbortController();
  let running = Promise.resolve();
  const timers = chores.map(({ name, everyMs, run }) => {
    const runNext = (): void => {
      running = running
        .then(() => run(stop.signal))
        .catch((error) => log.error({ err: error }, `${name} failed; trying again`));
    };
    runNext();
    return setInterval(runNext, everyMs).unref();
  });
  return async () => {
    for (const timer of timers) clearInterval(timer);
    stop.abort();
    await running;
  };
}

const MINUTE_MS = 60 * 1000;
const DAY_MS = 24 * 60 * MINUTE_MS;
// How late the entries are that the refused clients of a period share.
const REFUSED_MS = 500;

/** Starts the background work: above all, deleting what has expired. Returns a function that stops it. */
export function startBackgroundWork(parts: {
  readonly storage: Storage;
  readonly stores: Pick<Stores, "logs" | "seats" | "queue">;
  readonly revocations: Revocations;
  readonly intake: Intake;
  readonly clock: ClockGuard;
  readonly log: Logger;
}): () => Promise<void> {
  const { storage, stores, revocations, intake, clock, log } = parts;
  const { logs, seats, queue } = stores;
  const { query } = storage;
  const deleting = (
    what: string,
    everyMinutes: number,
    run: (time: number, signal: AbortSignal) => Promise<void>,
  ): Chore => ({
    name: `deleting ${what}`,
    everyMs: everyMinutes * MINUTE_MS,
    run: async (signal) => run(await clock.check(), signal),
  });
  const expiring: Chore[] = [
    deleting("expired log entries", 60, async (time, signal) => {
      const deleted = await logs.runRetention(time, signal);
      if (deleted !== undefined) log.info(deleted);
      await dropSegments(storage, expiredBefore(time), signal);
    }),
    deleting("expired seats", 30, (time, signal) => seats.sweep(time, signal)),
    {
      name: "rescheduling deliveries that a wrong clock has put off",
      everyMs: 10 * MINUTE_MS,
      run: (signal) => queue.bringForward(signal),
    },
    deleting("records of tokens that have ended", 60, async (time, signal) => {
      await sweepTokens(query, time, signal);
      await sweepRevocations(query, time - DAY_MS, signal);
      revocations.forget(time - DAY_MS);
      await sweepAudit(query, time);
    }),
    deleting("old deliveries", 10, (time, signal) => queue.sweep(time, signal)),
  ];
  const writing: Chore = {
    name: "writing what refused clients share",
    everyMs: REFUSED_MS,
    run: () => intake.writeRefused(),
  };
  const compacting: Chore = {
    name: "compacting past days of log entries",
    everyMs: 60 * MINUTE_MS,
    async run(signal) {
      const compacted = await compactDays(storage, await clock.check(), signal);
      if (compacted !== undefined) log.info(compacted);
    },
  };
  // Apart from each other: deleting may take long, and compacting a large day takes hours.
  const groups = [expiring, [writing], storage.kind === "postgres" ? [compacting] : []];
  const stops = groups.map((chores) => startChores(chores, log));
  return async () => void (await Promise.all(stops.map((stop) => stop())));
}
