import { onlyNearest } from "./messages.js";

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

/** Large cities that no zone is named after, and other spellings of those that one is. */
const moreCities: Readonly<Record<string, string>> = {
  "Africa/Johannesburg": "Cape Town, Pretoria",
  "America/Chicago": "Austin, Dallas, Houston",
  "America/Los_Angeles": "San Diego, San Francisco, Seattle",
  "America/New_York": "Atlanta, Boston, Miami, Washington",
  "America/Sao_Paulo": "Rio de Janeiro",
  "America/Toronto": "Montreal, Ottawa",
  "Asia/Dubai": "Abu Dhabi",
  "Asia/Ho_Chi_Minh": "Hanoi, Ho Chi Minh, Saigon",
  "Asia/Jerusalem": "Tel Aviv",
  "Asia/Kathmandu": "Kathmandu",
  "Asia/Kolkata": "Bangalore, Bengaluru, Chennai, Delhi, Hyderabad, Kolkata, Mumbai, New Delhi, Pune",
  "Asia/Shanghai": "Beijing, Guangzhou, Shenzhen",
  "Asia/Tokyo": "Kyoto, Osaka",
  "Asia/Yangon": "Yangon",
  "Europe/Berlin": "Cologne, Frankfurt, Hamburg, Munich",
  "Europe/Istanbul": "Ankara",
  "Europe/Kiev": "Kiev, Kyiv",
  "Europe/London": "Edinburgh, Manchester",
  "Europe/Madrid": "Barcelona",
  "Europe/Rome": "Milan",
  "Europe/Zurich": "Geneva",
};

/** Abbreviations with a single meaning, in hours ahead of UTC. */
const abbreviations: Readonly<Record<string, number>> = {
  ...{ utc: 0, gmt: 0, z: 0, wet: 0, west: 1, cet: 1, cest: 2, eet: 2, eest: 3, sast: 2, msk: 3, ict: 7 },
  ...{ awst: 8, hkt: 8, sgt: 8, jst: 9, kst: 9, aest: 10, aedt: 11, nzst: 12, nzdt: 13 },
  ...{ edt: -4, mdt: -6, pdt: -7, akdt: -8, akst: -9, hst: -10 },
};

/** Abbreviations with several meanings, each with cities to name instead. */
const ambiguous: Readonly<Record<string, string>> = {
  ast: "Halifax or Riyadh",
  bst: "London or Dhaka",
  cdt: "Chicago or Havana",
  cst: "Chicago or Shanghai",
  est: "New York or Sydney",
  gst: "Dubai or South Georgia",
  ist: "Kolkata, Dublin or Jerusalem",
  mst: "Denver or Kuala Lumpur",
  pst: "Los Angeles or Manila",
  sst: "Pago Pago or Singapore",
};

/** A city, and the IANA name of its zone. */
interface City {
  readonly shown: string;
  readonly zone: string;
}

// Listing the zones takes a millisecond: only texts that end like a zone need it.
let known: ReadonlyMap<string, City> | undefined;

/** The cities that zones are named after, and a few more, by their names as they are compared. */
function cities(): ReadonlyMap<string, City> {
  const named = Intl.supportedValuesOf("timeZone").map((zone): City => ({ zone, shown: zone.split("/").at(-1) ?? "" }));
  const more = Object.entries(moreCities).flatMap(([zone, names]) =>
    names.split(", ").map((shown): City => ({ zone, shown })),
  );
  known ??= new Map(
    [...named, ...more].map(({ zone, shown }) => [keyOf(shown), { zone, shown: shown.replaceAll("_", " ") }]),
  );
  return known;
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

/** The zone that a text names: a city, an IANA name, an abbreviation with a single meaning, or an offset. */
export function zoneTyped(text: string): Zone | undefined {
  const key = keyOf(text);
  const [, sign, hours, minutes = 0] = OFFSET.exec(key) ?? [];
  if (hours !== undefined && Number(hours) <= 14) {
    return fixed(key.toUpperCase(), (sign === "+" ? 1 : -1) * (Number(hours) * HOUR_MS + Number(minutes) * 60_000));
  }
  const ahead = Object.hasOwn(abbreviations, key) ? abbreviations[key] : undefined;
  if (ahead !== undefined) return ahead === 0 ? utc : fixed(key.toUpperCase(), ahead * HOUR_MS);
  const city = cities().get(key)?.zone ?? (/^[a-z_]+\//i.test(text) && clockOf(text) ? text : undefined);
  return city === undefined ? undefined : zoneNamed(clockOf(city)?.resolvedOptions().timeZone ?? city);
}

/** A text that ends with a zone. */
interface Zoned {
  /** The text before the zone. */
  readonly before: string;
  /** The zone as it was typed. */
  readonly typed: string;
  readonly zone: Zone;
}

/** Separates a time and its zone: `14:00` and `New York`. */
export function splitZone(text: string): Zoned | undefined {
  return endsOf(text).flatMap(({ before, typed }) => {
    const zone = zoneTyped(typed);
    return zone ? { before, typed, zone } : [];
  })[0];
}

// Longer texts are no times.
const LONGEST = 100;

/** The ends of a text that may be a zone, the longest first. */
function endsOf(text: string): Omit<Zoned, "zone">[] {
  if (text.length > LONGEST) return [];
  const [, attached, short] = /^(.*\d)(utc|gmt|z)$/i.exec(text) ?? [];
  const cut = attached !== undefined && short !== undefined ? [{ before: attached, typed: short }] : [];
  const spaced = [...text.matchAll(/(?<=\S)\s+(?=\S)/g)].map(({ 0: blank, index }) => {
    return { before: text.slice(0, index), typed: text.slice(index + blank.length) };
  });
  return [...spaced, ...cut];
}

/** The text with its misspelt zone corrected, if only one zone can be meant and the rest reads as a time. */
export function correctZone(text: string, isTime: (before: string) => boolean): string | undefined {
  for (const { before, typed } of endsOf(text)) {
    const near = isTime(before) ? zoneNear(typed) : undefined;
    if (near !== undefined) return `${before} ${near}`;
  }
  return undefined;
}

/** What follows a time in a text. */
export function endOf(text: string, isTime: (before: string) => boolean): string | undefined {
  return endsOf(text)
    .reverse()
    .find(({ before }) => isTime(before))?.typed;
}

/** The city that was probably meant. */
export function zoneNear(typed: string): string | undefined {
  const key = keyOf(typed.split("/").at(-1) ?? "");
  // Three letters are an abbreviation.
  if (key.length < 4 || /\d/.test(key)) return undefined;
  const names = cities();
  return names.get(onlyNearest(key, [...names.keys()]) ?? "")?.shown;
}

/** What an abbreviation with several meanings may mean, in words. */
export function meaningsOf(typed: string): string | undefined {
  const key = keyOf(typed);
  return Object.hasOwn(ambiguous, key) ? ambiguous[key] : undefined;
}

let words: ReadonlySet<string> | undefined;

/** Whether a word may be part of a zone. */
export function isZoneWord(word: string): boolean {
  words ??= new Set([...cities().keys(), ...Object.keys(abbreviations)].flatMap((name) => name.split(" ")));
  const key = keyOf(word);
  return key === "in" || key === "time" || words.has(key) || zoneTyped(word) !== undefined;
}
