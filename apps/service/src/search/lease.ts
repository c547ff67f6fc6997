import type { Statement } from "@media-ops/database";
import { sql } from "kysely";
import { z } from "zod";
import type { Storage } from "../storage/open-storage.js";

/** Options of {@link Lease}. */
interface LeaseOptions {
  /** Names the work in the database. */
  readonly name: string;
  /** Names this process. */
  readonly owner: string;
  readonly query: Storage["query"];
  write(statements: readonly Statement[]): Promise<unknown[][]>;
  now(): number;
}

const LEASE_MS = 15_000;

const held = z.object({ owner: z.string(), until: z.number() });

/**
 * The right of one process to do something in the background. It saves work, and is no lock: clocks of several machines
 * may differ, so that two processes have it at once.
 */
export class Lease {
  readonly #options: LeaseOptions;
  /** When it has to be renewed, in ms since 1970. */
  #renewAt = 0;

  constructor(options: LeaseOptions) {
    this.#options = options;
  }

  /** Takes or renews the lease. Returns whether this process has it. */
  async hold(): Promise<boolean> {
    const { name, owner, query, now } = this.#options;
    const time = now();
    // After a step of the clock it may be far ahead.
    if (time < this.#renewAt && time > this.#renewAt - LEASE_MS) return true;
    this.#renewAt = 0;
    const row = await query.selectFrom("setting").select("value").where("name", "=", name).executeTakeFirst();
    const other = row && parse(row.value);
    if (other && other.owner !== owner && time < other.until && time > other.until - 2 * LEASE_MS) return false;
    const value = JSON.stringify({ owner, until: time + LEASE_MS });
    // Only if no other process has taken it in the meantime.
    const take = row
      ? sql`update setting set value = ${value} where name = ${name} and value = ${row.value} returning name`
      : sql`insert into setting (name, value) values (${name}, ${value}) on conflict do nothing returning name`;
    const { sql: text, parameters } = take.compile(query);
    const [rows = []] = await this.#options.write([{ sql: text, parameters }]);
    if (rows.length === 1) this.#renewAt = time + LEASE_MS / 2;
    return rows.length === 1;
  }
}

function parse(value: string): z.infer<typeof held> | undefined {
  try {
    return held.safeParse(JSON.parse(value)).data;
  } catch {
    return undefined;
  }
}
