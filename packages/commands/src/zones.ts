/** A day in milliseconds. */
export const DAY_MS = 86_400_000;

/** A time zone. Wall times are local times, counted as if they were UTC. */
export interface Zone {
  /** Its name, or `UTC` for an unknown zone. */
  readonly name: string;
  /** The local time at an instant. */
  wallAt(instant: number): number;
  /** The instant of a local time: the first of two, and if it is skipped, as long after the gap. */
  instantAt(wall: number): number;
}

function fixed(name: string, ms: number): Zone {
  return { name, wallAt: (instant) => instant + ms, instantAt: (wall) => wall - ms };
}

/** Coordinated universal time. */
export const utc: Zone = fixed("UTC", 0);

/** The zone of an IANA name. An unknown name falls back to UTC, so that a time can still be read. */
export function zoneNamed(name = "UTC"): Zone {
  if (name === "UTC") return utc;
  const wallAt = (instant: number): number => {
    const clock = clockOf(name);
    if (!clock) return instant;
    const parts = Object.fromEntries(clock.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
    return Date.UTC(year, month - 1, day, hour, minute, second) + (((instant % 1000) + 1000) % 1000);
  };
  return {
    get name() {
      return clockOf(name) ? name : "UTC";
    },
    wallAt,
    instantAt(wall) {
      // No zone changes its offset twice within two days, so these are the only two candidates.
      const offsetAt = (instant: number): number => wallAt(instant) - instant;
      const [before, after] = [wall - offsetAt(wall - DAY_MS), wall - offsetAt(wall + DAY_MS)];
      const right = [before, after].filter((instant) => wallAt(instant) === wall);
      return right.length > 0 ? Math.min(...right) : before;
    },
  };
}

// Creating a formatter takes many milliseconds: they are created on first use and cached.
const clocks = new Map<string, Intl.DateTimeFormat>();

function clockOf(timeZone: string): Intl.DateTimeFormat | undefined {
  const known = clocks.get(timeZone);
  if (known) return known;
  const [numeric, hourCycle] = ["numeric", "h23"] as const;
  const parts = { year: numeric, month: numeric, day: numeric, hour: numeric, minute: numeric, second: numeric };
  try {
    const clock = new Intl.DateTimeFormat("en-US", { timeZone, hourCycle, ...parts });
    clocks.set(timeZone, clock);
    return clock;
  } catch {
    return undefined;
  }
}

/** Abbreviations with a single meaning, in hours ahead of UTC. */
const abbreviations: ReadonlyMap<string, number> = new Map(
  Object.entries({
    ...{ utc: 0, gmt: 0, z: 0, wet: 0, west: 1, cet: 1, cest: 2, eet: 2, eest: 3, sast: 2, msk: 3, ict: 7 },
    ...{ awst: 8, hkt: 8, sgt: 8, jst: 9, kst: 9, aest: 10, aedt: 11, nzst: 12, nzdt: 13 },
    ...{ edt: -4, mdt: -6, pdt: -7, akdt: -8, akst: -9, hst: -10 },
  }),
);

// Listing the zones takes a millisecond: only texts that end like a zone need it.
let zonesByCity: ReadonlyMap<string, string> | undefined;

/** The zone that is named after a city: `Asia/Tokyo` for `tokyo`. */
function zoneOfCity(key: string): string | undefined {
  zonesByCity ??= new Map(
    Intl.supportedValuesOf("timeZone").map((zone) => [keyOf(zone.split("/").at(-1) ?? ""), zone]),
  );
  return zonesByCity.get(key);
}

/** A zone as it is compared: `in São Paulo` as `sao paulo`. */
function keyOf(text: string): string {
  return text
    .normalize("NFD")
    .toLowerCase()
    .replaceAll(/[\u0300-\u036f.'’()]/g, "")
    .replaceAll(/[\s_]+/g, " ")
    .trim()
    .replace(/^in /, "")
    .replace(/ time$/, "");
}

const OFFSET = /^(?:utc|gmt)? ?([+−-])(\d\d?)(?::?([0-5]\d))?$/;
const HOUR_MS = 3_600_000;

/** The zone that a text names: an IANA name or its last part, an abbreviation with a single meaning, or an offset. */
export function zoneTyped(text: string): Zone | undefined {
  const key = keyOf(text);
  const [, sign, hours, minutes = 0] = OFFSET.exec(key) ?? [];
  if (hours !== undefined && Number(hours) <= 14) {
    return fixed(key.toUpperCase(), (sign === "+" ? 1 : -1) * (Number(hours) * HOUR_MS + Number(minutes) * 60_000));
  }
  const ahead = abbreviations.get(key);
  if (ahead !== undefined) return ahead === 0 ? utc : fixed(key.toUpperCase(), ahead * HOUR_MS);
  const name = zoneOfCity(key) ?? (/^[a-z_]+\//i.test(text) ? text : "");
  const clock = name === "" ? undefined : clockOf(name);
  return clock && zoneNamed(clock.resolvedOptions().timeZone);
}

/** A text that ends with a zone. */
interface Zoned {
  /** The text before the zone. */
  readonly before: string;
  readonly zone: Zone;
}

// Longer texts are no times.
const LONGEST = 100;

/** Separates a time and its zone, the longest that it may be: `14:00` and `New York`. */
export function splitZone(text: string): Zoned | undefined {
  if (text.length > LONGEST) return undefined;
  for (const { 0: blank, index } of text.matchAll(/(?<=\S)\s+(?=\S)/g)) {
    const zone = zoneTyped(text.slice(index + blank.length));
    if (zone) return { before: text.slice(0, index), zone };
  }
  const [, attached, short = ""] = /^(.*\d)(utc|gmt|z)$/i.exec(text) ?? [];
  const zone = attached === undefined ? undefined : zoneTyped(short);
  return zone && attached !== undefined ? { before: attached, zone } : undefined;
}
