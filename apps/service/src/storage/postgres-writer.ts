import { copiedTables, DatabaseError, messageOf, type Statement, type Step, withoutNul } from "@media-ops/database";
import { endedPrefix, RENEW_SEAT, type SeatChange } from "../admission/seats.js";
import { type Batch, logKinds, type NewEntry, sortKey } from "../logs/log-store.js";
import type { Storage } from "./open-storage.js";
import { type Tables, tables } from "./tables.js";

type Row = Readonly<Record<string, unknown>>;

/** Rows to insert into one of a project's tables. */
export interface NewRows {
  readonly table: keyof Tables;
  /** The same columns in each, without `project_id`. */
  readonly rows: readonly Row[];
  /** How existing rows are handled: "on conflict …". */
  readonly onConflict?: string;
}

/** A connection that gets a seat, unless it has ended; `since` is the earliest `until` of an end that can affect it. */
export type ConnectedSeat = Extract<SeatChange, { kind: "connected" }> & { readonly since: number };

/** The end of a connection or a session. */
export interface EndedSeats {
  /** With its prefix: see `endedPrefix`. */
  readonly id: string;
  readonly eventId: string;
  readonly until: number;
  /** The channel, the id in it, and for a session its times. */
  readonly freed: readonly (string | null)[];
}

/** The steps for one project. */
export interface ProjectSteps {
  readonly projectId: string;
  readonly steps: readonly Step[];
}

/** The error if the rows of some projects were written, and those of others were not. */
export class PartlyWritten extends DatabaseError {
  readonly failed: ReadonlySet<string>;

  constructor(failed: ReadonlySet<string>, cause: unknown) {
    const which = failed.size === 1 ? "a project" : `${failed.size} projects`;
    super("unavailable", `The rows of ${which} could not be written: ${messageOf(cause)}`, { cause });
    this.failed = failed;
  }
}

export type WriterStorage = Partial<Pick<Storage, "isDistributed" | "writeSteps">>;

type WriteSteps = NonNullable<Storage["writeSteps"]>;

/** The writer for a PostgreSQL database, with Citus or without. */
export function projectWriterOf({ isDistributed, writeSteps }: WriterStorage): ProjectWriter {
  if (!writeSteps) throw new Error("Only PostgreSQL writes the rows of projects in this way.");
  return isDistributed ? new CitusWriter(writeSteps) : new PostgresWriter(writeSteps);
}

/** Writes the rows of projects in PostgreSQL. Its classes have what differs between one PostgreSQL and several. */
export abstract class ProjectWriter {
  protected readonly writeSteps: WriteSteps;

  constructor(writeSteps: WriteSteps) {
    this.writeSteps = writeSteps;
  }

  /** Keeps other transactions that hold the same project waiting until this one ends. */
  abstract hold(projectId: string): Statement;

  abstract insert(projectId: string, rows: NewRows): Statement[];

  /** Notes that connections, or sessions, have ended, and frees their seats. */
  end(projectId: string, which: "connections" | "sessions", ends: readonly EndedSeats[]): Statement[] {
    const freed = [0, 1, 2, 3].map((at) => ends.map((one) => one.freed[at] ?? null));
    const rows = ends.map(({ id, eventId, until }) => ({ id, event_id: eventId, until }));
    return [
      { sql: FREE[which], parameters: [projectId, ...freed] },
      ...this.insert(projectId, { table: "ended", rows, onConflict: "on conflict do nothing" }),
    ];
  }

  /** Gives connections their seats until a time, in ms since 1970. */
  abstract connect(projectId: string, seats: readonly ConnectedSeat[], until: number): Step;

  /**
   * Appends entries. Each log's number is incremented first: other writers of the log wait for it, so numbers become
   * visible in order. With "new", those that their logs have already are left out, and the project must be held; those
   * of a batch are left out if it was written before.
   */
  abstract append(projectId: string, entries: readonly NewEntry[], which: "all" | "new" | Batch): Step;

  /** Writes the steps of each project together, or none of them. Returns the rows of all statements. */
  abstract write(projects: readonly ProjectSteps[]): Promise<unknown[][]>;
}

const free = (isFreed: string): string => `
  delete from seat using unnest($2::text[], $3::text[], $4::text[], $5::text[]) as given (channel_id, name, since, gone_at)
  where seat.project_id = $1 and seat.channel_id = given.channel_id and ${isFreed}`;
const FREE = {
  connections: free("seat.connection_id = given.name"),
  // The session's own seats, and those of earlier sessions whose end was lost. Later connections, and admitted clients
  // that have not connected yet, belong to another session.
  sessions: free(`(seat.session_id = given.name
    or (connected = 1 and (seat.at < given.since or (seat.session_id is null and seat.at <= given.gone_at))))`),
};

const SEAT = "channel_id, connection_id, node_name, session_id, client_id, role, at";

const seatRow = ({ channelId, connectionId, nodeName, sessionId, clientId, role, at }: ConnectedSeat) => ({
  channel_id: channelId,
  connection_id: connectionId,
  node_name: nodeName,
  session_id: sessionId,
  client_id: clientId,
  role,
  at,
});

// A repeated batch waits for the row, so that it is kept once, even if its first attempt reaches the database last.
const beginBatch = (values: string): string => `
  insert into last_batch (project_id, writer, number) values (${values})
  on conflict (project_id, writer) do update set number = excluded.number, at = excluded.at
  where last_batch.number < excluded.number returning number`;

/** The rows of new entries, with "new" each of them once. */
function entryRows(given: readonly NewEntry[], which: "all" | "new" | Batch) {
  const once = () => new Map(given.map((entry) => [`${entry.kind} ${entry.text}`, entry])).values();
  return (which === "new" ? [...once()] : given).map(({ kind, timestamp, text }) => ({
    kind: logKinds[kind].number,
    at: sortKey(timestamp),
    entry: text,
  }));
}

const namesOf = (rows: readonly Row[]): string[] => Object.keys(rows[0] ?? {});
const columnsOf = (rows: readonly Row[]): unknown[][] => namesOf(rows).map((name) => rows.map((row) => row[name]));

const types = new Map(copiedTables(tables).map(({ name, columns }) => [name, columns]));

/** Writes to one PostgreSQL: the steps of all projects in one transaction, with arrays of values. */
class PostgresWriter extends ProjectWriter {
  hold(projectId: string): Statement {
    return { sql: "select 1 from project where project_id = $1 for no key update", parameters: [projectId] };
  }

  insert(projectId: string, { table, rows, onConflict = "" }: NewRows): Statement[] {
    if (rows.length === 0) return [];
    const names = namesOf(rows);
    const typeOf = (name: string): string => (types.get(table)?.[name] === "text" ? "text" : "bigint");
    const lists = names.map((name, at) => `$${at + 2}::${typeOf(name)}[]`);
    const text = `insert into ${table} (project_id, ${names.join(", ")})
      select $1, ${names.join(", ")} from unnest(${lists.join(", ")}) as given (${names.join(", ")}) ${onConflict}`;
    return [{ sql: text, parameters: [projectId, ...columnsOf(rows)] }];
  }

  connect(projectId: string, seats: readonly ConnectedSeat[], until: number): Statement {
    const rows = seats.map((seat) => ({ ...seatRow(seat), since: seat.since }));
    return { sql: CONNECT, parameters: [projectId, ...columnsOf(rows), until] };
  }

  append(projectId: string, given: readonly NewEntry[], which: "all" | "new" | Batch): Statement {
    const parameters = [projectId, ...columnsOf(entryRows(given, which))];
    if (which === "all") return { sql: APPEND, parameters };
    if (which === "new") return { sql: APPEND_NEW, parameters };
    return { sql: APPEND_BATCH, parameters: [...parameters, which.writer, which.number] };
  }

  write(projects: readonly ProjectSteps[]): Promise<unknown[][]> {
    return this.writeSteps(projects.flatMap(({ steps }) => steps));
  }
}

// An end before the connection was created does not matter: `since` skips the partitions of those days.
const CONNECT = `
  insert into seat (project_id, ${SEAT}, connected, until)
  select $1, ${SEAT}, 1, $10::bigint
  from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::bigint[])
    as made (${SEAT}, since)
  where not exists (
    select 1 from ended where ended.project_id = $1 and ended.until >= made.since and ended.id in
      ('${endedPrefix.connection}' || made.connection_id, '${endedPrefix.session}' || made.session_id)
  ) ${RENEW_SEAT}`;

const GIVEN = `
  given as (
    select kind, at, entry, n
    from unnest($2::integer[], $3::text[], $4::text[]) with ordinality as given (kind, at, entry, n)
  )`;

const APPEND = `with ${GIVEN}, ${appendFrom("given")}`;
// The limit keeps PostgreSQL from reading the whole log for a join.
const APPEND_NEW = `
  with ${GIVEN}, fresh as (
    select kind, at, entry, n from given
    where not exists (
      select 1 from log_entry as known
      where known.project_id = $1 and known.kind = given.kind and known.at = given.at and known.entry = given.entry
      limit 1
    )
  ), ${appendFrom("fresh")}`;
const APPEND_BATCH = `
  with ${GIVEN}, unwritten as (${beginBatch("$1, $5, $6")}),
  new as (select given.* from given cross join unwritten), ${appendFrom("new")}`;

/** The end of a statement that appends the rows `kind, at, entry, n` of a common table expression. */
function appendFrom(table: string): string {
  return `
  head as (
    insert into log_head (project_id, kind, seq) select $1, kind, count(*) from ${table} group by kind order by kind
    on conflict (project_id, kind) do update set seq = log_head.seq + excluded.seq returning kind, seq, sealed_at
  ), numbered as (
    select new.kind, new.at, new.entry, new.at < head.sealed_at as is_late,
      head.seq - count(*) over (partition by new.kind) + row_number() over (partition by new.kind order by new.n) as seq
    from ${table} as new join head on head.kind = new.kind
  ), late as (
    insert into log_late (project_id, kind, at, seq) select $1, kind, at, seq from numbered where is_late
  )
  insert into log_entry (project_id, kind, at, seq, entry) select $1, kind, at, seq, entry from numbered`;
}

// More would take the connections from other work.
const PROJECTS_AT_ONCE = 4;
// The most that a statement may have in PostgreSQL.
const MAX_PARAMETERS = 65_535;

/**
 * Writes to several PostgreSQL: a transaction for each project, in its shard, since one for all would fail with any of
 * many shards. A statement that inserts selected rows, or into two tables, costs Citus several times as much as one
 * that inserts values: what depends on rows of the shard is read first.
 */
class CitusWriter extends ProjectWriter {
  // In the coordinator, through which all processes write. The row of the project is not in its shard.
  hold(projectId: string): Statement {
    return { sql: "select pg_advisory_xact_lock(hashtextextended($1, 0))", parameters: [projectId] };
  }

  insert(projectId: string, { table, rows, onConflict = "" }: NewRows): Statement[] {
    const names = namesOf(rows);
    const atOnce = Math.floor((MAX_PARAMETERS - 1) / names.length);
    return Array.from({ length: Math.ceil(rows.length / atOnce) }, (_, part) => {
      const own = rows.slice(part * atOnce, (part + 1) * atOnce);
      const values = own.map((_, row) => {
        const places = names.map((_, column) => `$${row * names.length + column + 2}`);
        return `($1, ${places.join(", ")})`;
      });
      return {
        sql: `insert into ${table} (project_id, ${names.join(", ")}) values ${values.join(", ")} ${onConflict}`,
        parameters: [projectId, ...own.flatMap((row) => Object.values(row))],
      };
    });
  }

  connect(projectId: string, seats: readonly ConnectedSeat[], until: number): Step {
    const since = seats.reduce((least, seat) => Math.min(least, seat.since), Number.MAX_SAFE_INTEGER);
    return {
      ask: [{ sql: ENDS, parameters: [projectId, seats.flatMap(endsOf), since] }],
      next: ([ends = []]) => {
        const lastEnds = new Map((ends as { id: string; until: number }[]).map((end) => [end.id, end.until]));
        const isLive = (seat: ConnectedSeat): boolean =>
          endsOf(seat).every((id) => (lastEnds.get(id) ?? Number.NEGATIVE_INFINITY) < seat.since);
        const rows = seats.filter(isLive).map((seat) => ({ ...seatRow(seat), connected: 1, until }));
        return this.insert(projectId, { table: "seat", rows, onConflict: RENEW_SEAT });
      },
    };
  }

  append(projectId: string, given: readonly NewEntry[], which: "all" | "new" | Batch): Step {
    const rows = entryRows(given, which);
    // In the order in which the rows of the logs are locked.
    const logs = [...new Set(rows.map(({ kind }) => kind))]
      .sort((one, other) => one - other)
      .map((kind) => ({ kind, all: rows.filter((row) => row.kind === kind) }));
    // Counted before it is known which are new: the log's row stays locked, and is corrected in the rare other case.
    const count = logs.map(({ kind, all }) => ({ sql: COUNT_UP, parameters: [projectId, kind, all.length] }));
    const insert = (heads: readonly (readonly unknown[])[], isNew: (row: LogRow) => boolean): Statement[] =>
      logs.flatMap(({ kind, all }, nth) => {
        const [{ seq, sealed_at }] = heads[nth] as [{ seq: number; sealed_at: string }];
        const entries = all
          .filter(isNew)
          .map(({ at, entry }, place) => ({ kind, at, seq: seq - all.length + place + 1, entry }));
        const late = entries.filter(({ at }) => at < sealed_at).map(({ entry, ...row }) => row);
        const surplus = all.length - entries.length;
        return [
          ...(surplus > 0 ? [{ sql: COUNT_DOWN, parameters: [projectId, kind, surplus] }] : []),
          ...this.insert(projectId, { table: "log_late", rows: late }),
          ...this.insert(projectId, { table: "log_entry", rows: entries }),
        ];
      });
    if (which === "all") return { ask: count, next: (heads) => insert(heads, () => true) };
    if (which === "new") {
      const asked = [projectId, logs.map(({ kind }) => kind), rows.map(({ at }) => at)];
      return {
        ask: [{ sql: KNOWN, parameters: asked }, ...count],
        next([found = [], ...heads]) {
          const known = new Set((found as Omit<LogRow, "at">[]).map(({ kind, entry }) => `${kind} ${entry}`));
          return insert(heads, ({ kind, entry }) => known.size === 0 || !known.has(`${kind} ${withoutNul(entry)}`));
        },
      };
    }
    const begin = { sql: beginBatch("$1, $2, $3"), parameters: [projectId, which.writer, which.number] };
    return { ask: [begin, ...count], next: ([begun = [], ...heads]) => insert(heads, () => begun.length > 0) };
  }

  async write(projects: readonly ProjectSteps[]): Promise<unknown[][]> {
    const written: unknown[][] = [];
    const failures = new Map<string, unknown>();
    const waiting = [...projects];
    const writeSome = async (): Promise<void> => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        await this.writeSteps(next.steps).then(
          (rows) => written.push(...rows),
          (error) => failures.set(next.projectId, error),
        );
      }
    };
    await Promise.all(Array.from({ length: PROJECTS_AT_ONCE }, writeSome));
    const [first] = failures.values();
    if (failures.size === projects.length && failures.size > 0) throw first;
    if (failures.size > 0) throw new PartlyWritten(new Set(failures.keys()), first);
    return written;
  }
}

type LogRow = ReturnType<typeof entryRows>[number];

const endsOf = ({ connectionId, sessionId }: ConnectedSeat): string[] => [
  withoutNul(endedPrefix.connection + connectionId),
  ...(sessionId === null ? [] : [withoutNul(endedPrefix.session + sessionId)]),
];

const ENDS = `
  select id, max(until) as until from ended where project_id = $1 and id = any($2::text[]) and until >= $3 group by id`;
// Few entries of a log have the same time.
const KNOWN = `
  select kind, entry from log_entry
  where project_id = $1 and kind = any($2::integer[]) and at = any($3::text[])`;
const COUNT_UP = `
  insert into log_head (project_id, kind, seq) values ($1, $2, $3)
  on conflict (project_id, kind) do update set seq = log_head.seq + excluded.seq returning seq, sealed_at`;
const COUNT_DOWN = "update log_head set seq = seq - $3 where project_id = $1 and kind = $2";
