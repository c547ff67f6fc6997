import { duration } from "@media-ops/commands";

const MAX_MS = 10 * 365 * 24 * 3_600_000;
// Lengths of time mean the same at all times and everywhere.
const anywhere = {
  now: 0,
  zone: { name: "UTC", wallAt: (instant: number) => instant, instantAt: (wall: number) => wall },
  subject: "",
  topics: [],
};
const length = duration({ min: 0, max: MAX_MS, example: "1h" });

/** Milliseconds of `10m`, `1h`, `2 days`, as commands are read, too; undefined for what is no length of time. */
export function readLength(text: string): number | undefined {
  const read = length.parse(text, anywhere);
  return read.ok ? read.value : undefined;
}

/** A length of time for people, told exactly: `1 hour 30 minutes`. */
export function tellLength(ms: number): string {
  return length.describe(ms, anywhere);
}
