import type { LogKind } from "@media-ops/contract";
import type { Filter, TextField } from "../filters/field-types.js";
import { type FieldSpec, failureField, fieldNamed, fieldsOf, kindSpec, kinds } from "../kinds.js";
import { nearestOf, oneOfThese, takes } from "../messages.js";
import { readTimestamp } from "../times.js";
import { COMMAS, DASHES, nameOf } from "../words.js";
import { type Choice, refused, understood, type ValueType } from "./value-type.js";

/** The order in which entries are listed, if not the newest first. */
export interface SortOrder {
  /** The field's name in a filter: `bytes`. */
  readonly field: string;
  readonly first: "largest" | "smallest";
}

/** The fields of a log; of all logs as long as the kind is unknown. */
function fieldsWith(kind: LogKind | undefined, suits: (field: FieldSpec) => boolean): readonly FieldSpec[] {
  return (kind ? [kind] : kinds).flatMap((one) => fieldsOf(one).filter(suits));
}

/** The names of fields by each of their aliases. */
function namesOf(fields: readonly FieldSpec[]): ReadonlyMap<string, string> {
  return new Map(fields.flatMap(({ name, aliases }) => [name, ...aliases].map((alias) => [alias, name])));
}

const ofLog = (kind: LogKind | undefined): string => (kind ? ` of ${kindSpec(kind).one} logs` : "");

const isSortable = ({ holds }: FieldSpec): boolean => holds !== "text";
const times = new Set(fieldsWith(undefined, ({ holds }) => holds === "time").map(({ name }) => name));

/** The smallest number, the oldest time. */
const smallestOf = ({ field }: Pick<SortOrder, "field">): string => (times.has(field) ? "oldest" : "smallest");

/** `largest bytes first`, `newest time first` */
function inWords({ field, first }: SortOrder): string {
  const largest = times.has(field) ? "newest" : first;
  return `${first === "largest" ? largest : smallestOf({ field })} ${field} first`;
}

const LEADING_DASH = new RegExp(`^[${DASHES}]`);

/** A field to sort by, the largest or newest first; with a minus, the smallest or oldest: `bytes`, `-bytes`. */
export const sortOrder: ValueType<SortOrder> = {
  name: "field",
  example: "elapsed",
  distinctive: true,
  parse(text, { subject, kind }) {
    const names = namesOf(fieldsWith(kind, isSortable));
    const typed = nameOf(text).replace(LEADING_DASH, "-");
    const [minus, name] = typed.startsWith("-") ? ["-", typed.slice(1)] : ["", typed];
    const field = names.get(name);
    if (field) return understood({ field, first: minus ? "smallest" : "largest" });
    const near = names.get(nearestOf(name, names.keys()) ?? "");
    const wanted = `a number or time${ofLog(kind)}: ${oneOfThese([...new Set(names.values())])}`;
    return refused(takes(subject, wanted, text), near && `${minus}${near}`);
  },
  // Without a kind, most fields would be those of another log.
  complete: ({ kind }) =>
    (kind ? fieldsOf(kind).filter(isSortable) : []).flatMap(({ name }): Choice[] => [
      [name, inWords({ field: name, first: "largest" })],
      [`-${name}`, inWords({ field: name, first: "smallest" })],
    ]),
  write: ({ field, first }) => `${first === "smallest" ? "-" : ""}${field}`,
  describe: inWords,
};

/**
 * Compares entries of a log for an order; those without a value come last. Entries that compare as equal should stay in
 * their order, the newest first.
 *
 * @example entries.sort(comparing("connections", { field: "bytes", first: "largest" }))
 */
export function comparing(kind: LogKind, { field, first }: SortOrder): (a: object, b: object) => number {
  const wire = fieldNamed(kind, field)?.wire ?? field;
  const fields = wire === "total_bytes" ? ["total_received_bytes", "total_sent_bytes"] : [wire];
  const lacking = first === "largest" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  const sizeOf = (entry: object): number => {
    const members = new Map<string, unknown>(Object.entries(entry));
    const size = fields.reduce((sum, name) => sum + numberOf(members.get(name)), 0);
    return Number.isNaN(size) ? lacking : size;
  };
  return (a, b) => {
    const [one, other] = first === "largest" ? [sizeOf(b), sizeOf(a)] : [sizeOf(a), sizeOf(b)];
    return one === other ? 0 : one - other;
  };
}

/** The field of an order, with the API's name, and the order in words: "by bytes", "by elapsed (smallest first)". */
export function orderOf(kind: LogKind, order: SortOrder): { sortedBy: string; words: string } {
  const { field, first } = order;
  const words = first === "largest" ? `by ${field}` : `by ${field} (${smallestOf(order)} first)`;
  return { sortedBy: fieldNamed(kind, field)?.wire ?? field, words };
}

function numberOf(value: unknown): number {
  if (typeof value === "string") return readTimestamp(value) ?? Number.NaN;
  return typeof value === "number" ? value : Number.NaN;
}

/** The parts of a command that the heading of its answer names. */
interface Listed {
  readonly name: string;
  readonly kind: LogKind;
  readonly filters: readonly Filter[];
  readonly since?: number;
  readonly until?: number;
  readonly sort?: SortOrder;
}

/** What a command asks for, for the heading of its answer: which log and period, which outcome, and which order. */
export function askedOf({ name, kind, filters, since, until, sort }: Listed) {
  const outcome = filters.find(({ test }) => test.is === "failed");
  return {
    kind,
    since,
    until,
    only: outcome && (outcome.negated ? ("ok" as const) : ("failed" as const)),
    order: sort && orderOf(kind, sort).words,
    isSummary: name === "summary",
  };
}

/** The API's name of a field that entries can be grouped by. */
export type GroupField = Exclude<TextField, "channel" | "event_id" | "detail"> | "status" | "failed";

function groupOf(field: FieldSpec): GroupField | undefined {
  if (field.wire === "status") return field.wire;
  if (field.holds !== "text" || field.wire === "channel") return undefined;
  // Of these, hardly two are alike.
  return field.wire === "event_id" || field.wire === "detail" ? undefined : field.wire;
}

const MOST_GROUPED = 2;

/** The fields that entries can be grouped by, by the names that are typed for them. */
function groupsOf(kind: LogKind | undefined): ReadonlyMap<string, GroupField> {
  const fields = fieldsWith(kind, () => true);
  const canFail = (kind ? [kind] : kinds).some(failureField);
  const byName = fields.flatMap((field) => {
    const group = groupOf(field);
    return group ? [field.name, ...field.aliases].map((alias) => [alias, group] as const) : [];
  });
  return new Map([...byName, ...(canFail ? [["failed", "failed"] as const] : [])]);
}

/** The name that is typed for a field. */
function groupName(field: GroupField): string {
  return fieldsWith(undefined, ({ wire }) => wire === field)[0]?.name ?? field;
}

const groupNames = (kind: LogKind | undefined): string[] => [...new Set(groupsOf(kind).values())].map(groupName);

/** One or two fields to group entries by: `url`, `url,status`. */
export const grouping: ValueType<readonly GroupField[]> = {
  name: "field",
  example: "status",
  distinctive: true,
  list: true,
  parse(text, { subject, kind }) {
    const groups = groupsOf(kind);
    const typed = nameOf(text).split(new RegExp(`[${COMMAS}]`));
    const meant = typed.map((name) => groups.get(name.trim()) ?? groups.get(nearestOf(name, groups.keys()) ?? ""));
    const fields = [...new Set(meant)].flatMap((field) => field ?? []);
    const isRight = typed.every((name) => groups.has(name.trim())) && fields.length === typed.length;
    if (isRight && fields.length <= MOST_GROUPED) return understood(fields);
    const wanted = isRight ? "one field or two" : `a field${ofLog(kind)}: ${oneOfThese(groupNames(kind))}`;
    return refused(
      takes(subject, wanted, text),
      fields.length > 0 ? writeGroups(fields.slice(0, MOST_GROUPED)) : undefined,
    );
  },
  complete: ({ kind }) => (kind ? groupNames(kind) : []).map((name) => [name, `a group for each ${name}`]),
  write: writeGroups,
  describe: (fields) => oneOfThese(fields.map(groupName), "and"),
};

function writeGroups(fields: readonly GroupField[]): string {
  return fields.map(groupName).join(",");
}
