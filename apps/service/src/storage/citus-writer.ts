import { type Statement, type Step, withoutNul } from "@media-ops/database";
import { endedPrefix } from "../admission/seats.js";
import type { Batch, NewEntry } from "../logs/log-store.js";
import {
  BEGIN_BATCH,
  type ConnectedSeat,
  columnsOf,
  distinct,
  type EndedSeats,
  IS_FREED,
  type NewRows,
  PartlyWritten,
  type ProjectSteps,
  ProjectWriter,
  RENEW_SEAT,
  seatValues,
} from "./project-writer.js";
import type { Tables } from "./tables.js";

// More would take the connections from other work.
const PROJECTS_AT_ONCE = 4;
// The most that a statement may have in PostgreSQL.
const MAX_PARAMETERS = 65_535;

/**
 * Writes to several PostgreSQL: a transaction for each project, in its shard. One for all would be committed in two
 * phases, and fail if one of many shards fails. A statement that inserts selected rows, or into two tables, costs Citus
 * several times as much as one that inserts values: what depends on rows of the shard is read first.
 */
export class CitusWriter extends ProjectWriter {
  // In the coordinator, through which all processes write. The row of the project is not in its shard.
  hold(projectId: string): Statement {
    return { sql: "select pg_advisory_xact_lock(hashtextextended($1, 0))", parameters: [projectId] };
  }

  insert(projectId: string, { table, columns, rows, onConflict = "" }: NewRows): Statement[] {
    const names = Object.keys(columns);
    const atOnce = Math.floor((MAX_PARAMETERS - 1) / names.length);
    return Array.from({ length: Math.ceil(rows.length / atOnce) }, (_, part) => {
      const own = rows.slice(part * atOnce, (part + 1) * atOnce);
      const values = own.map((_, row) => {
        const places = names.map((_, column) => `$${row * names.length + column + 2}`);
        return `($1, ${places.join(", ")})`;
      });
      return {
        sql: `insert into ${table} (project_id, ${names.join(", ")}) values ${values.join(", ")} ${onConflict}`,
        parameters: [projectId, ...own.flat()],
      };
    });
  }

  end(projectId: string, which: "connections" | "sessions", ends: readonly EndedSeats[]): Statement[] {
    const freed = [0, 1, 2, 3].map((at) => ends.map((one) => one.freed[at] ?? null));
    const rows = ends.map(({ id, eventId, until }) => [id, eventId, until]);
    const noted = { table: "ended", columns: ENDED_COLUMNS, rows, onConflict: "on conflict do nothing" };
    return [{ sql: FREE[which], parameters: [projectId, ...freed] }, ...this.insert(projectId, noted)];
  }

  connect(projectId: string, seats: readonly ConnectedSeat[], until: number): Step {
    const since = seats.reduce((least, seat) => Math.min(least, seat.since), Number.MAX_SAFE_INTEGER);
    return {
      ask: [{ sql: ENDS, parameters: [projectId, seats.flatMap(endsOf), since] }],
      next: ([ends = []]) => {
        const lastEnds = new Map((ends as { id: string; until: number }[]).map((end) => [end.id, end.until]));
        const isLive = (seat: ConnectedSeat): boolean =>
          endsOf(seat).every((id) => (lastEnds.get(id) ?? Number.NEGATIVE_INFINITY) < seat.since);
        const rows = seats.filter(isLive).map((seat) => [...seatValues(seat), 1, until]);
        return this.insert(projectId, { table: "seat", columns: SEAT_COLUMNS, rows, onConflict: RENEW_SEAT });
      },
    };
  }

  append(projectId: string, given: readonly NewEntry[], which: "all" | "new" | Batch): Step {
    const entries = which === "new" ? distinct(given) : given;
    const columns = columnsOf(entries);
    const kinds = [...new Set(columns[0])].sort((one, other) => one - other);
    const counts = new Map(kinds.map((kind) => [kind, columns[0].filter((one) => one === kind).length]));
    let first: Statement | undefined;
    if (which === "new") first = { sql: KNOWN, parameters: [projectId, kinds, columns[1]] };
    else if (which !== "all")
      first = { sql: BEGIN_BATCH("$1, $2, $3"), parameters: [projectId, which.writer, which.number] };
    // Counted before it is known which are new: the log's row stays locked, and is corrected in the rare other case.
    const heads = kinds.map((kind) => ({ sql: COUNT_UP, parameters: [projectId, kind, counts.get(kind)] }));
    return {
      ask: [...(first ? [first] : []), ...heads],
      next: (rows) => {
        const [firstRows, ...headRows] = first ? rows : [[], ...rows];
        const isWritten = typeof which === "object" && firstRows?.length === 0;
        const known = new Set(
          which === "new" ? (firstRows as Known[]).map(({ kind, entry }) => `${kind} ${entry}`) : [],
        );
        const isNew = (place: number): boolean =>
          !isWritten && !known.has(`${columns[0][place]} ${withoutNul(columns[2][place] ?? "")}`);
        return kinds.flatMap((kind, at) => {
          const head = headRows[at]?.[0] as Head;
          const places = columns[0].flatMap((one, place) => (one === kind && isNew(place) ? [place] : []));
          return this.#number(projectId, kind, { head, counted: counts.get(kind) ?? 0, places, columns });
        });
      },
    };
  }

  /** Inserts the entries at some places of the columns, with the numbers that their log's row has counted for them. */
  #number(projectId: string, kind: number, { head, counted, places, columns }: Numbered): Statement[] {
    const [, times, texts] = columns;
    const before = head.seq - counted;
    const rows = places.map((place, nth) => [kind, times[place] ?? "", before + nth + 1, texts[place]] as const);
    const late = rows.filter(([, at]) => at < head.sealed_at).map(([kind, at, seq]) => [kind, at, seq]);
    const surplus = counted - rows.length;
    return [
      ...(surplus > 0 ? [{ sql: COUNT_DOWN, parameters: [projectId, kind, surplus] }] : []),
      ...this.insert(projectId, { table: "log_late", columns: LATE_COLUMNS, rows: late }),
      ...this.insert(projectId, { table: "log_entry", columns: ENTRY_COLUMNS, rows }),
    ];
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

const endsOf = ({ connectionId, sessionId }: ConnectedSeat): string[] => [
  withoutNul(endedPrefix.connection + connectionId),
  ...(sessionId === null ? [] : [withoutNul(endedPrefix.session + sessionId)]),
];

type Known = Pick<Tables["log_entry"], "kind" | "entry">;

interface Head {
  readonly seq: number;
  readonly sealed_at: string;
}

/** New entries of one log. */
interface Numbered {
  readonly head: Head;
  /** By how many the log's number was incremented. */
  readonly counted: number;
  readonly places: readonly number[];
  readonly columns: ReturnType<typeof columnsOf>;
}

const SEAT_COLUMNS = {
  channel_id: "text",
  connection_id: "text",
  node_name: "text",
  session_id: "text",
  client_id: "text",
  role: "text",
  at: "text",
  connected: "integer",
  until: "bigint",
} as const;
const ENDED_COLUMNS = { id: "text", event_id: "text", until: "bigint" } as const;
const LATE_COLUMNS = { kind: "integer", at: "text", seq: "bigint" } as const;
const ENTRY_COLUMNS = { ...LATE_COLUMNS, entry: "text" } as const;

const free = (isFreed: string): string => `
  delete from seat using unnest($2::text[], $3::text[], $4::text[], $5::text[]) as given (channel_id, name, since, gone_at)
  where seat.project_id = $1 and seat.channel_id = given.channel_id and ${isFreed}`;
const FREE = { connections: free(IS_FREED.connections), sessions: free(IS_FREED.sessions) };
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
