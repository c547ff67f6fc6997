import { randomUUID } from "node:crypto";
import pg from "pg";
import { DatabaseError } from "../errors.js";
import { parseDatabaseUrl } from "../url.js";

/** What a pool is for: answering, within bounds; or changing tables, however long that takes. */
export type Purpose = "answers" | "migrations";

const CONNECT_TIMEOUT_MS = 5000;
// Nobody waits longer for an answer.
const STATEMENT_TIMEOUT_MS = 8000;
// Later than the server's: this one is for a server that is silent.
const SILENCE_TIMEOUT_MS = 10_000;
const IDLE_MS = 60_000;

// Each question has an index that answers it, whatever the statistics of a new or quickly growing table say; a plan is
// made once, and not again for each call.
const SETTINGS = [
  "plan_cache_mode = force_generic_plan",
  "enable_seqscan = off",
  "enable_bitmapscan = off",
  "enable_sort = off",
  "jit = off",
  "idle_in_transaction_session_timeout = 30000",
];

// A start waits no longer for who else changes tables or holds them; what is under way may take as long as it needs.
export const MIGRATION_LOCK_TIMEOUT_MS = 10_000;
const MIGRATIONS = ["statement_timeout = 0", `lock_timeout = ${MIGRATION_LOCK_TIMEOUT_MS}`];

/** What the server calls the connections of this process's start, whatever name the URL gives the others. */
export const START_NAME = `media-ops start ${randomUUID()}`;

const ANSWERS = [`statement_timeout = ${STATEMENT_TIMEOUT_MS}`, "lock_timeout = 5000"];

/** How what PostgreSQL answers is read. */
export const types: pg.CustomTypesConfig = {
  // Counts and times in ms: far below what a number holds exactly.
  getTypeParser: (id: number, format?: "text" | "binary") =>
    id === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(id, format),
};

/** Connections to PostgreSQL, made as they are needed and never more than `most`, or than the URL's `connections`. */
export function createPool(url: string, purpose: Purpose, most?: number): pg.Pool {
  const { address, connections } = readUrl(url);
  const isForAnswers = purpose === "answers";
  const settings = isForAnswers ? [...SETTINGS, ...ANSWERS] : [...MIGRATIONS, `application_name = '${START_NAME}'`];
  const pool = new pg.Pool({
    connectionString: address,
    application_name: "media-ops",
    // One holds the lock, one changes the tables, one asks whether the server is still there.
    max: isForAnswers ? (most ?? connections) : 3,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types,
    ...(isForAnswers && { query_timeout: SILENCE_TIMEOUT_MS }),
    onConnect: async (client) => {
      // Whoever uses it is told by the answer that does not come.
      client.on("error", () => {});
      await client.query(settings.map((setting) => `set ${setting};`).join(" "));
    },
  });
  // A connection that breaks while nobody uses it is replaced when one is needed.
  pool.on("error", () => {});
  return pool;
}

function readUrl(url: string): { address: string; connections: number } {
  const parsed = parseDatabaseUrl(url);
  if (parsed.kind !== "postgres") throw new DatabaseError("url", "This is not the URL of a PostgreSQL database.");
  const { clientUrl, connections } = parsed;
  try {
    new pg.Client({ connectionString: clientUrl });
  } catch {
    // Not what it says, which holds the URL, and with it a password.
    throw new DatabaseError(
      "url",
      "The URL of PostgreSQL cannot be read: must be like postgres://user@host:5432/name, and files that it names must be there.",
    );
  }
  return { address: clientUrl, connections };
}
