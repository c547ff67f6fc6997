import type { Kysely, Migration } from "kysely";
import type { DatabaseError } from "./errors.js";
import type { Committer, CommitterOptions } from "./group-commit.js";

/** A statement with its values. */
export interface Statement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** Statements whose rows decide which steps follow in the same transaction. */
export interface Exchange {
  readonly ask: readonly Statement[];
  /** `rows` are those of each statement; it is called again if the transaction has to be repeated. */
  next(rows: readonly (readonly unknown[])[]): readonly Step[];
}

/** A part of a transaction. */
export type Step = Statement | Exchange;

/** Migrations by name; they run in the order of their names. */
export type Migrations = Readonly<Record<string, Migration>>;

/** Tables that Citus distributes over several PostgreSQL. */
export interface DistributedTables {
  /** The column by whose values their rows are distributed, which leads the primary key of each table. */
  readonly column: string;
  readonly names: readonly string[];
  /** A table that has all values and is not distributed, to refuse those whose worker does not answer. */
  readonly valuesIn?: string;
}

/** Options of `openDatabase`. */
export interface OpenOptions {
  /** The program that owns the tables. Several programs can share one database. */
  owner: string;
  migrations: {
    readonly sqlite: Migrations;
    readonly postgres: Migrations;
    readonly distributed?: DistributedTables;
  };
  /** Refuses a missing database with the code "missing", instead of creating it or its first tables. @default false */
  mustExist?: boolean;
  /** For long-running programs: the database is checked, monitored and, if it is deleted, saved. */
  watcher?: DatabaseWatcher;
  /** Whether another thread of this process has the database open, and monitors it. @default false */
  isOpenInProcess?: boolean;
  /** The maximum number of connections to PostgreSQL. @default the number in the URL */
  connections?: number;
}

/** An open database with up-to-date tables. */
export interface Database<Tables> {
  readonly kind: "sqlite" | "postgres";
  /** Whether Citus distributes the owner's tables over several PostgreSQL. */
  readonly isDistributed: boolean;
  /** The file; undefined in memory and in PostgreSQL. */
  readonly file: string | undefined;
  /** Runs queries. In SQLite, reads outside of a transaction never wait for writes. */
  readonly query: Kysely<Tables>;
  /** Runs statements in one transaction, the fastest way to write. Returns the rows of those that return some. */
  writeAll(statements: readonly Statement[]): Promise<unknown[][]>;
  /** The same for steps, without the rows of exchanges. */
  writeSteps(steps: readonly Step[]): Promise<unknown[][]>;
  /** Combines the work of many callers into few commits, in the way that is fastest in this database. */
  groupCommit<Item, Result>(options: CommitterOptions<Item, Result>): Committer<Item, Result>;
  /** Its kind and location, for operators. @throws {DatabaseError} if it does not keep committed data. */
  describe(): Promise<string>;
  /** A short text that is the same for all processes with this database open, and differs for a copy of it. */
  fingerprint(): Promise<string>;
  /** @throws {DatabaseError} which says why writes are refused, if it is not in its place and unchanged. */
  check(): Promise<void>;
  /** Writes a consistent copy to a new file, during reads and writes. */
  backup(file: string): Promise<void>;
  close(): Promise<void>;
}

/** The version of the owner's tables in a database. */
export type TableState =
  | { readonly kind: "none" }
  | { readonly kind: "current" }
  | { readonly kind: "older" }
  /** `migration` is one that this version does not know. */
  | { readonly kind: "newer"; readonly migration: string };

/** A database that is open for inspection. */
export interface Glimpse<Tables>
  extends Pick<Database<Tables>, "kind" | "isDistributed" | "file" | "describe" | "fingerprint" | "close"> {
  /** Runs queries. Writes are refused, or must not be attempted. */
  readonly query: Kysely<Tables>;
  /** Unless the tables are "current", a query may miss tables and columns. */
  readonly tables: TableState;
}

/** Receives events of a database while a program uses it. */
export interface DatabaseWatcher {
  note(text: string): void;
  /** Writes are refused from now on, because of this error; without an error, they work again. */
  changed(error: DatabaseError | undefined): void;
  /** The database is intact, but this program must restart to use it. */
  restart(reason: DatabaseError): void;
}

/** Logs the events of a program's database. `mustRestart` resolves with the reason once the program must restart. */
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
