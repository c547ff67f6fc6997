import { randomUUID } from "node:crypto";
import type { Storage } from "../storage/open-storage.js";
import type { Tables } from "../storage/tables.js";

/** The record of an access token: who created it and what it allows, without the token. */
export type Minting = Omit<Tables["minting"], "minting_id">;

/** The records of all access tokens. */
export class Mintings {
  readonly #query;

  constructor({ query }: Pick<Storage, "query">) {
    this.#query = query;
  }

  /** Adds a record. */
  async record(minting: Minting): Promise<void> {
    const times = { starts_at: storable(minting.starts_at), ends_at: storable(minting.ends_at) };
    const row = { ...minting, ...times, minting_id: randomUUID() };
    await this.#query.insertInto("minting").values(row).execute();
  }

  /** The newest records of a workspace, or of one person in it; the newest first. */
  latest(teamId: string, { userId, limit }: { userId?: string; limit: number }): Promise<Minting[]> {
    return (
      this.#query
        .selectFrom("minting")
        .selectAll()
        .where("team_id", "=", teamId)
        .$if(userId !== undefined, (all) => all.where("user_id", "=", userId ?? ""))
        .orderBy("at", "desc")
        // The same direction as above, so that an index provides this order.
        .orderBy("minting_id", "desc")
        .limit(limit)
        .execute()
    );
  }
}

/** Clamps a time that a database accepts: a token may name any, such as a year with too many digits. */
function storable(time: number | null): number | null {
  if (time === null) return null;
  return Math.round(Math.min(Math.max(time, Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER));
}
