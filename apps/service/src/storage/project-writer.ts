import { DatabaseError, messageOf, type Statement, type Step } from "@media-ops/database";
import { CLOCKS_APART_MS, NEWER_BY_MS } from "../admission/seats.js";
import { type Batch, logKinds, type NewEntry, sortKey } from "../logs/log-store.js";
import type { Storage } from "./open-storage.js";

/** Rows to insert into one of a project's tables. */
export interface NewRows {
  readonly table: string;
  /** All columns but `project_id`, with their types. */
  readonly columns: Readonly<Record<string, "text" | "integer" | "bigint">>;
  /** The values of each row, in the order of the columns. */
  readonly rows: readonly (readonly unknown[])[];
  /** What becomes of those that exist: "on conflict …". */
  readonly onConflict?: string;
}

/** A connection that gets a seat, unless it has ended. */
export interface ConnectedSeat {
  readonly channelId: string;
  readonly connectionId: string;
  readonly nodeName: string;
  readonly sessionId: string | null;
  readonly clientId: string | null;
  readonly role: string | null;
  readonly at: string;
  /** The earliest `until` of a remembered end that can affect it. */
  readonly since: number;
}

/** The end of a connection or a session. */
export interface EndedSeats {
  /** With its prefix: see `endedPrefix`. */
  readonly id: string;
  readonly eventId: string;
  /** Until when the end is remembered, in ms since 1970. */
  readonly until: number;
  /** The channel, the id in it, and for a session its times. */
  readonly freed: readonly (string | null)[];
}

/** The part of a transaction that belongs to one project. */
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
  abstract end(projectId: string, which: "connections" | "sessions", ends: readonly EndedSeats[]): Statement[];

  /** Gives connections their seats until a time, in ms since 1970. */
  abstract connect(projectId: string, seats: readonly ConnectedSeat[], until: number): Step;

  /**
   * Appends entries to the project's logs.
   *
   * @param which With "new", those that their logs have already are left out; the project must be held. Those of a
   * batch are left out if it was written before.
   */
  abstract append(projectId: string, entries: readonly NewEntry[], which: "all" | "new" | Batch): Step;

  /** Writes the steps of each project together, or none of them. Returns the rows of all statements. */
  abstract write(projects: readonly ProjectSteps[]): Promise<unknown[][]>;
}

/** What a writer needs of the database. */
export type WriterStorage = Partial<Pick<Storage, "isDistributed" | "writeSteps">>;

type WriteSteps = NonNullable<Storage["writeSteps"]>;

/** What becomes of a seat that a connection has already. */
export const RENEW_SEAT = `
  on conflict (project_id, channel_id, connection_id) do update set
    node_name = excluded.node_name, session_id = excluded.session_id, client_id = excluded.client_id,
    role = excluded.role, connected = 1, at = excluded.at, until = excluded.until
  where seat.connected = 0 or seat.until < excluded.until - ${NEWER_BY_MS}
    or seat.until > excluded.until + ${CLOCKS_APART_MS}`;

/** Which seats an end frees, as a condition on a row of `given`. */
export const IS_FREED = {
  connections: "seat.connection_id = given.name",
  // The session's own seats, and those of earlier sessions whose end was lost. Later connections, and admitted clients
  // that have not connected yet, belong to another session.
  sessions: `(seat.session_id = given.name
    or (connected = 1 and (seat.at < given.since or (seat.session_id is null and seat.at <= given.gone_at))))`,
};

/** The columns of {@link seatValues}. */
export const SEAT = "channel_id, connection_id, node_name, session_id, client_id, role, at";

/** The values of a seat's columns. */
export const seatValues = ({ channelId, connectionId, nodeName, sessionId, clientId, role, at }: ConnectedSeat) =>
  [channelId, connectionId, nodeName, sessionId, clientId, role, at] as const;

/**
 * Begins a batch, unless it was written before: then there is no row. A repeated batch waits for the row, so that it is
 * kept once, even if its first attempt reaches the database after the second.
 */
export const BEGIN_BATCH = (values: string): string => `
  insert into last_batch (project_id, writer, number) values (${values})
  on conflict (project_id, writer) do update set number = excluded.number, at = excluded.at
  where last_batch.number < excluded.number returning number`;

/** The numbers of the kinds, the sort keys and the texts of entries. */
export const columnsOf = (entries: readonly NewEntry[]): [number[], string[], string[]] => [
  entries.map(({ kind }) => logKinds[kind].number),
  entries.map(({ timestamp }) => sortKey(timestamp)),
  entries.map(({ text }) => text),
];

/** The same entries, each once. */
export const distinct = (entries: readonly NewEntry[]): NewEntry[] => [
  ...new Map(entries.map((entry) => [`${entry.kind} ${entry.text}`, entry])).values(),
];
