const RFC_3339 =
  /^\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;
const [DAY_AT, SECONDS_AT] = ["2026-04-".length, "2026-04-01T09:30:".length];

/** Milliseconds since 1970 of an RFC 3339 time of any precision, rounded down; `undefined` for anything else. */
export function readTimestamp(value: unknown): number | undefined {
  if (typeof value !== "string" || !RFC_3339.test(value)) return undefined;
  // Date supports no leap seconds, and reads more than three digits before a small z in another way.
  const text = value.toUpperCase();
  const time = text.startsWith("60", SECONDS_AT)
    ? Date.parse(`${text.slice(0, SECONDS_AT)}59${text.slice(SECONDS_AT + 2)}`) + 1000
    : Date.parse(text);
  // Date parses 30 February as 2 March.
  const day = Number(value.slice(DAY_AT, DAY_AT + 2));
  const isDay = day <= 28 || new Date(value.slice(0, DAY_AT + 2)).getUTCDate() === day;
  return isDay && !Number.isNaN(time) ? time : undefined;
}
