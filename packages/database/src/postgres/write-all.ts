import type { Pool } from "pg";
import { toError } from "../errors.js";
import type { Statement } from "../statement.js";
import { Batch } from "./batch.js";
import { type StatementNames, toMessage } from "./client.js";
import { take } from "./dialect.js";
import { checkCommitted, isBroken, isConflict, toFault } from "./faults.js";
import { types } from "./pool.js";

// Who locks in the same order as everybody is seldom in anybody's way even once.
const MAX_ATTEMPTS = 5;

/** Runs statements in one transaction, all sent at once: one way there and back, however many there are. */
export async function writeAll(
  pool: Pool,
  names: StatementNames,
  statements: readonly Statement[],
): Promise<unknown[][]> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await runOnce(pool, names, statements);
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !isConflict(error)) throw toFault(error);
    }
  }
}

async function runOnce(pool: Pool, names: StatementNames, statements: readonly Statement[]): Promise<unknown[][]> {
  // One by itself is a transaction, too.
  const isOne = statements.length === 1;
  const all = isOne ? statements : [BEGIN, ...statements, COMMIT];
  const batch = new Batch(
    all.map((statement) => toMessage(names, statement)),
    types,
  );
  const client = await take(pool);
  let broken: Error | undefined;
  try {
    client.query(batch);
    const answers = await batch.answers;
    if (!isOne) checkCommitted(answers.at(-1)?.tag);
    return answers.flatMap(({ rows }) => (rows ? [rows] : []));
  } catch (error) {
    if (isBroken(error)) broken = toError(error);
    else if (!isOne) await client.query("rollback").catch((second) => (broken = toError(second)));
    throw error;
  } finally {
    client.release(broken);
  }
}

const BEGIN: Statement = { sql: "begin", parameters: [] };
const COMMIT: Statement = { sql: "commit", parameters: [] };
