import { Sqlite } from "@media-ops/database/load-sqlite";
import { entryStatements } from "@media-ops/service";
import type { NewEntry } from "../service/entries.js";
import type { Commit } from "./measured-log.js";
import { hashOf, peerTables } from "./peer-tables.js";

const BUSY_TIMEOUT_MS = 5000;

/** A connection past the service or the peer, which commits entries to the log that is measured. */
export interface Writer {
  prepare(entry: NewEntry): Commit;
  close(): void;
}

/** Writes to the service's tables as the service does. */
export function writeToService(file: string): Writer {
  const db = open(file);
  const [begin, end] = [db.prepare("begin immediate"), db.prepare("commit")];
  const prepared = new Map<string, ReturnType<typeof db.prepare>>();
  const preparedOf = (sql: string) => {
    const statement = prepared.get(sql) ?? db.prepare(sql);
    prepared.set(sql, statement);
    return statement;
  };
  return {
    prepare(entry) {
      const statements = entryStatements(entry).map(({ sql, parameters }) => ({ run: preparedOf(sql), parameters }));
      return () => {
        whenFree(() => begin.run());
        for (const { run, parameters } of statements) run.run(...parameters);
        end.run();
      };
    },
    close: () => db.close(),
  };
}

/** Makes the peer's tables, and writes to them. */
export function writeToPeer(file: string, projectId: string, apiKey: string): Writer {
  const db = open(file);
  db.exec(peerTables);
  db.prepare("insert into api_key values (?, ?)").run(hashOf(apiKey), projectId);
  const insert = db.prepare(`
    insert into webhook_log (project_id, timestamp, type, url, status, elapsed_time_ms)
    values (?, @timestamp, @type, @url, @status, @elapsed_time_ms)`);
  return {
    prepare({ text }) {
      const row: object = JSON.parse(text);
      return () => void insert.run(projectId, row);
    },
    close: () => db.close(),
  };
}

function open(file: string) {
  const db = new Sqlite(file);
  db.pragma("journal_mode = WAL");
  // What is measured is who reads it.
  db.pragma("synchronous = OFF");
  db.pragma("wal_autocheckpoint = 0");
  db.pragma("busy_timeout = 0");
  return db;
}

/** Does what needs the lock that only one may have. SQLite would sleep much longer than another's commit takes. */
function whenFree(work: () => unknown): void {
  const end = performance.now() + BUSY_TIMEOUT_MS;
  for (;;) {
    try {
      work();
      return;
    } catch (error) {
      const isBusy = error instanceof Error && "code" in error && error.code === "SQLITE_BUSY";
      if (!isBusy || performance.now() > end) throw error;
    }
  }
}
