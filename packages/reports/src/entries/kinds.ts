import { type ColumnPlace, type FieldContent, type LogKind, type LogKindSpec, logKinds } from "@media-ops/contract";
import { DAY, MINUTE } from "./time.js";

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
