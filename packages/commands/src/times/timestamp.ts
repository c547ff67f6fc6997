const RFC_3339 =
  /^(\d{4}-\d\d-\d\d)[Tt]((?:[01]\d|2[0-3]):[0-5]\d):([0-5]\d|60)(?:\.(\d+))?(?:[Zz]|([+-])([01]\d|2[0-3]):([0-5]\d))$/;

/** The milliseconds since 1970 of an RFC 3339 time of any precision, rounded down; undefined for what is none. */
export function readTimestamp(text: string): number | undefined {
  const parts = RFC_3339.exec(text);
  if (!parts) return undefined;
  const [, date = "", minute, second, fraction = "", sign, hours = 0, minutes = 0] = parts;
  const day = readDate(date);
  if (day === undefined) return undefined;
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === "-" ? -60_000 : 60_000);
  const wall =
    Date.parse(`${date}T${minute}:00Z`) + Number(second) * 1000 + Number(fraction.slice(0, 3).padEnd(3, "0"));
  return wall - offset;
}

/** The midnight with which a day of the calendar begins, as UTC has it; undefined for a day that there is not. */
export function readDate(date: string): number | undefined {
  const midnight = Date.parse(`${date}T00:00Z`);
  // Some engines take 30 February for 2 March.
  return new Date(midnight).getUTCDate() === Number(date.slice(8)) ? midnight : undefined;
}

// What almost every timestamp looks like, and what sorts as text: no offset, nothing but digits in their places.
const PLAIN = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?Z$/;

/** Compares timestamps with one instant: below 0 where they are earlier, NaN where they are no timestamps. */
export function comparerWith(instant: number): (timestamp: unknown) => number {
  // The second in which the instant lies: timestamps of other seconds are told from it by their text.
  const second = new Date(instant).toISOString().slice(0, 19);
  const ms = ((instant % 1000) + 1000) % 1000;
  return (timestamp) => {
    if (typeof timestamp !== "string") return Number.NaN;
    if (!PLAIN.test(timestamp)) return (readTimestamp(timestamp) ?? Number.NaN) - instant;
    if (!timestamp.startsWith(second)) return timestamp < second ? -1 : 1;
    return msOfFraction(timestamp) - ms;
  };
}

/** The milliseconds of a timestamp that ends in `Z`: its first three digits after the point. */
function msOfFraction(timestamp: string): number {
  return Number(timestamp.slice(20, -1).slice(0, 3).padEnd(3, "0"));
}
