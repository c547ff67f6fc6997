import type { Kysely, Migration } from "kysely";
import type { DatabaseError } from "./errors.js";
import type { Committer, CommitterOptions } from "./group-commit.js";

/** A statement with its values. */
export interface Statement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** Migrations by name; they run in the order of their names. */
export type Migrations = Readonly<Record<string, Migration>>;

/** Options of `openDatabase`. */
export interface OpenOptions {
  /** The program that owns the tables. Several programs may keep theirs in one database. */
  owner: string;
  /** The owner's migrations for each kind of database. */
  migrations: { readonly sqlite: Migrations; readonly postgres: Migrations };
  /**
   * Refuses a database that does not exist, with the code "missing", instead of creating it or its first tables.
   *
   * @default false
   */
  mustExist?: boolean;
  /** For a program that runs for long: the database is checked, watched and, if it is deleted, saved. */
  watcher?: DatabaseWatcher;
  /**
   * Whether another thread of this process has the database open, and watches it.
   *
   * @default false
   */
  isOpenInProcess?: boolean;
  /**
   * How many connections to PostgreSQL there may be at most: for a program that divides those of the URL.
   *
   * @default as many as the URL says
   */
  connections?: number;
}

/** An open database with up-to-date tables. */
export interface Database<Tables> {
  readonly kind: "sqlite" | "postgres";
  /** The file; undefined in memory and in PostgreSQL. */
  readonly file: string | undefined;
  /** Runs queries. In SQLite, reads outside of a transaction do not wait for writes. */
  readonly query: Kysely<Tables>;
  /**
   * Runs statements one after another in one transaction, all or none: the fastest way to write. Returns the rows of those
   * that return rows, in their order.
   */
  writeAll(statements: readonly Statement[]): Promise<unknown[][]>;
  /** Combines the work of many callers into few commits, as it is fastest in this database. */
  groupCommit<Item, Result>(options: CommitterOptions<Item, Result>): Committer<Item, Result>;
  /**
   * What and where it is, for operators.
   *
   * @throws {DatabaseError} if it does not keep what was committed.
   */
  describe(): Promise<string>;
  /** A short text that is the same for all processes that have this very database open, and differs for a copy of it. */
  fingerprint(): Promise<string>;
  /**
   * Checks that the database is where it was, and the same.
   *
   * @throws {DatabaseError} which says why nothing can be written now.
   */
  check(): Promise<void>;
  /** Writes a consistent copy to a new file, during reads and writes. */
  backup(file: string): Promise<void>;
  /** Waits for what has begun, and closes. */
  close(): Promise<void>;
}

/** Which version of the owner's tables a database holds. */
export type TableState =
  /** None of the owner's. */
  | { readonly kind: "none" }
  /** The owner's, as this version leaves them. */
  | { readonly kind: "current" }
  /** The owner's, from an older version. */
  | { readonly kind: "older" }
  /** The owner's, from a newer version: `migration` is one that this version does not know. */
  | { readonly kind: "newer"; readonly migration: string };

/** A database that is open for inspection. */
export interface Glimpse<Tables>
  extends Pick<Database<Tables>, "kind" | "file" | "describe" | "fingerprint" | "close"> {
  /** Runs queries; a write is refused, or must not be tried. */
  readonly query: Kysely<Tables>;
  /** Unless the tables are "current", a query may miss tables and columns. */
  readonly tables: TableState;
}

/** Receives what happens to a database while a program runs on it. */
export interface DatabaseWatcher {
  /** Something that operators want to know. */
  note(text: string): void;
  /** Nothing can be written from now on, and why; without an error, writing works again. */
  changed(error: DatabaseError | undefined): void;
  /** The database is well, but this program must restart to use it. */
  restart(reason: DatabaseError): void;
}

/** Logs what happens to a program's database. `mustRestart` resolves, with the reason, once the program must restart. */
export function watchDatabase(log: { info(message: string): void; error(fields: object, message: string): void }): {
  watcher: DatabaseWatcher;
  mustRestart: Promise<DatabaseError>;
} {
  let restart: DatabaseWatcher["restart"] = () => {};
  const mustRestart = new Promise<DatabaseError>((resolve) => {
    restart = resolve;
  });
  const watcher: DatabaseWatcher = {
    note: (text) => log.info(text),
    changed(error) {
      if (error) log.error({ err: error }, "the database cannot be written");
      else log.info("the database can be written again");
    },
    restart,
  };
  return { watcher, mustRestart };
}
