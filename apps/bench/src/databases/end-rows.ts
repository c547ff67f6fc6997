import { newId } from "../intake/events.js";
import { makeEntry } from "../service/entries.js";
import { kindNumbers } from "./open.js";

const PROJECT = "bench";
const REMEMBERED_MS = 31 * 24 * 60 * 60 * 1000;

/** What the end of a connection leaves behind: its entry, and the note that it has ended. */
export interface EndRow {
  readonly at: string;
  readonly seq: number;
  readonly text: string;
  readonly id: string;
  readonly eventId: string;
  readonly until: number;
}

export function makeEndRow(seq: number): EndRow {
  const now = Date.now();
  const { timestamp, text } = makeEntry(PROJECT, "connections", now);
  return { at: timestamp.slice(0, -1), seq, text, id: `c ${newId()}`, eventId: newId(), until: now + REMEMBERED_MS };
}

/** How an end is written into SQLite: each statement with its values. */
export const sqliteEnd = {
  entry: {
    sql: "insert into log_entry (project_id, kind, at, seq, entry) values (?, ?, ?, ?, ?)",
    parameters: ({ at, seq, text }: EndRow) => [PROJECT, kindNumbers.connections, at, seq, text],
  },
  note: {
    sql: "insert into ended (project_id, id, event_id, until) values (?, ?, ?, ?)",
    parameters: ({ id, eventId, until }: EndRow) => [PROJECT, id, eventId, until],
  },
} as const;

/** How many ends are written into PostgreSQL at once. */
export const postgresEnds = {
  entries: {
    sql: `insert into log_entry (project_id, kind, at, seq, entry)
      select $1, $2::integer, * from unnest($3::text[], $4::bigint[], $5::text[])`,
    parameters: (rows: readonly EndRow[]) => [
      PROJECT,
      kindNumbers.connections,
      rows.map(({ at }) => at),
      rows.map(({ seq }) => seq),
      rows.map(({ text }) => text),
    ],
  },
  notes: {
    sql: `insert into ended (project_id, id, event_id, until)
      select $1, * from unnest($2::text[], $3::text[], $4::bigint[])`,
    parameters: (rows: readonly EndRow[]) => [
      PROJECT,
      rows.map(({ id }) => id),
      rows.map(({ eventId }) => eventId),
      rows.map(({ until }) => until),
    ],
  },
} as const;
