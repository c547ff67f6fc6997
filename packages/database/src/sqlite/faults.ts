import { codeOf, DatabaseError, messageOf } from "../errors.js";

interface KnownFault {
  /** The codes of SQLite, or of the system for errors before SQLite is called. */
  readonly code: RegExp;
  readonly message?: RegExp;
  readonly reason: string;
  readonly advice: string;
}

const FULL = /^(SQLITE_FULL|ENOSPC)$/;
const NO_ROOM = /^(SQLITE_IOERR_(WRITE|SHMSIZE|SHMOPEN|TRUNCATE)|EDQUOT|EFBIG)$/;

// The first match wins.
const KNOWN: readonly KnownFault[] = [
  {
    code: FULL,
    reason: "its disk is full",
    advice: "Make room on the disk.",
  },
  {
    // A quota, or a limit on file size, appears as a failed write.
    code: NO_ROOM,
    reason: "it cannot be written: its disk is full or has failed, or a quota or limit of file sizes is reached",
    advice: "Make room on the disk, and check the quota and ulimit -f.",
  },
  {
    code: /^(SQLITE_IOERR.*|EIO)$/,
    reason: "its disk has failed",
    advice: "Check the disk and the system's log.",
  },
  {
    code: /^SQLITE_(BUSY|LOCKED).*$/,
    reason: "another process has kept it locked for 10 s",
    advice:
      "Try again when that has ended: media-ops restore, another start that changes the tables, or a program such as sqlite3.",
  },
  {
    code: /^(SQLITE_READONLY.*|EROFS|EACCES|EPERM)$/,
    reason: "it may not be written",
    advice:
      "The user that runs this program must own the file, the files beside it and their folder, and the disk must not be mounted read-only: check with ls -l.",
  },
  {
    code: /^(SQLITE_CANTOPEN.*|EMFILE|ENFILE)$/,
    reason: "it, or a file that belongs beside it, cannot be opened",
    advice:
      "It must be a file that the user who runs this program may read and write, in a folder where that user may make files; ulimit -n limits how many may be open.",
  },
  {
    code: /^SQLITE_ERROR$/,
    message: /^no such table\b/,
    reason: "tables of it are gone",
    advice: "Another program has changed it: stop the program that did, and restore a backup.",
  },
];

const DAMAGED = /^SQLITE_(CORRUPT.*|NOTADB|IOERR_(DATA|CORRUPTFS))$/;

/** Whether SQLite reports that a file is damaged, or not a database. */
export const isDamage = (error: unknown): boolean => DAMAGED.test(codeOf(error));

/** Whether there is no space for a write. Reads may still work. */
export const lacksRoom = (error: unknown): boolean => FULL.test(codeOf(error)) || NO_ROOM.test(codeOf(error));

/** Why a file could not be opened, and the next step. */
export function openFault(file: string, error: unknown): DatabaseError {
  if (error instanceof DatabaseError) return error;
  const { reason, advice } = knownFault(error) ?? {
    reason: messageOf(error),
    advice: "Is it an SQLite file, and may it be read and written?",
  };
  const message = `The database ${file} could not be opened: ${said(reason, error)}. ${advice}`;
  return new DatabaseError("open", message, { cause: error });
}

/** The error of an open database for the caller: that it cannot be used now, or SQLite's error. */
export function toFault(name: string, error: unknown): unknown {
  const known = knownFault(error);
  if (!known) return error;
  const message = `The database ${name} cannot be used now: ${said(known.reason, error)}. ${known.advice}`;
  return new DatabaseError("unavailable", message, { cause: error });
}

/** The error for all callers after damage was detected. */
export function damageFault(name: string, error: unknown): DatabaseError {
  const message = `The database ${name} is damaged (${messageOf(error)}): nothing more is written to it or read from it. Stop the program, keep a copy of the file, restore a backup, and start again.`;
  return new DatabaseError("unavailable", message, { cause: error });
}

const knownFault = (error: unknown): KnownFault | undefined =>
  KNOWN.find(({ code, message }) => code.test(codeOf(error)) && (message?.test(messageOf(error)) ?? true));

const said = (reason: string, error: unknown): string => {
  const code = codeOf(error);
  return `${reason} (${code === "" || code === "SQLITE_ERROR" ? messageOf(error) : code})`;
};
