const DAY_MS = 86_400_000;

/** A time zone. Wall times are local times, counted as if they were UTC. */
export interface Zone {
  /** Its name, or `UTC` for an unknown zone. */
  readonly name: string;
  /** The local time at an instant. */
  wallAt(instant: number): number;
  /** The instant of a local time: the first of two, and if it is skipped, as long after the gap. */
  instantAt(wall: number): number;
}

export const utc: Zone = { name: "UTC", wallAt: (instant) => instant, instantAt: (wall) => wall };

/** The zone of an IANA name; UTC if it is unknown, because a time is better read than refused. */
export function zoneNamed(name = "UTC"): Zone {
  if (name === "UTC") return utc;
  const wallAt = (instant: number): number => {
    const clock = clockOf(name);
    return clock ? readClock(clock, instant) : instant;
  };
  return {
    get name() {
      return clockOf(name) ? name : "UTC";
    },
    wallAt,
    instantAt: (wall) => instantOf(wall, wallAt),
  };
}

// Creating a formatter takes many milliseconds: none is created before a time is read, and none twice.
const clocks = new Map<string, Intl.DateTimeFormat>();

function clockOf(timeZone: string): Intl.DateTimeFormat | undefined {
  const known = clocks.get(timeZone);
  if (known) return known;
  try {
    const clock = new Intl.DateTimeFormat("en-US", {
      timeZone,
      hourCycle: "h23",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
    });
    clocks.set(timeZone, clock);
    return clock;
  } catch {
    return undefined;
  }
}

function readClock(clock: Intl.DateTimeFormat, instant: number): number {
  const shown: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {};
  for (const { type, value } of clock.formatToParts(instant)) shown[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = shown;
  return Date.UTC(year, month - 1, day, hour, minute, second) + (((instant % 1000) + 1000) % 1000);
}

function instantOf(wall: number, wallAt: (instant: number) => number): number {
  // No zone changes its offset twice within two days, so these are the only two candidates.
  const before = wall - offsetAt(wall - DAY_MS, wallAt);
  const after = wall - offsetAt(wall + DAY_MS, wallAt);
  const right = [before, after].filter((instant) => wallAt(instant) === wall);
  return right.length > 0 ? Math.min(...right) : before;
}

function offsetAt(instant: number, wallAt: (instant: number) => number): number {
  return wallAt(instant) - instant;
}
