import type { CountLogsRequest, LogCountGroup } from "@media-ops/contract";
import type { LogKind } from "../logs/log-store.js";
import { callerOf } from "./conditions.js";
import { failureOf } from "./failures.js";
import { logFields } from "./fields.js";
import { type ParsedEntry, Tally } from "./rollups.js";
import type { Column } from "./segments.js";

/** The name of what groups have in common: a field, or something that is derived from one. */
export type GroupedBy = NonNullable<CountLogsRequest["by"]>[number];

type Value = LogCountGroup["by"][string];

/** The fields by which each log's entries can be counted, in the order of the contract. */
export function groupedBy(kind: LogKind): GroupedBy[] {
  const names = new Set(logFields[kind].map(({ name }) => name));
  const all: Readonly<Record<GroupedBy, boolean>> = {
    channel_id: names.has("channel_id"),
    session_id: names.has("session_id"),
    client_id: names.has("client_id"),
    bundle_id: names.has("bundle_id"),
    connection_id: names.has("connection_id"),
    url: names.has("url"),
    from: kind === "api",
    type: names.has("type"),
    media_target: names.has("media_target"),
    status: names.has("status"),
    failed: failureOf(kind) !== undefined,
    role: names.has("role"),
    node_name: names.has("node_name"),
    outcome: names.has("outcome"),
    reason: names.has("reason"),
    media_reason: names.has("media_reason"),
    jwt_id: names.has("jwt_id"),
    key_id: names.has("key_id"),
  };
  return (Object.keys(all) as GroupedBy[]).filter((name) => all[name]);
}

const textOf = (value: unknown): Value => (typeof value === "string" ? value : null);
const numberOf = (value: unknown): Value => (typeof value === "number" && !Number.isNaN(value) ? value : null);

interface Source {
  /** The field that is read. */
  readonly field: string;
  read(value: unknown): Value;
}

function sourceOf(kind: LogKind, name: GroupedBy): Source {
  const failure = failureOf(kind);
  if (name === "failed" && failure) {
    return { field: failure.field, read: (value) => failure.hasFailed(value) ?? null };
  }
  if (name === "from") {
    return { field: "url", read: (value) => (typeof value === "string" ? (callerOf(value) ?? null) : null) };
  }
  return { field: name, read: name === "status" ? numberOf : textOf };
}

/** The entries of a group. */
interface Group {
  /** The values as one text. */
  readonly key: string;
  readonly values: readonly Value[];
  readonly tally: Tally;
}

/** The entries of a segment in one field: an entry has `valueOf(codes[i])`. */
interface Coded {
  /** How many codes there are. */
  readonly size: number;
  readonly codes: ArrayLike<number>;
  valueOf(code: number): Value;
}

/** Counts entries by the values of one or two fields. */
export class Groups {
  readonly #by: readonly GroupedBy[];
  readonly #sources: readonly Source[];
  readonly #groups = new Map<string, Group>();

  constructor(kind: LogKind, by: readonly GroupedBy[]) {
    this.#by = by;
    this.#sources = by.map((name) => sourceOf(kind, name));
  }

  /** The names of the columns that `inColumns` reads. */
  get fields(): string[] {
    return this.#sources.map(({ field }) => field);
  }

  get size(): number {
    return this.#groups.size;
  }

  /** The tallies of all groups. */
  *tallies(): Iterable<Tally> {
    for (const { tally } of this.#groups.values()) yield tally;
  }

  /** The tally of an entry's group. */
  of(entry: ParsedEntry): Tally {
    return this.#tallyOf(this.#sources.map(({ field, read }) => read(entry[field])));
  }

  /** Returns a function that returns the tally of the group of a segment's entry, by its position. */
  inColumns(columnOf: (field: string) => Column): (position: number) => Tally {
    const [first, second] = this.#sources.map(({ field, read }) => coded(columnOf(field), read));
    /** By the codes of both fields. */
    const known: (Tally | undefined)[] = [];
    return (position) => {
      const a = first?.codes[position] ?? 0;
      const b = second?.codes[position] ?? 0;
      const key = second ? a * second.size + b : a;
      let tally = known[key];
      if (!tally) {
        const value = first?.valueOf(a) ?? null;
        tally = this.#tallyOf(second ? [value, second.valueOf(b)] : [value]);
        known[key] = tally;
      }
      return tally;
    };
  }

  /**
   * Those with the most failed entries, then those with the most entries, each with its values by name.
   *
   * @param pause Called between short pieces of work.
   */
  async top(limit: number, pause: () => Promise<void>): Promise<{ by: LogCountGroup["by"]; tally: Tally }[]> {
    let best: Group[] = [];
    let worst: Group | undefined;
    // Sorting all of many groups at once would delay other callers.
    for (const group of this.#groups.values()) {
      await pause();
      if (worst && order(worst, group) < 0) continue;
      best.push(group);
      if (best.length < 2 * limit) continue;
      best = best.sort(order).slice(0, limit);
      worst = best.at(-1);
    }
    return best
      .sort(order)
      .slice(0, limit)
      .map(({ values, tally }) => ({
        by: Object.fromEntries(this.#by.map((name, i) => [name, values[i] ?? null])),
        tally,
      }));
  }

  #tallyOf(values: readonly Value[]): Tally {
    const key = JSON.stringify(values);
    let group = this.#groups.get(key);
    if (!group) {
      group = { key, values, tally: new Tally() };
      this.#groups.set(key, group);
    }
    return group.tally;
  }
}

const order = (a: Group, b: Group): number =>
  b.tally.failed - a.tally.failed || b.tally.entries - a.tally.entries || (a.key < b.key ? -1 : 1);

function coded(column: Column, read: (value: unknown) => Value): Coded {
  if (column.type === "text") {
    const { dictionary, codes } = column;
    return { size: dictionary.length, codes, valueOf: (code) => read(dictionary[code]) };
  }
  const values: Value[] = [];
  const known = new Map<number, number>();
  const codes = new Uint32Array(column.values.length);
  for (let i = 0; i < codes.length; i++) {
    const value = column.values[i] ?? Number.NaN;
    let code = known.get(value);
    if (code === undefined) {
      code = values.push(read(value)) - 1;
      known.set(value, code);
    }
    codes[i] = code;
  }
  return { size: values.length, codes, valueOf: (code) => values[code] ?? null };
}
