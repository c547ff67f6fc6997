import { codeOf, DatabaseError, messageOf } from "../errors.js";

// PostgreSQL's own names for a connection that is lost, as it is shutting down, starting or full; and the system's.
const LOST =
  /^(08...|57P0[1-5]|53300|ECONN.*|EPIPE|ENOENT|EACCES|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ETIMEDOUT)$/;
// What pg says of it without a code.
const LOST_MESSAGE =
  /connection terminated|timeout exceeded when trying to connect|query read timeout|connection error|not queryable|client was closed/i;
// The connection is well, but the server has no room, took too long, or may only be read: it is a standby.
const BUSY = /^(53...|57014|25006)$/;
const LOCKED = /^55P03$/;
// The database, its tables or the right to use them are gone: it was emptied, dropped or is being restored.
const GONE = /^(3D000|3F000|42P01|42501|28P01|28000)$/;
// The disk under it has failed, or pages are damaged.
const DAMAGED = /^(58...|XX00[12])$/;
// Two transactions stood in each other's way: it goes well the next time.
const CONFLICT = /^(40001|40P01)$/;

/** Whether the server itself said this, and is not just silent. */
export const isSaidByServer = (error: unknown): boolean => /^(?=.*\d)[\dA-Z]{5}$/.test(codeOf(error));

/** Whether a transaction may be run again as it is. */
export const isConflict = (error: unknown): boolean => CONFLICT.test(codeOf(error));

/** Whether the connection that this came from is of no more use. */
export function isBroken(error: unknown): boolean {
  // A statement prepared before the tables were changed would fail again and again, and a standby stays one.
  return isLost(error) || /^(0A000|25006)$/.test(codeOf(error));
}

/** What went wrong, as the caller is told: that PostgreSQL cannot be used now, or what it said. */
export function toFault(error: unknown): unknown {
  const advice = adviceFor(error);
  if (advice === undefined) return error;
  const message = `PostgreSQL cannot be asked now: ${messageOf(error)}.${advice}`;
  return new DatabaseError("unavailable", message, { cause: error });
}

/** What to do where PostgreSQL cannot be used now; undefined where it can. */
function adviceFor(error: unknown): string | undefined {
  const code = codeOf(error);
  if (isLost(error) || BUSY.test(code)) return "";
  if (LOCKED.test(code)) return " Another session holds a lock: pg_stat_activity shows which.";
  if (GONE.test(code)) {
    return " Its tables, or the right to use them, are gone: restore a backup, or give the right back. Starting the program again makes new, empty tables.";
  }
  return DAMAGED.test(code) ? " Its disk or its files are damaged: see its own log." : undefined;
}

/** PostgreSQL answers a commit of a transaction that has failed as if nothing were wrong, but with another tag. */
export function checkCommitted(tag: string | undefined): void {
  if (tag !== "COMMIT") throw new Error("The transaction was rolled back and not committed.");
}

function isLost(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isLost);
  const code = codeOf(error);
  return code === "" ? LOST_MESSAGE.test(messageOf(error)) : LOST.test(code);
}
