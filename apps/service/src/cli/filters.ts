import { nearest } from "@media-ops/settings/command-line";
import { type Option, UsageError } from "./command.js";

const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const DURATION = /^(\d{1,9})([smhd])$/;
const RFC_3339 = /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;

/** From when and until when; a duration counts back from now. */
export const timeOptions: readonly Option[] = [
  {
    name: "since",
    value: "<time>",
    summary: "made at this time or later: 2h (30s, 15m, 3d) ago, or 2026-04-01T00:00:00Z",
  },
  { name: "until", value: "<time>", summary: "made before this time, written likewise" },
];

/**
 * Reads `--since` and `--until`, in milliseconds since 1970.
 *
 * @throws {UsageError}
 */
export function readTimes({ since, until }: { since?: string | undefined; until?: string | undefined }, now: number) {
  const times = { since: readTime("--since", since, now), until: readTime("--until", until, now) };
  if (times.since !== undefined && times.until !== undefined && times.since >= times.until) {
    throw new UsageError(`--since ${since} is not before --until ${until}, and nothing lies between. Change one.`);
  }
  return times;
}

function readTime(option: string, text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  const time = durationIn(text, now) ?? timeIn(text);
  if (time !== undefined) return time;
  throw new UsageError(
    `${option} "${text}" is no time. Write a duration back from now such as 30s, 15m, 2h or 3d, or a time such as 2026-04-01T00:00:00Z.`,
  );
}

function durationIn(text: string, now: number): number | undefined {
  const [, count, unit] = DURATION.exec(text) ?? [];
  if (unit !== "s" && unit !== "m" && unit !== "h" && unit !== "d") return undefined;
  return now - Number(count) * UNIT_MS[unit];
}

function timeIn(text: string): number | undefined {
  const [, day] = RFC_3339.exec(text) ?? [];
  // JavaScript takes February 30 for a day in March.
  const isDay = day !== undefined && new Date(`${day}T00:00:00Z`).getUTCDate() === Number(day.slice(-2));
  return isDay ? Date.parse(text.toUpperCase()) : undefined;
}

/**
 * Reads how many are to be shown.
 *
 * @throws {UsageError}
 */
export function readLimit(text: string | undefined, { byItself, most }: { byItself: number; most: number }): number {
  if (text === undefined) return byItself;
  const limit = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= most) return limit;
  throw new UsageError(`--limit "${text}" is none. Write a whole number from 1 to ${most}.`);
}

/**
 * Reads a word of a few.
 *
 * @param what What the word stands for, as it begins a sentence.
 * @throws {UsageError}
 */
export function readOneOf<Word extends string>(what: string, text: string, known: readonly Word[]): Word {
  const word = known.find((one) => one === text);
  if (word !== undefined) return word;
  const meant = nearest(text, known);
  const question = meant === undefined ? "" : ` Did you mean ${meant}?`;
  throw new UsageError(`${what} is ${known.slice(0, -1).join(", ")} or ${known.at(-1)}, and not "${text}".${question}`);
}
