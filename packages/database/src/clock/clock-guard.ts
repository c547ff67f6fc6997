import type { QueryExecutorProvider } from "kysely";
import {
  type ClockRecord,
  type ClockTable,
  type ClockWitnesses,
  DAY_MS,
  judgeClock,
  parseClock,
  readClockText,
  replaceClock,
} from "./clock-record.js";

/** Options of {@link ClockGuard}. */
interface ClockGuardOptions extends PauseWords {
  readonly query: QueryExecutorProvider;
  /** Where the record is stored. */
  readonly table: ClockTable;
  now(): number;
  /**
   * The time of the newest data, in ms since 1970, to compare the clock with if there is no record yet; undefined if
   * there is no data.
   */
  newest(): Promise<number | undefined>;
  /** Receives a pause as an error, repeated every hour, and its end as an info. */
  readonly log: { error(message: string): void; info(message: string): void };
  /**
   * Whether other machines' timestamps are noted. Without them, a clock that has jumped is trusted after it has run
   * steadily for a day.
   * @default true
   */
  readonly hasWitnesses?: boolean;
  /**
   * A monotonic clock that cannot be set, in ms.
   * @default performance.now
   */
  elapsed?(): number;
}

const HOUR_MS = 60 * 60 * 1000;
// More timestamps within the same second add no information.
const NOTED_EVERY_MS = 1000;
const KEPT_NOTES = 100;
// Each failed attempt means that another process has stored its own record.
const ATTEMPTS = 50;

/**
 * Decides up to which time data may be deleted, so that a wrong clock deletes nothing. All processes on one database
 * share a record of the last trusted time.
 */
export class ClockGuard {
  readonly #options: ClockGuardOptions;
  readonly #elapsed: () => number;
  /** How far other machines' clocks are ahead of `elapsed`, to compare them with the clock at the time of the check. */
  #offsets: number[] = [];
  #notedAt = Number.NEGATIVE_INFINITY;
  #pause: string | undefined;
  #reportedAt = Number.NEGATIVE_INFINITY;

  constructor(options: ClockGuardOptions) {
    this.#options = options;
    this.#elapsed = options.elapsed ?? (() => performance.now());
  }

  /** Why deletion is paused, and the next step, as of the last check; undefined if it is not paused. */
  get pause(): string | undefined {
    return this.#pause;
  }

  /** Notes a timestamp that was just received from another machine. */
  note(timestamp: string): void {
    const elapsed = this.#elapsed();
    if (elapsed - this.#notedAt < NOTED_EVERY_MS) return;
    const time = Date.parse(timestamp);
    if (Number.isNaN(time)) return;
    this.#notedAt = elapsed;
    this.#offsets.push(time - elapsed);
    if (this.#offsets.length > KEPT_NOTES) this.#offsets.shift();
  }

  /**
   * Checks the clock against the record and the noted timestamps.
   *
   * @returns the time up to which data may be deleted, in ms since 1970: a day ago, as an error of up to a day goes
   * unnoticed. Undefined if nothing may be deleted.
   */
  async check(): Promise<number | undefined> {
    const { query, table, newest, log, program } = this.#options;
    const now = this.#options.now();
    const offsets = [...this.#offsets];
    const witnesses = this.#witnesses(now, offsets);
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const before = await readClockText(query, table);
      const stored = parseClock(before) ?? { at: (await newest()) ?? now };
      const { record, wentBack } = judgeClock(stored, now, witnesses);
      if (!(await replaceClock(query, table, { before, after: record }))) continue;
      // Not before: a check that fails, or that another one overtakes, must not take timestamps with it.
      this.#offsets = this.#offsets.filter((offset) => !offsets.includes(offset));
      if (wentBack) {
        log.error(
          `The clock shows ${shownTime(now)}, but the ${program} last ran at ${shownTime(stored.at)}. If the clock is wrong, set it, and let NTP keep it. Until then data is deleted by the earlier time: nothing is lost.`,
        );
      }
      this.#report(record);
      return record.paused ? undefined : now - DAY_MS;
    }
    throw new Error(`The record of the clock was changed by others ${ATTEMPTS} times while it was checked.`);
  }

  #witnesses(now: number, offsets: readonly number[]): ClockWitnesses {
    if (this.#options.hasWitnesses === false) return { agreeing: 1, disagreeing: 0 };
    const elapsed = this.#elapsed();
    const errors = offsets.map((offset) => Math.abs(now - elapsed - offset));
    return {
      agreeing: errors.filter((error) => error <= HOUR_MS).length,
      disagreeing: errors.filter((error) => error > DAY_MS).length,
    };
  }

  #report(record: ClockRecord): void {
    const { log } = this.#options;
    const pause = describePause(record, this.#options);
    if (pause === undefined) {
      if (this.#pause !== undefined) log.info("The clock is trusted again: what has expired is deleted again.");
      this.#reportedAt = Number.NEGATIVE_INFINITY;
    } else if (this.#elapsed() - this.#reportedAt >= HOUR_MS) {
      log.error(pause);
      this.#reportedAt = this.#elapsed();
    }
    this.#pause = pause;
  }
}

/** How a program describes a pause. */
export interface PauseWords {
  /** @example "service" */
  readonly program: string;
  /** The end of the sentence "Deleting goes on by itself …". */
  readonly goesOn: string;
  /** The action of an operator if the clock is right, as a sentence; undefined if there is none. */
  readonly confirm?: string;
}

/** Describes why deletion is paused, and the next step; undefined if it is not paused. */
export function describePause({ at, paused }: ClockRecord, words: PauseWords): string | undefined {
  if (paused === undefined) return undefined;
  const shown = `Nothing is deleted, as the clock may be wrong: it shows ${shownTime(paused.clock)}`;
  const confirm = words.confirm === undefined ? "" : ` ${words.confirm}`;
  switch (paused.kind) {
    case "impossible":
      return `${shown}, which is before this version was written. Set it, and let NTP keep it.`;
    case "contradicted":
      return `${shown}, but the media server's timestamps are more than a day off. Set the clock that is wrong.${confirm}`;
    case "jumped": {
      const days = Math.floor((paused.clock - at) / DAY_MS);
      const since =
        paused.agreesSince === undefined ? "" : ` Its timestamps agree since ${shownTime(paused.agreesSince)}.`;
      return `${shown}, but the ${words.program} last ran ${days} ${days === 1 ? "day" : "days"} earlier, at ${shownTime(at)}. If the clock is wrong, set it, and let NTP keep it.${confirm} Deleting goes on by itself ${words.goesOn}.${since}`;
    }
  }
}

/** A time as text, even if it is outside the range of Date. */
export function shownTime(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? `${ms} ms after 1970` : date.toISOString();
}
