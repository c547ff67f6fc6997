import { GroupCommit } from "@media-ops/database";
import type { Kysely } from "kysely";
import { redactBody } from "../secrets/redact.js";
import type { Tables } from "../storage/tables.js";

/** A body that could not be taken in. */
export interface Rejected {
  readonly at: string;
  /** Where it was sent to, without the key. */
  readonly path: string;
  readonly keyId: string;
  readonly reason: string;
  readonly body: string;
}

/** How many are kept. */
const KEPT = 1000;
// Enough to see what it was.
const MAX_BODY = 16_384;
const MAX_REASON = 4096;

/** Keeps the last bodies that could not be taken in, so that whoever runs the service can see what was wrong. */
export class Quarantine {
  readonly #inserts: GroupCommit<Rejected, void>;

  constructor(query: Kysely<Tables>) {
    this.#inserts = new GroupCommit({
      async commit(rejected) {
        await insert(query, rejected);
        return rejected.map(() => undefined);
      },
      onSettled() {},
    });
  }

  /** Keeps a body, without the tokens in it. */
  add({ body, reason, ...rejected }: Rejected): Promise<void> {
    return this.#inserts.add({
      ...rejected,
      reason: reason.slice(0, MAX_REASON),
      body: redactBody(body).slice(0, MAX_BODY).toWellFormed(),
    });
  }
}

async function insert(query: Kysely<Tables>, rejected: readonly Rejected[]): Promise<void> {
  const rows = rejected.slice(-KEPT).map(({ keyId: key_id, ...row }) => ({ key_id, ...row }));
  await query.transaction().execute(async (transaction) => {
    for (const row of rows) await transaction.insertInto("quarantine").values(row).execute();
    const surplus = transaction.selectFrom("quarantine").select("id").orderBy("id", "desc").limit(1).offset(KEPT);
    await transaction.deleteFrom("quarantine").where("id", "<=", surplus).execute();
  });
}

/** What is kept, the newest first. */
export async function listQuarantine(query: Kysely<Tables>, limit: number): Promise<(Rejected & { id: number })[]> {
  const rows = await query.selectFrom("quarantine").selectAll().orderBy("id", "desc").limit(limit).execute();
  return rows.map(({ key_id, ...row }) => ({ ...row, keyId: key_id }));
}
