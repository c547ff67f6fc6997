import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import * as z from "zod";
import { type Role, roles } from "../policy/policy.js";
import type { Served } from "../slack/people.js";
import type { Storage } from "../storage/open-storage.js";
import type { Tables } from "../storage/tables.js";

/** How long a request waits for a decision. */
const LAPSES_MS = 15 * 60_000;
// A decision that takes longer was begun by a process that stopped.
const STUCK_MS = 2 * 60_000;
// The process that decided shows the decision itself, within a few seconds.
const SHOWN_BY_MS = 15_000;

/** What became of a request: `approving` while its token is made, `failed` if it was approved and no token came. */
const requestState = z.enum(["pending", "approving", "approved", "denied", "lapsed", "failed"]);

const requestMessage = z.object({ channel: z.string(), ts: z.string() });

/** A message in Slack that shows a request. */
export type RequestMessage = Readonly<z.infer<typeof requestMessage>>;

/** A request for a token beyond the policy. */
export interface TokenRequest {
  readonly id: string;
  readonly served: Served;
  /** The person who gets the token. */
  readonly userId: string;
  /** The conversation that it was requested in. */
  readonly placeId: string | undefined;
  readonly projectId: string;
  /** The URL of the service that was connected then. */
  readonly baseUrl: string;
  /** The media channel as requested; undefined for every channel. */
  readonly channel: string | undefined;
  readonly role: Role;
  readonly lifetimeMs: number;
  /** When the token begins; undefined if with its approval. */
  readonly startsAt: number | undefined;
  readonly maxConnections: number | undefined;
  /** The token's id, if one was requested. */
  readonly tokenId: string | undefined;
  /** Why the person needs it. */
  readonly reason: string;
  readonly createdAt: number;
  readonly lapsesAt: number;
  readonly state: z.infer<typeof requestState>;
  readonly decidedBy: string | undefined;
  readonly decidedAt: number | undefined;
  readonly messages: readonly RequestMessage[];
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

  /** Adds a request, and returns it. */
  async add(request: NewRequest): Promise<TokenRequest> {
    const createdAt = this.#now();
    const added: TokenRequest = {
      ...request,
      id: randomBytes(ID_BYTES).toString("base64url"),
      createdAt,
      lapsesAt: createdAt + LAPSES_MS,
      state: "pending",
      decidedBy: undefined,
      decidedAt: undefined,
      messages: [],
    };
    await this.#query.insertInto("token_request").values(rowOf(added)).execute();
    return added;
  }

  /** A request of a workspace; undefined if it has none with this id. */
  async one(teamId: string, id: string): Promise<TokenRequest | undefined> {
    const row = await this.#query
      .selectFrom("token_request")
      .selectAll()
      .where("team_id", "=", teamId)
      .where("request_id", "=", id)
      .executeTakeFirst();
    return row && requestOf(row);
  }

  /** How many requests of a person wait for a decision. */
  async pending(teamId: string, userId: string): Promise<number> {
    const rows = await this.#query
      .selectFrom("token_request")
      .select("request_id")
      .where("team_id", "=", teamId)
      .where("user_id", "=", userId)
      .where("state", "=", "pending")
      .where("lapses_at", ">", this.#now())
      .execute();
    return rows.length;
  }

  /** Stores where a request was posted. */
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

  /** Deletes the requests of a workspace. */
  async forget(teamId: string): Promise<void> {
    await this.#query.deleteFrom("token_request").where("team_id", "=", teamId).execute();
  }

  #update(teamId: string, id: string) {
    return this.#query.updateTable("token_request").where("team_id", "=", teamId).where("request_id", "=", id);
  }
}

const servedText = z.object({
  teamId: z.string(),
  enterpriseId: z.string().optional(),
  isOrgWide: z.boolean(),
});

// Only the bot writes these, so they parse.
const requestOf = (row: Tables["token_request"]): TokenRequest => ({
  id: row.request_id,
  served: servedText.parse(JSON.parse(row.served)),
  userId: row.user_id,
  placeId: row.place_id ?? undefined,
  projectId: row.project_id,
  baseUrl: row.base_url,
  channel: row.channel_id ?? undefined,
  role: z.enum(roles).parse(row.role),
  lifetimeMs: row.lifetime_ms,
  startsAt: row.starts_at ?? undefined,
  maxConnections: row.max_connections ?? undefined,
  tokenId: row.jti ?? undefined,
  reason: row.reason,
  createdAt: row.created_at,
  lapsesAt: row.lapses_at,
  state: requestState.parse(row.state),
  decidedBy: row.decided_by ?? undefined,
  decidedAt: row.decided_at ?? undefined,
  messages: row.messages === null ? [] : z.array(requestMessage).parse(JSON.parse(row.messages)),
});

const rowOf = (request: TokenRequest): Tables["token_request"] => ({
  team_id: request.served.teamId,
  request_id: request.id,
  served: JSON.stringify(request.served),
  user_id: request.userId,
  place_id: request.placeId ?? null,
  project_id: request.projectId,
  base_url: request.baseUrl,
  channel_id: request.channel ?? null,
  role: request.role,
  lifetime_ms: request.lifetimeMs,
  starts_at: request.startsAt ?? null,
  max_connections: request.maxConnections ?? null,
  jti: request.tokenId ?? null,
  reason: request.reason,
  created_at: request.createdAt,
  lapses_at: request.lapsesAt,
  state: request.state,
  decided_by: request.decidedBy ?? null,
  decided_at: request.decidedAt ?? null,
  messages: null,
  is_open: 1,
});
