const RFC_3339 =
  /^(\d{4}-\d\d-(\d\d))T((?:[01]\d|2[0-3]):[0-5]\d):([0-5]\d|60)(?:\.(\d+))?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))$/i;

// Almost every time is one of these, on a day that every month has: what needs no look at the calendar.
const PLAIN = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?Z$/;

/** A time in whole seconds since 1970, rounded either way. */
export interface EpochSeconds {
  down: number;
  up: number;
}

/** Whether a text is an RFC 3339 date-time: with `Z` or an offset, any number of fraction digits, on a day that exists. */
export function isDateTime(text: string): boolean {
  return PLAIN.test(text) || toEpochSeconds(text) !== undefined;
}

/**
 * Reads an RFC 3339 date-time as POSIX counts: a leap second bears the number of the midnight that follows it.
 * Gives `undefined` for what is no such time.
 */
export function toEpochSeconds(text: string): EpochSeconds | undefined {
  const parts = RFC_3339.exec(text);
  if (!parts) return undefined;
  const [, date, day, minute, second, fraction = "", sign, offsetHours = 0, offsetMinutes = 0] = parts;

  const local = Date.parse(`${date}T${minute}:00Z`);
  // Some engines take 30 February for 2 March, others for no date at all.
  if (new Date(local).getUTCDate() !== Number(day)) return undefined;

  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * (sign === "-" ? -60 : 60);
  const down = local / 1000 - offset + Number(second);
  if (second === "60" && !isStartOfMonth(down)) return undefined;
  return { down, up: /[1-9]/.test(fraction) ? down + 1 : down };
}

// RFC 3339 puts leap seconds at the end of a month in UTC.
function isStartOfMonth(epochSeconds: number): boolean {
  return epochSeconds % 86_400 === 0 && new Date(epochSeconds * 1000).getUTCDate() === 1;
}
