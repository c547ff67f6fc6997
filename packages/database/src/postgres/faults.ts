import { DatabaseError, messageOf } from "../errors.js";

// PostgreSQL's own names for a connection that is lost, as it is shutting down, starting or full; and the system's.
const LOST =
  /^(08...|57P0[1-5]|53300|ECONN.*|EPIPE|ENOENT|EACCES|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ETIMEDOUT)$/;
// What pg says of it without a code.
const LOST_MESSAGE =
  /connection terminated|timeout exceeded when trying to connect|query read timeout|connection error|not queryable|client was closed/i;
// The connection is well, but the server has no room, took too long, or may only be read: it is a standby.
const BUSY = /^(53...|57014|55P03|25006)$/;
// Two transactions stood in each other's way: it goes well the next time.
const CONFLICT = /^(40001|40P01)$/;

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";

/** Whether a transaction may be run again as it is. */
export const isConflict = (error: unknown): boolean => CONFLICT.test(codeOf(error));

/** Whether the connection that this came from is of no more use. */
export function isBroken(error: unknown): boolean {
  // A statement prepared before the tables were changed would fail again and again, and a standby stays one.
  return isLost(error) || /^(0A000|25006)$/.test(codeOf(error));
}

/** What went wrong, as who asked is told: that PostgreSQL cannot be asked now, or what it said. */
export function toFault(error: unknown): unknown {
  if (!isLost(error) && !BUSY.test(codeOf(error))) return error;
  return new DatabaseError("unavailable", `PostgreSQL cannot be asked now: ${messageOf(error)}.`, { cause: error });
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
