import Sqlite from "better-sqlite3";

const oldest = `
  select at from log_entry join (select project_id, kind from log_head order by project_id :order, kind :order limit 1)
  using (project_id, kind) order by at limit 1`;

/**
 * Watches from outside how the service deletes what has expired. It goes from log to log in their order, so that two
 * entries tell where it is; to count them all again and again would disturb what is measured.
 */
export class Expired {
  readonly #db: Sqlite.Database;
  readonly #before: string;

  /** @param before Entries older than this have expired. */
  constructor(file: string, before: Date) {
    this.#db = new Sqlite(file, { readonly: true });
    this.#before = before.toISOString();
  }

  /** The time of the first log's oldest entry: the first that is deleted. */
  firstAt(): string {
    return this.#at("asc");
  }

  /** Whether the last log has been cleared. */
  isGone(): boolean {
    return this.#at("desc") >= this.#before;
  }

  count(): number {
    const count = this.#db.prepare<[string], number>("select count(*) from log_entry where at < ?").pluck();
    return count.get(this.#before) ?? 0;
  }

  close(): void {
    this.#db.close();
  }

  #at(order: "asc" | "desc"): string {
    return this.#db.prepare<[], string>(oldest.replaceAll(":order", order)).pluck().get() ?? "";
  }
}
