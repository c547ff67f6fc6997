const RFC_3339 =
  /^\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;
const [DAY_AT, SECONDS_AT] = ["2026-04-".length, "2026-04-01T09:30:".length];
const NINE_DIGITS = "2026-04-01T09:30:15.123456789Z".length;

/** Milliseconds since 1970 of an RFC 3339 time of any precision, rounded down; `undefined` for anything else. */
export function readTimestamp(value: unknown): number | undefined {
  if (typeof value !== "string" || !RFC_3339.test(value)) return undefined;
  // Date misreads fractions of more than nine digits, has no leap seconds, and takes 30 February for 2 March.
  const text = value.length > NINE_DIGITS ? value.replace(/(\.\d{3})\d+/, "$1") : value;
  const time = text.startsWith("60", SECONDS_AT)
    ? Date.parse(`${text.slice(0, SECONDS_AT)}59${text.slice(SECONDS_AT + 2)}`) + 1000
    : Date.parse(text);
  const day = Number(text.slice(DAY_AT, DAY_AT + 2));
  const isDay = day <= 28 || new Date(text.slice(0, DAY_AT + 2)).getUTCDate() === day;
  return isDay && !Number.isNaN(time) ? time : undefined;
}
