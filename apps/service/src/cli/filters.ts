import { nearest } from "@media-ops/settings/command-line";
import { type Option, UsageError } from "./command.js";

const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const DURATION = /^(\d{1,9})([smhd])$/;
const RFC_3339 = /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;

/** The options `--since` and `--until`; a duration counts back from now. */
export const timeOptions: readonly Option[] = [
  {
    name: "since",
    value: "<time>",
    summary: "created at this time or later: 2h (30s, 15m, 3d) ago, or 2026-04-01T00:00:00Z",
  },
  { name: "until", value: "<time>", summary: "created before this time, in the same format" },
];

/** Reads `--since` and `--until`, in milliseconds since 1970. @throws {UsageError} */
export function readTimes({ since, until }: { since?: string | undefined; until?: string | undefined }, now: number) {
  const times = { since: readTime("--since", since, now), until: readTime("--until", until, now) };
  if (times.since !== undefined && times.until !== undefined && times.since >= times.until) {
    throw new UsageError(`--since ${since} must be before --until ${until}, but is not.`);
  }
  return times;
}

function readTime(option: string, text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  const time = durationIn(text, now) ?? timeIn(text);
  if (time !== undefined) return time;
  throw new UsageError(
    `${option} must be a duration back from now, such as 30s, 15m, 2h or 3d, or a time such as 2026-04-01T00:00:00Z, but is "${text}".`,
  );
}

function durationIn(text: string, now: number): number | undefined {
  const [, count, unit] = DURATION.exec(text) ?? [];
  if (unit !== "s" && unit !== "m" && unit !== "h" && unit !== "d") return undefined;
  return now - Number(count) * UNIT_MS[unit];
}

function timeIn(text: string): number | undefined {
  const [, day] = RFC_3339.exec(text) ?? [];
  // JavaScript parses February 30 as a day in March.
  const isDay = day !== undefined && new Date(`${day}T00:00:00Z`).getUTCDate() === Number(day.slice(-2));
  return isDay ? Date.parse(text.toUpperCase()) : undefined;
}

/** Reads `--limit`. @throws {UsageError} */
export function readLimit(text: string | undefined, { standard, most }: { standard: number; most: number }): number {
  if (text === undefined) return standard;
  const limit = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= most) return limit;
  throw new UsageError(`--limit must be a whole number from 1 to ${most}, but is "${text}".`);
}

/** Reads one of a few words; `what` starts the sentence of the error. @throws {UsageError} */
export function readOneOf<Word extends string>(what: string, text: string, known: readonly Word[]): Word {
  const word = known.find((one) => one === text);
  if (word !== undefined) return word;
  const meant = nearest(text, known);
  const question = meant === undefined ? "" : ` Did you mean ${meant}?`;
  throw new UsageError(
    `${what} must be ${known.slice(0, -1).join(", ")} or ${known.at(-1)}, but is "${text}".${question}`,
  );
}
