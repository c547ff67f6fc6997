import type { Statement } from "@media-ops/database";
import { endedPrefix } from "../admission/seats.js";
import type { Batch, NewEntry } from "../logs/log-store.js";
import { CitusWriter } from "./citus-writer.js";
import {
  BEGIN_BATCH,
  type ConnectedSeat,
  columnsOf,
  distinct,
  type EndedSeats,
  IS_FREED,
  type NewRows,
  type ProjectSteps,
  ProjectWriter,
  RENEW_SEAT,
  SEAT,
  seatValues,
  type WriterStorage,
} from "./project-writer.js";

/** The writer for a PostgreSQL database, with Citus or without. */
export function projectWriterOf({ isDistributed, writeSteps }: WriterStorage): ProjectWriter {
  if (!writeSteps) throw new Error("Only PostgreSQL writes the rows of projects in this way.");
  return isDistributed ? new CitusWriter(writeSteps) : new PostgresWriter(writeSteps);
}

const GIVEN = `
  given as (
    select kind, at, entry, n
    from unnest($2::integer[], $3::text[], $4::text[]) with ordinality as given (kind, at, entry, n)
  )`;

/** Writes to one PostgreSQL: the steps of all projects in one transaction, with arrays of values. */
class PostgresWriter extends ProjectWriter {
  hold(projectId: string): Statement {
    return { sql: "select 1 from project where project_id = $1 for no key update", parameters: [projectId] };
  }

  insert(projectId: string, { table, columns, rows, onConflict = "" }: NewRows): Statement[] {
    if (rows.length === 0) return [];
    const names = Object.keys(columns).join(", ");
    const lists = Object.values(columns).map((type, at) => `$${at + 2}::${type}[]`);
    const text = `insert into ${table} (project_id, ${names})
      select $1, ${names} from unnest(${lists.join(", ")}) as given (${names}) ${onConflict}`;
    return [{ sql: text, parameters: [projectId, ...lists.map((_, at) => rows.map((row) => row[at]))] }];
  }

  end(projectId: string, which: "connections" | "sessions", ends: readonly EndedSeats[]): Statement[] {
    const rows = ends.map(({ id, eventId, until, freed }) => [id, eventId, until, ...freed]);
    const columns = [0, 1, 2, 3, 4, 5, 6].map((at) => rows.map((row) => row[at] ?? null));
    return [{ sql: END[which], parameters: [projectId, ...columns] }];
  }

  connect(projectId: string, seats: readonly ConnectedSeat[], until: number): Statement {
    const rows = seats.map((seat) => [...seatValues(seat), seat.since]);
    const columns = [0, 1, 2, 3, 4, 5, 6, 7].map((at) => rows.map((row) => row[at]));
    return { sql: CONNECT, parameters: [projectId, ...columns, until] };
  }

  append(projectId: string, given: readonly NewEntry[], which: "all" | "new" | Batch): Statement {
    if (which === "all") return { sql: APPEND, parameters: [projectId, ...columnsOf(given)] };
    if (which === "new") return { sql: APPEND_NEW, parameters: [projectId, ...columnsOf(distinct(given))] };
    return { sql: APPEND_BATCH, parameters: [projectId, ...columnsOf(given), which.writer, which.number] };
  }

  write(projects: readonly ProjectSteps[]): Promise<unknown[][]> {
    return this.writeSteps(projects.flatMap(({ steps }) => steps));
  }
}

const end = (isFreed: string): string => `
  with given as (
    select * from unnest($2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::text[])
      as given (id, event_id, until, channel_id, name, since, gone_at)
  ), freed as (
    delete from seat using given where seat.project_id = $1 and seat.channel_id = given.channel_id and ${isFreed}
  )
  insert into ended (project_id, id, event_id, until) select $1, id, event_id, until from given
  on conflict do nothing`;
const END = { connections: end(IS_FREED.connections), sessions: end(IS_FREED.sessions) };

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
  with ${GIVEN}, unwritten as (${BEGIN_BATCH("$1, $5, $6")}),
  new as (select given.* from given cross join unwritten), ${appendFrom("new")}`;

/**
 * The end of a statement that appends the rows `kind, at, entry, n` of a common table expression to the logs of project
 * $1. Each log's number is incremented first: other writers of the log wait for it, so numbers become visible in order,
 * and entries of a time that is being indexed are noted as late.
 */
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
