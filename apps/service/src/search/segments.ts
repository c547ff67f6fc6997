/** A stored entry. */
export interface EntryRow {
  /** The entry's sort key: see `sortKey`. */
  readonly at: string;
  readonly seq: number;
  /** Its JSON text. */
  readonly entry: string;
}

/** The values of a field in a segment's entries, by which segments that cannot match are skipped. */
export interface FieldRange {
  /** The lowest and highest number, or time in µs since 1970; absent for texts, and if it is unknown. */
  readonly min?: number;
  readonly max?: number;
  /** Every value, if there are few; null stands for entries without the field. */
  readonly values?: readonly (string | number | null)[];
  /** Of the field that shows whether an entry failed: whether the segment has the texts of those that did. */
  readonly hasFailedTexts?: true;
}

/**
 * A part of a log, from one time to another, whose entries were indexed together. Segments are derived from the entries
 * and may be built again at any time. A log's segments follow one another without a gap, from the oldest entry on;
 * entries after the last segment have none yet.
 */
export interface Segment {
  /** The sort key at which it begins: the `untilAt` of the segment before; empty for a log's first segment. */
  readonly fromAt: string;
  /** The sort key before which it ends. */
  readonly untilAt: string;
  /** It has all entries of its time up to this seq; later ones are in `log_late`. */
  readonly seq: number;
  /** How many entries it has, and the lowest and highest of their seqs. */
  readonly entries: number;
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** The sort keys of its oldest and newest entry. */
  readonly firstAt: string;
  readonly lastAt: string;
  /** By field name. */
  readonly fields: Readonly<Record<string, FieldRange>>;
  /** Where its parts are stored: its number in the log, and how many pages its index of ids has. */
  readonly build: number;
  readonly pages: number;
}

/** The values of a field in all entries of a segment, in the order of `at` and `seq`. */
export type Column = NumberColumn | TextColumn;

/** Numbers; NaN for an entry without the field. Times are in µs since 1970. */
export interface NumberColumn {
  readonly type: "number";
  readonly values: Float64Array | Uint32Array | Uint16Array | Uint8Array;
}

/** Texts: an entry has `dictionary[codes[i]]`; null is an entry without the field. */
export interface TextColumn {
  readonly type: "text";
  readonly dictionary: readonly (string | null)[];
  readonly codes: Uint32Array | Uint16Array | Uint8Array;
}

/** The name of the column with the entries' seqs, beside those of the fields. */
export const SEQ_COLUMN = "seq";

/** Where in a segment ids occur. */
export interface Postings {
  readonly segment: Segment;
  /** The sort keys of entries that may have one, oldest first; undefined if the column is read instead: they are many. */
  readonly keys: readonly string[] | undefined;
}

/** A range of sort keys: from the first one, and before the second. */
export interface KeyRange {
  readonly from: string;
  readonly until: string;
}

/** Entries by the order in which they were written: those with a seq after one and up to another. */
export interface SeqRange {
  readonly after: number;
  readonly upTo: number;
}

/** The late entries of a part of a range, in the order. */
export interface LatePart {
  readonly rows: readonly EntryRow[];
  readonly part: KeyRange;
  /** What comes after the part; undefined if nothing does. */
  readonly rest: KeyRange | undefined;
}

/** A direction in which a log is read, by `at` and `seq`. */
export type Order = "newest" | "oldest";

/** A position between the entries of a log. */
export interface Position {
  readonly at: string;
  readonly seq: number;
}
