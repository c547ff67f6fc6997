// How to read entries of which nothing is certain: for printers and further reports.
import {
  type ColumnPlace,
  type FieldContent,
  type LogKind,
  type LogKindSpec,
  logKinds,
  readTimestamp,
} from "@media-ops/contract";

/** The value of an object's own field; `undefined` without one, or if reading it throws. */
export function fieldOf(thing: unknown, field: string | undefined): unknown {
  try {
    return field !== undefined && typeof thing === "object" && thing !== null && Object.hasOwn(thing, field)
      ? (thing as Record<string, unknown>)[field]
      : undefined;
  } catch {
    return undefined;
  }
}

/** The names of an object's own fields; a list has none. */
export function fieldNamesOf(thing: unknown): string[] {
  try {
    return typeof thing === "object" && thing !== null && !Array.isArray(thing) ? Object.keys(thing) : [];
  } catch {
    return [];
  }
}

/** The items of an object's own field; none if it is no list. */
export function itemsIn(thing: unknown, field: string): readonly unknown[] {
  try {
    const value = fieldOf(thing, field);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

/** The count in an object's own field; `undefined` if it is none. */
export function countIn(thing: unknown, field: string): number | undefined {
  const value = fieldOf(thing, field);
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** The count in an object's own field; 0 if it is none. */
export const numberIn = (thing: unknown, field: string): number => countIn(thing, field) ?? 0;

/** The text in an object's own field; empty if it is none. */
export function stringIn(thing: unknown, field: string): string {
  const value = fieldOf(thing, field);
  return typeof value === "string" ? value : "";
}

/** A value as JSON; `undefined` if JSON cannot represent it, such as a cycle, a function, or a value that throws. */
export function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
// Lengths of time in milliseconds.
export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** The time in an object's own field, in milliseconds since 1970; `undefined` if it has none. */
export const timeIn = (thing: unknown, field: string): number | undefined => readTimestamp(fieldOf(thing, field));

/**
 * A current time that can be used.
 *
 * @throws {RangeError} if it is not finite.
 */
export function checkedNow(now: number): number {
  if (Number.isFinite(now)) return now;
  throw new RangeError(`now must be milliseconds since 1970, such as Date.now(), but is ${now}.`);
}

/** The years from 0 to 9999, which have four digits. */
export const within = (time: number): number => Math.min(Math.max(time, -62_167_219_200_000), 253_402_300_799_999);

/** Before time zones, only constant local mean times were used. (A `Date` also mistakes the years before 100.) */
const BEFORE_ZONES = Date.UTC(1800);

/** How far clocks are ahead of UTC at a time, in milliseconds. */
export type OffsetAt = (time: number) => number;

/**
 * How far a zone's clocks are ahead of UTC.
 *
 * @throws {RangeError} for an unknown time zone.
 */
export function offsetsIn(timeZone: string): OffsetAt {
  if (timeZone === "UTC") return () => 0;
  const format = formatIn(timeZone);
  return (time) => {
    const known = Math.max(within(time), BEFORE_ZONES);
    const parts = Object.fromEntries(format.formatToParts(known).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
    return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(known / 1000) * 1000;
  };
}

function formatIn(timeZone: string): Intl.DateTimeFormat {
  const numeric = "numeric" as const;
  const parts = { year: numeric, month: numeric, day: numeric, hour: numeric, minute: numeric, second: numeric };
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone, hourCycle: "h23", ...parts });
  } catch (cause) {
    throw new RangeError(`Unknown time zone "${timeZone}". Use an IANA name, such as Europe/Berlin or UTC.`, {
      cause,
    });
  }
}

/** A field of a log, with how and where it is shown. */
export interface FieldColumn {
  field: string;
  title: string;
  /** What it holds, which determines how it is written. */
  as: FieldContent;
  in: ColumnPlace;
}

/** A kind of log: its names, and its columns in the order in which they are shown. */
interface LogRow extends Pick<LogKindSpec, "title" | "one" | "many"> {
  columns: readonly FieldColumn[];
  /** The columns of fields that an entry may lack. */
  optionalColumns: readonly FieldColumn[];
}

const rows = new Map<string, LogRow>(
  Object.entries<LogKindSpec>(logKinds).map(([kind, { title, one, many, fields, columns }]) => {
    const columnsIn = (place: ColumnPlace): FieldColumn[] =>
      (columns[place] ?? []).flatMap((field) => {
        const spec = fields[field];
        return spec ? { field, title: spec.title, as: spec.holds, in: place } : [];
      });
    const always = [...columnsIn("table"), ...columnsIn("wide"), ...columnsIn("detail")];
    return [kind, { title, one, many, columns: always, optionalColumns: columnsIn("optional") }];
  }),
);

/**
 * The names and columns of a kind.
 *
 * @throws {TypeError} for an unknown kind.
 */
export function rowOf(kind: LogKind): LogRow {
  const found = rows.get(kind);
  if (found) return found;
  throw new TypeError(`"${String(kind)}" is not a kind of log. Kinds are ${[...rows.keys()].join(", ")}.`);
}

/** The column of a field of a kind; `undefined` if the kind has no such field. */
export function columnOf(kind: LogKind, field: string): FieldColumn | undefined {
  const { columns, optionalColumns } = rowOf(kind);
  return [...columns, ...optionalColumns].find((column) => column.field === field);
}

/** All kinds, in the order in which they are shown. */
export const KINDS = Object.keys(logKinds) as readonly LogKind[];

/** The columns of a kind, in order, without the optional ones. */
export const columnsOf = (kind: LogKind): readonly FieldColumn[] => rowOf(kind).columns;

/** The field with the time of an entry, of any kind. */
export const TIME_FIELD = "timestamp";

/**
 * Whether a status is a failure: refused, failed, or not answered.
 *
 * @param from The lowest failing status; 500 excludes invalid requests of the caller.
 */
export const isFailure = (status: number, from = 400): boolean => status === 0 || status >= from;

/** The logs that not every service has. */
const OPTIONAL: readonly LogKind[] = ["events"];

/** Whether a service may do without a log. */
export const isOptionalLog = (kind: LogKind): boolean => OPTIONAL.includes(kind);

/** The lowest status that is a failure of the service. */
export const failsFrom = (kind: LogKind): number => (kind === "api" ? 500 : 400);

/** How long a service keeps entries, in milliseconds: they say nothing about the time before. */
export const KEPT = 30 * DAY;

/** What a service still has of a period. */
type Kept =
  | { readonly since: number | undefined; readonly gone: undefined }
  | { readonly since: number; readonly gone: "part" | "all" };

/** The start of what a service still has of a period; that is the period's end if all of it is gone. */
export function keptOf(
  { since, until }: { since?: number | undefined; until?: number | undefined },
  now: number,
): Kept {
  // Two clocks differ a little, and time passes.
  const oldest = now - KEPT - MINUTE;
  if (until !== undefined && until < oldest) return { since: until, gone: "all" };
  return since !== undefined && since < oldest ? { since: now - KEPT, gone: "part" } : { since, gone: undefined };
}
