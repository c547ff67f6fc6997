import { MediaUsageError, parseTimestamp, timeKey } from "@media-ops/sdk";

/** A range of time, as requests have it. */
export interface TimeRange {
  /** The start: an RFC 3339 time or a `Date`. @default the oldest entry that is kept */
  since?: string | Date | undefined;
  /** The excluded end. @default now */
  until?: string | Date | undefined;
}

/** A range as texts that sort like the times. */
export interface RangeKeys {
  since: string | undefined;
  until: string | undefined;
}

/** Validates the range of a request, and returns it as texts that sort like the times. */
export function rangeOf(request: TimeRange): RangeKeys {
  check(
    typeof request === "object" && request !== null,
    `The request must be an object such as { project_id: "demo" }, not of type ${typeof request}.`,
  );
  const [since, until] = (["since", "until"] as const).map((member) => {
    const time = request[member];
    const key = timeKey(time);
    check(time === undefined || key, `${member} must be an RFC 3339 time or a Date, not "${time}".`);
    return key;
  });
  check(!since || !until || since < until, `until must be later than since (${since}Z), not ${until}Z.`);
  return { since, until };
}

/** A range as the service expects it. */
export function toWire({ since, until }: Partial<RangeKeys>): RangeKeys {
  return { since: since && `${since}Z`, until: until && `${until}Z` };
}

/** Whether a time is in a range. */
export function isWithin(time: string, { since = "", until }: Partial<RangeKeys>): boolean {
  const key = timeKey(time) ?? "";
  return key >= since && (until === undefined || key < until);
}

/** A sorting text after that of a time, and before that of any other time an entry can have. */
export function justAfter(key: string): string {
  const [seconds, fraction = ""] = key.split(".");
  return `${seconds}.${fraction.padEnd(12, "0")}1`;
}

/** The milliseconds since 1970 of a sorting text; `undefined` without one. */
export const millisecondsAt = (key: string | undefined): number | undefined =>
  key === undefined ? undefined : parseTimestamp(`${key}Z`)?.epochMilliseconds;

/** Validates a whole number. */
export function checkCount(name: string, value: number, min = 0, max?: number): void {
  const isCount = Number.isInteger(value) && value >= min && !(max && value > max);
  check(isCount, `${name} must be a count${max ? ` from ${min} to ${max}` : ""}, not ${value}.`);
}

/** Throws a usage error unless a condition holds. */
export function check(holds: unknown, message: string): asserts holds {
  if (!holds) throw new MediaUsageError(message);
}
