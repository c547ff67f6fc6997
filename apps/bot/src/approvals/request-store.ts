import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import * as z from "zod";
import { roles } from "../policy/policy.js";
import type { Served } from "../slack/people.js";
import type { Storage } from "../storage/open-storage.js";
import { type Entity, fromRow, type Tables, toRow } from "../storage/tables.js";

/** How long a request waits for a decision. */
const LAPSES_MS = 15 * 60_000;
// A decision that takes longer was begun by a process that stopped.
const STUCK_MS = 2 * 60_000;
// The process that decided shows the decision itself, within a few seconds.
const SHOWN_BY_MS = 15_000;

/** What is stored as text. Only the bot writes it, so it parses. */
const stored = z.object({
  served: z.preprocess(
    (text) => JSON.parse(String(text)),
    z.object({ teamId: z.string(), enterpriseId: z.string().optional(), isOrgWide: z.boolean() }),
  ),
  role: z.enum(roles),
  /** What became of it: `approving` while its token is made, `failed` if it was approved and no token came. */
  state: z.enum(["pending", "approving", "approved", "denied", "lapsed", "failed"]),
  messages: z.preprocess(
    (text) => JSON.parse(String(text ?? "[]")),
    z.array(z.object({ channel: z.string(), ts: z.string() })),
  ),
});

type Stored = Readonly<z.infer<typeof stored>>;

/** A message in Slack that shows a request. */
export type RequestMessage = Readonly<Stored["messages"][number]>;

/** A request for a token beyond the policy: who gets the token, where it was requested, and its terms. */
export interface TokenRequest
  extends Omit<Entity<Tables["token_request"]>, "teamId" | "requestId" | "isOpen" | keyof Stored>,
    Stored {
  readonly id: string;
  readonly served: Served;
}

/** A request that is not stored yet. */
export type NewRequest = Omit<
  TokenRequest,
  "id" | "createdAt" | "lapsesAt" | "state" | "decidedBy" | "decidedAt" | "messages"
>;

// Written into the statement: PostgreSQL doesn't use the index of open requests for a parameter.
const OPEN = sql.lit(1);

// Random enough that nobody guesses one.
const ID_BYTES = 18;

/** Whether a text can be the id of a request. Anything else is not looked up, and not recorded. */
export const isRequestId = (text: string): boolean => /^[\w-]{24}$/.test(text);

/** The requests for tokens beyond the policy, of all workspaces. */
export class RequestStore {
  readonly #query;
  readonly #now: () => number;

  constructor({ query }: Pick<Storage, "query">, now: () => number) {
    this.#query = query;
    this.#now = now;
  }

  async add(request: NewRequest): Promise<TokenRequest> {
    const createdAt = this.#now();
    const requestId = randomBytes(ID_BYTES).toString("base64url");
    const { served, ...terms } = request;
    const row = { ...terms, createdAt, lapsesAt: createdAt + LAPSES_MS, state: "pending", isOpen: 1 };
    const saved = toRow({ ...row, requestId, teamId: served.teamId, served: JSON.stringify(served) });
    const added = await this.#query.insertInto("token_request").values(saved).returningAll().executeTakeFirstOrThrow();
    return requestOf(added);
  }

  async one(teamId: string, id: string): Promise<TokenRequest | undefined> {
    const row = await this.#query
      .selectFrom("token_request")
      .selectAll()
      .where((row) => row.and({ team_id: teamId, request_id: id }))
      .executeTakeFirst();
    return row && requestOf(row);
  }

  async pending(teamId: string, userId: string): Promise<number> {
    const rows = await this.#query
      .selectFrom("token_request")
      .select("request_id")
      .where((row) => row.and({ team_id: teamId, user_id: userId, state: "pending" }))
      .where("lapses_at", ">", this.#now())
      .execute();
    return rows.length;
  }

  async posted(teamId: string, id: string, messages: readonly RequestMessage[]): Promise<void> {
    await this.#update(teamId, id)
      .set({ messages: JSON.stringify(messages) })
      .execute();
  }

  /** Removes a request that could not be posted. */
  async remove(teamId: string, id: string): Promise<void> {
    await this.#query.deleteFrom("token_request").where("team_id", "=", teamId).where("request_id", "=", id).execute();
  }

  /** Decides a request; undefined if somebody else has, or it lapsed. Of several callers, one succeeds. */
  async decide(
    teamId: string,
    id: string,
    { userId, state }: { readonly userId: string; readonly state: "approving" | "denied" },
  ): Promise<TokenRequest | undefined> {
    const now = this.#now();
    const [row] = await this.#update(teamId, id)
      .set({ state, decided_by: userId, decided_at: now })
      .where("state", "=", "pending")
      .where("lapses_at", ">", now)
      .returningAll()
      .execute();
    return row && requestOf(row);
  }

  /** Ends an approval; `pending` if no token was made, so that it can be approved again. */
  async finish(teamId: string, id: string, state: "approved" | "failed" | "pending"): Promise<void> {
    await this.#update(teamId, id)
      .set({ state, ...(state === "pending" && { decided_by: null, decided_at: null }) })
      .where("state", "=", "approving")
      .execute();
  }

  /** Marks a request as one whose messages show what became of it. */
  async shown(teamId: string, id: string): Promise<void> {
    await this.#update(teamId, id).set({ is_open: 0 }).execute();
  }

  /** Ends the requests whose time is over, and returns them. Of several processes, one gets each. */
  async lapse(): Promise<TokenRequest[]> {
    const now = this.#now();
    const rows = await this.#query
      .updateTable("token_request")
      .set({ state: "lapsed", decided_at: now })
      .where("is_open", "=", OPEN)
      .where("state", "=", "pending")
      .where("lapses_at", "<=", now)
      .returningAll()
      .execute();
    return rows.map(requestOf);
  }

  /** Ends the approvals of processes that stopped: whether a token was made is not known, and nobody has it. */
  async failStuck(): Promise<void> {
    await this.#query
      .updateTable("token_request")
      .set({ state: "failed" })
      .where("is_open", "=", OPEN)
      .where("state", "=", "approving")
      .where("decided_at", "<=", this.#now() - STUCK_MS)
      .execute();
  }

  /** The decided requests whose messages may still show buttons, because a process stopped or Slack was away. */
  async unshown(): Promise<TokenRequest[]> {
    const rows = await this.#query
      .selectFrom("token_request")
      .selectAll()
      .where("is_open", "=", OPEN)
      .where("state", "in", ["approved", "denied", "lapsed", "failed"])
      .where("decided_at", "<=", this.#now() - SHOWN_BY_MS)
      .execute();
    return rows.map(requestOf);
  }

  #update(teamId: string, id: string) {
    return this.#query.updateTable("token_request").where("team_id", "=", teamId).where("request_id", "=", id);
  }
}

function requestOf({ team_id: _team, request_id: id, is_open: _open, ...row }: Tables["token_request"]): TokenRequest {
  return { ...fromRow(row), ...stored.parse(row), id };
}
