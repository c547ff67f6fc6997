import { type ClockRecord, DAY_MS, type PausedClock } from "./clock-record.js";

/** How the timestamps that came from another machine since the last check compare with the clock. */
export interface Witnesses {
  /** How many are within an hour of it. */
  readonly agreeing: number;
  /** How many are more than a day off. */
  readonly disagreeing: number;
}

/** What a check of the clock found. */
export interface ClockJudgement {
  /** To be stored. It names a pause if nothing may be deleted by this clock. */
  readonly record: ClockRecord;
  /** Whether the clock is more than a day behind the stored time. */
  readonly wentBack: boolean;
}

/** No clock that is right shows a time before this was written. */
export const EARLIEST: number = Date.parse("2026-01-01T00:00:00Z");

/** With fewer, one message with a wrong time could be taken for a clock. */
const LEAST_AGREEMENTS = 3;

/**
 * Decides whether data may be deleted by a clock. The earliest clock wins: deleting too late is harmless. A clock that is a
 * day or more ahead of the stored time is trusted after a day in which the witnesses have agreed with it, if no trusted
 * clock has been seen meanwhile: a trusted one replaces the record.
 *
 * @example
 * judgeClock({ at: now - HOUR }, now, none).record; // { at: now }: all is well
 * judgeClock({ at: now - 31 * DAY }, now, none).record.paused?.kind; // "jumped"
 */
export function judgeClock(record: ClockRecord, now: number, witnesses: Witnesses): ClockJudgement {
  if (now < EARLIEST) {
    const paused: PausedClock = { kind: "impossible", clock: now, agreements: 0 };
    return { record: { at: record.at, paused }, wentBack: false };
  }
  const wentBack = now < record.at - DAY_MS;
  // A stored time that lies ahead would hide the next jump up to it.
  const known: ClockRecord = wentBack ? { at: now } : record;
  const isFlowing = now - known.at <= DAY_MS;
  return { record: isFlowing ? continued(known, now, witnesses) : jumped(known, now, witnesses), wentBack };
}

/** The record after a check that finds the clock where it was to be expected. */
function continued({ at, paused, confirmed }: ClockRecord, now: number, witnesses: Witnesses): ClockRecord {
  const { agreeing, disagreeing } = witnesses;
  if (agreeing > 0) return { at: now };
  if (confirmed) return { at: now, confirmed };
  // Until another timestamp agrees: silence proves nothing.
  const isContradicted = disagreeing > 0 || paused?.kind === "contradicted";
  return isContradicted ? { at, paused: { kind: "contradicted", clock: now, agreements: 0 } } : { at: now };
}

/** The record after a check that finds the clock far ahead. */
function jumped({ at, paused }: ClockRecord, now: number, { agreeing, disagreeing }: Witnesses): ClockRecord {
  const isSameClock = paused?.kind === "jumped" && Math.abs(now - paused.clock) <= DAY_MS;
  if (agreeing === 0 && (disagreeing > 0 || !isSameClock)) {
    return { at, paused: { kind: "jumped", clock: now, agreements: 0 } };
  }
  const before = isSameClock ? paused : undefined;
  const agreesSince = before?.agreesSince ?? (agreeing > 0 ? now : undefined);
  const agreements = (before?.agreements ?? 0) + agreeing;
  const isProven = agreeing > 0 && now - (agreesSince ?? now) >= DAY_MS && agreements >= LEAST_AGREEMENTS;
  if (isProven) return { at: now };
  return { at, paused: { kind: "jumped", clock: now, agreements, ...(agreesSince !== undefined && { agreesSince }) } };
}
