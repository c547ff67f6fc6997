import type { LogKind } from "@media-ops/contract";
import type { TextField } from "../api.js";
import { type FieldSpec, failureField, fieldsOf, kindSpec, kinds } from "../kinds.js";
import { nearestOf, oneOfThese, takes } from "../messages.js";
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
export const smallestOf = ({ field }: Pick<SortOrder, "field">): string => (times.has(field) ? "oldest" : "smallest");

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
