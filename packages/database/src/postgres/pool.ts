import { randomUUID } from "node:crypto";
import pg from "pg";
import { DatabaseError } from "../errors.js";
import type { PostgresAddress } from "../url.js";

const CONNECT_TIMEOUT_MS = 5000;
// No caller waits longer for a response.
const STATEMENT_TIMEOUT_MS = 8000;
// Longer than the server's own timeout, to detect a silent server.
const SILENCE_TIMEOUT_MS = 10_000;
const IDLE_MS = 60_000;

// Every query has an index, and a plan is kept until the next statistics, though each day's partition begins empty. With
// PostgreSQL's own settings, a plan that was made for 20 rows and kept until the day had 200,000 read all of them: 157 ms
// for the 51 newest entries of a log, 220 ms for 1000. With these it takes 0.2 and 21 ms, as with right statistics.
const SETTINGS = [
  "enable_seqscan = off",
  "enable_bitmapscan = off",
  "enable_sort = off",
  "jit = off",
  "idle_in_transaction_session_timeout = 30000",
];

// A statement is planned once, except on Citus, which finds the shard by the statement's values.
const PLAN_ONCE = `select set_config('plan_cache_mode', 'force_generic_plan', false)
  where not exists (select from pg_extension where extname = 'citus');`;

// How long a starting process waits for another one that changes or locks the tables.
export const MIGRATION_LOCK_TIMEOUT_MS = 10_000;
const MIGRATIONS = ["statement_timeout = 0", `lock_timeout = ${MIGRATION_LOCK_TIMEOUT_MS}`];

/** The application name of the connections that migrate, regardless of the name in the URL. */
export const MIGRATION_NAME = `media-ops start ${randomUUID()}`;

const QUERIES = [`statement_timeout = ${STATEMENT_TIMEOUT_MS}`, "lock_timeout = 5000"];

const types: pg.CustomTypesConfig = {
  // Counts and times in ms are far below the limit for exact numbers.
  getTypeParser: (id: number, format?: "text" | "binary") =>
    id === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(id, format),
};

/** Connections to PostgreSQL, opened on demand: at most `most`, or the URL's `connections`. */
export function createPool(
  { url, connections }: PostgresAddress,
  purpose: "queries" | "migrations",
  most?: number,
): pg.Pool {
  checkUrl(url);
  const isForQueries = purpose === "queries";
  const settings = isForQueries ? [...SETTINGS, ...QUERIES] : [...MIGRATIONS, `application_name = '${MIGRATION_NAME}'`];
  const pool = new pg.Pool({
    connectionString: url,
    application_name: "media-ops",
    // One holds the lock, one changes the tables, one checks that the server responds.
    max: isForQueries ? (most ?? connections) : 3,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types,
    // Statements that run together take one round trip. Not for migrations: in a pipeline, end() waits for every
    // response, and theirs have no timeout.
    ...(isForQueries && { pipeline: true, query_timeout: SILENCE_TIMEOUT_MS }),
    onConnect: async (client) => {
      // The caller receives the error from its query.
      client.on("error", () => {});
      const all = settings.map((setting) => `set ${setting};`).join(" ");
      await client.query(isForQueries ? all + PLAN_ONCE : all);
    },
  });
  // An idle connection that breaks is replaced on demand.
  pool.on("error", () => {});
  return pool;
}

function checkUrl(url: string): void {
  try {
    new pg.Client({ connectionString: url });
  } catch {
    // pg's own message holds the URL, and with it a password.
    throw new DatabaseError(
      "url",
      "The URL of PostgreSQL cannot be read: must be like postgres://user@host:5432/name, and files that it names must be there.",
    );
  }
}
