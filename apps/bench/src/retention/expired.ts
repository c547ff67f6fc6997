import type { Database } from "@media-ops/database";
import { sql } from "kysely";
import { open, type Tables } from "../databases/open.js";

/**
 * Watches from outside how the service deletes what has expired. It goes from log to log in their order, so that two
 * entries tell where it is; to count them all again and again would disturb what is measured.
 */
export class Expired {
  readonly #database: Database<Tables>;
  readonly #before: string;

  private constructor(database: Database<Tables>, before: Date) {
    this.#database = database;
    this.#before = before.toISOString();
  }

  /** @param before Entries older than this have expired. */
  static async open(file: string, before: Date): Promise<Expired> {
    return new Expired(await open(`sqlite:${file}`), before);
  }

  /** The time of the first log's oldest entry: the first that is deleted. */
  firstAt(): Promise<string> {
    return this.#oldestOf("asc");
  }

  /** Whether the last log has been cleared. */
  async isGone(): Promise<boolean> {
    return (await this.#oldestOf("desc")) >= this.#before;
  }

  async count(): Promise<number> {
    const { count } = await this.#database.query
      .selectFrom("log_entry")
      .select(sql<number>`count(*)`.as("count"))
      .where("at", "<", this.#before)
      .executeTakeFirstOrThrow();
    return count;
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  async #oldestOf(order: "asc" | "desc"): Promise<string> {
    const log = await this.#database.query
      .selectFrom("log_head")
      .select(["project_id", "kind"])
      .orderBy("project_id", order)
      .orderBy("kind", order)
      .limit(1)
      .executeTakeFirstOrThrow();
    const oldest = await this.#database.query
      .selectFrom("log_entry")
      .select("at")
      .where("project_id", "=", log.project_id)
      .where("kind", "=", log.kind)
      .orderBy("at")
      .limit(1)
      .executeTakeFirst();
    return oldest?.at ?? "";
  }
}
