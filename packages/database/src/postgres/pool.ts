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
  const settings = isForAnswers ? [...SETTINGS, ...ANSWERS] : ["statement_timeout = 0", "lock_timeout = 0"];
  const pool = new pg.Pool({
    connectionString: address,
    application_name: "media-ops",
    max: isForAnswers ? (most ?? connections) : 2,
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
