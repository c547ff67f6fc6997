import { GroupCommit } from "@media-ops/database";
import type { Kysely } from "kysely";
import { redact, redactBody } from "../secrets/redact.js";
import type { Tables } from "../storage/tables.js";

/** A webhook body that was refused because it is invalid. */
export interface RefusedBody {
  readonly at: string;
  readonly path: string;
  readonly keyId: string;
  readonly reason: string;
  readonly body: string;
}

const MAX_BODIES = 1000;
// Enough to recognize the body.
const MAX_BODY = 16_384;
const MAX_REASON = 4096;

/** Keeps the last bodies that were refused, so that operators can see what is wrong with them. */
export class Quarantine {
  readonly #inserts: GroupCommit<RefusedBody, void>;

  constructor(query: Kysely<Tables>) {
    const commit = async (refused: readonly RefusedBody[]) => {
      await insert(query, refused);
      return refused.map(() => undefined);
    };
    this.#inserts = new GroupCommit({ commit, onSettled() {} });
  }

  add({ body, reason, ...refused }: RefusedBody): Promise<void> {
    return this.#inserts.add({
      ...refused,
      reason: redact(reason).slice(0, MAX_REASON).toWellFormed(),
      body: redactBody(body).slice(0, MAX_BODY).toWellFormed(),
    });
  }
}

async function insert(query: Kysely<Tables>, refused: readonly RefusedBody[]): Promise<void> {
  const rows = refused.slice(-MAX_BODIES).map(({ keyId: key_id, ...row }) => ({ key_id, ...row }));
  await query.transaction().execute(async (transaction) => {
    for (const row of rows) await transaction.insertInto("quarantine").values(row).execute();
    const surplus = transaction.selectFrom("quarantine").select("id").orderBy("id", "desc").limit(1).offset(MAX_BODIES);
    await transaction.deleteFrom("quarantine").where("id", "<=", surplus).execute();
  });
}

/** The refused bodies, newest first. */
export async function listQuarantine(query: Kysely<Tables>, limit: number): Promise<(RefusedBody & { id: number })[]> {
  const rows = await query.selectFrom("quarantine").selectAll().orderBy("id", "desc").limit(limit).execute();
  return rows.map(({ key_id, ...row }) => ({ ...row, keyId: key_id }));
}
