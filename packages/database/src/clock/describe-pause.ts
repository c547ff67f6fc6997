import { type ClockRecord, DAY_MS } from "./clock-record.js";

/** Names for what people read about a pause. */
export interface PauseWords {
  /** @example "service" */
  readonly program: string;
  /** What goes on by itself, and when, as the end of "Deleting goes on by itself …". */
  readonly goesOn: string;
  /** What an operator does if the clock is right, as a sentence; undefined if there is nothing to do. */
  readonly confirm?: string;
}

/** Says why nothing is deleted, and what to do; undefined if there is no pause. */
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

/** A time, also one that no Date can show. */
export function shownTime(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? `${ms} ms after 1970` : date.toISOString();
}
