import { randomUUID } from "node:crypto";
import type { Storage } from "./open-storage.js";
import type { Tables } from "./tables.js";

/** How many questions of one person are kept: more than the app home shows, so that few are lost to typing errors. */
const MOST_KEPT = 20;

/** The commands that people asked recently to read something, as text. */
export class Questions {
  readonly #query: Storage["query"];
  readonly #now: () => number;

  constructor({ query }: Storage, now: () => number) {
    this.#query = query;
    this.#now = now;
  }

  async add(teamId: string, userId: string, command: string): Promise<void> {
    const asked = { asked_at: this.#now() };
    await this.#query
      .insertInto("question")
      .values({ team_id: teamId, user_id: userId, command, ...asked })
      .onConflict((conflict) => conflict.columns(["team_id", "user_id", "command"]).doUpdateSet(asked))
      .execute();
    const oldestKept = this.#query
      .selectFrom("question")
      .select("asked_at")
      .where("team_id", "=", teamId)
      .where("user_id", "=", userId)
      .orderBy("asked_at", "desc")
      .limit(1)
      .offset(MOST_KEPT - 1);
    await this.#query
      .deleteFrom("question")
      .where("team_id", "=", teamId)
      .where("user_id", "=", userId)
      .where("asked_at", "<", oldestKept)
      .execute();
  }

  async latest(teamId: string, userId: string, limit: number): Promise<string[]> {
    const rows = await this.#query
      .selectFrom("question")
      .select("command")
      .where("team_id", "=", teamId)
      .where("user_id", "=", userId)
      .orderBy("asked_at", "desc")
      .orderBy("command")
      .limit(limit)
      .execute();
    return rows.map(({ command }) => command);
  }
}

/** The record of an access token: who created it and what it allows, without the token. */
export type Minting = Omit<Tables["minting"], "minting_id">;

/** The records of all access tokens. */
export class Mintings {
  readonly #query;

  constructor({ query }: Pick<Storage, "query">) {
    this.#query = query;
  }

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
