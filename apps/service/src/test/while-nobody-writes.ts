import { sql } from "kysely";
import { openStorage } from "../storage/open-storage.js";

/** Blocks other writers of log entries, but not readers, until the work is done. */
export async function whileNobodyWrites(url: string, work: () => Promise<void>): Promise<void> {
  const storage = await openStorage(url);
  try {
    // In SQLite, beginning the transaction is enough: it holds the file's only write lock.
    await storage.query.transaction().execute(async (transaction) => {
      if (storage.kind === "postgres") await sql`lock table log_entry in exclusive mode`.execute(transaction);
      await work();
    });
  } finally {
    await storage.close();
  }
}
