import { sql } from "kysely";
import { openStorage } from "../storage/open-storage.js";

/** Keeps all others from writing log entries, which they may still read, until the work is done. */
export async function whileNobodyWrites(url: string, work: () => Promise<void>): Promise<void> {
  const storage = await openStorage(url);
  try {
    // In SQLite, that it has begun is enough: it holds the file's only write lock.
    await storage.query.transaction().execute(async (transaction) => {
      if (storage.kind === "postgres") await sql`lock table log_entry in exclusive mode`.execute(transaction);
      await work();
    });
  } finally {
    await storage.close();
  }
}
