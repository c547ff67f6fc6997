import type { DatabaseError } from "./errors.js";

/** Is notified of what happens to a database while a program runs on it. */
export interface DatabaseWatcher {
  /** Something was noticed or done that operators want to know. */
  note(text: string): void;
  /** Nothing can be written from now on, and why; or, without an error, it can be again. */
  changed(error: DatabaseError | undefined): void;
  /** The database is well, but this program can use it only after it was started again. */
  restart(reason: DatabaseError): void;
}

interface WatcherLog {
  info(message: string): void;
  error(fields: object, message: string): void;
}

/** Logs what happens to a program's database. `mustRestart` resolves, with the reason, once the program must restart. */
export function watchDatabase(log: WatcherLog): { watcher: DatabaseWatcher; mustRestart: Promise<DatabaseError> } {
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
