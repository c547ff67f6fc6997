import type { Database } from "better-sqlite3";

/** Opens an SQLite file as the service's own library does, but in this thread, and past all that the service does. */
export async function openSqliteFile(file: string): Promise<Database> {
  // Not for everybody's use, and so among no exports: it knows which version of better-sqlite3 works on this Node.
  const loader = new URL("sqlite/load-sqlite.js", import.meta.resolve("@media-ops/database"));
  const { Sqlite }: { Sqlite: typeof import("better-sqlite3") } = await import(loader.href);
  return new Sqlite(file);
}
