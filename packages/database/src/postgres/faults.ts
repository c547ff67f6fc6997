import { codeOf, DatabaseError, messageOf } from "../errors.js";

// PostgreSQL's codes for a lost connection while it is shutting down, starting or full; and the system's codes.
const LOST =
  /^(08...|57P0[1-5]|53300|ECONN.*|EPIPE|ENOENT|EACCES|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ETIMEDOUT)$/;
// pg's own messages for a lost connection, which have no code.
const LOST_MESSAGE =
  /connection terminated|timeout exceeded when trying to connect|query read timeout|connection error|not queryable|client was closed/i;
// The connection works, but the server is full, took too long, or is a read-only standby.
const BUSY = /^(53...|57014|25006)$/;
const LOCKED = /^55P03$/;
// The database, its tables or the right to use them are gone: it was emptied, dropped or is being restored.
const GONE = /^(3D000|3F000|42P01|42501|28P01|28000)$/;
// The disk has failed, or pages are damaged.
const DAMAGED = /^(58...|XX00[12])$/;
// Two transactions blocked each other: a retry works.
const CONFLICT = /^(40001|40P01)$/;

/** Whether the error is a response of the server, not a broken or silent connection. */
export const isFromServer = (error: unknown): boolean => /^(?=.*\d)[\dA-Z]{5}$/.test(codeOf(error));

/** Whether a transaction may be retried unchanged. */
export const isConflict = (error: unknown): boolean => CONFLICT.test(codeOf(error));

/** Whether the connection that this error came from can no longer be used. */
export function isBroken(error: unknown): boolean {
  // A statement that was prepared before the tables changed would fail every time, a standby remains read-only, and
  // after a timeout Citus goes on waiting for a worker that does not answer.
  return isLost(error) || /^(0A000|25006|57014)$/.test(codeOf(error));
}

/** The error for the caller: PostgreSQL cannot be used now, or the original error. */
export function toFault(error: unknown): unknown {
  const advice = adviceFor(error);
  if (advice === undefined) return error;
  const message = `PostgreSQL cannot be used now: ${messageOf(error)}.${advice}`;
  return new DatabaseError("unavailable", message, { cause: error });
}

/** The error for a database that could not be opened. */
export function openFault(error: unknown): DatabaseError {
  if (error instanceof DatabaseError && error.code !== "unavailable") return error;
  const message = `PostgreSQL could not be opened: ${messageOf(error).replace(/\.$/, "")}. Does it run there, and are user, password and database right?`;
  return new DatabaseError("open", message, { cause: error });
}

function adviceFor(error: unknown): string | undefined {
  const code = codeOf(error);
  if (isLost(error) || BUSY.test(code) || CONFLICT.test(code)) return "";
  if (LOCKED.test(code)) return " Another session holds a lock: pg_stat_activity shows which.";
  if (GONE.test(code)) {
    return " Its tables, or the right to use them, are gone: restore a backup, or give the right back. Starting the program again makes new, empty tables.";
  }
  return DAMAGED.test(code) ? " Its disk or its files are damaged: see its own log." : undefined;
}

/** PostgreSQL reports no error when a failed transaction is committed, but returns another tag. */
export function checkCommitted(tag: string | undefined): void {
  if (tag !== "COMMIT") throw new Error("The transaction was rolled back and not committed.");
}

function isLost(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isLost);
  const code = codeOf(error);
  return code === "" ? LOST_MESSAGE.test(messageOf(error)) : LOST.test(code);
}
