import type { Storage } from "../storage/open-storage.js";

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

  /** Adds a question of a person, or marks it as asked again; forgets the oldest if there are too many. */
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

  /** The texts of a person's latest questions, the newest first. */
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
