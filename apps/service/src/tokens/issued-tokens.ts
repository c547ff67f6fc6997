import type { Statement } from "@media-ops/database";
import type { TokenClaims } from "@media-ops/tokens";
import { type Kysely, sql } from "kysely";
import type { IssuedToken } from "../generated/extensions.js";
import { Health } from "../health.js";
import type { Tables } from "../storage/tables.js";

type TokenRow = Tables["access_token"];

/** Which tokens to list. */
export interface TokenFilter {
  readonly jwtId?: string | undefined;
  readonly channelId?: string | undefined;
  readonly role?: string | undefined;
  readonly requestedBy?: string | undefined;
  /** Whether revoked tokens, and those that ended within the last day, match. */
  readonly includeEnded?: boolean | undefined;
  /** Only tokens that come after this one in the listing. */
  readonly after?: TokenPlace | undefined;
}

/** The place of a token in the listing. */
export interface TokenPlace {
  readonly issuedAt: number;
  readonly jwtId: string;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const YEAR_MS = 366 * DAY_MS;
// The largest time that a Date can have.
const LAST_MS = 8.64e15;

const toMs = (seconds: number | undefined): number | null =>
  seconds === undefined ? null : Math.max(-LAST_MS, Math.min(LAST_MS, seconds * 1000));

/** The record of a token that was just issued. */
export function toTokenRow(
  claims: TokenClaims,
  {
    projectId,
    keyId,
    now,
    requestedBy,
  }: { projectId: string; keyId: string; now: number; requestedBy?: string | undefined },
): TokenRow {
  return {
    project_id: projectId,
    issued_at: now,
    jwt_id: (claims.jti ?? "").toLowerCase(),
    key_id: keyId,
    channel_id: claims.channel_id ?? null,
    role: claims.role ?? null,
    max_connections: claims.max_channel_connections ?? null,
    not_before: toMs(claims.nbf),
    ends_at: toMs(claims.exp),
    requested_by: requestedBy ?? null,
  };
}

const BATCH_MS = 250;
const RETRY_MS = 1000;
const MAX_ROWS = 1000;
const MAX_WAITING = 50_000;

/** The columns, with their types in PostgreSQL. */
const columns = {
  project_id: "text",
  issued_at: "bigint",
  jwt_id: "text",
  key_id: "text",
  channel_id: "text",
  role: "text",
  max_connections: "integer",
  not_before: "bigint",
  ends_at: "bigint",
  requested_by: "text",
} as const satisfies Record<keyof TokenRow, string>;
const names = Object.keys(columns) as (keyof TokenRow)[];
const INTO = `insert into access_token (${names.join(", ")})`;
const INSERT_ONE = `${INTO} values (${names.map(() => "?").join(", ")}) on conflict do nothing`;
const lists = names.map((name, at) => `$${at + 1}::${columns[name]}[]`);
const INSERT_ALL = `${INTO} select * from unnest(${lists.join(", ")}) on conflict do nothing`;

/**
 * The statements that record tokens; one that was recorded already is left as it is. Their texts never change, so that
 * they are prepared once: SQLite takes one for each token, PostgreSQL one for all.
 */
const insertStatements = (kind: "sqlite" | "postgres", rows: readonly TokenRow[]): Statement[] =>
  kind === "sqlite"
    ? rows.map((row) => ({ sql: INSERT_ONE, parameters: names.map((name) => row[name]) }))
    : [{ sql: INSERT_ALL, parameters: names.map((name) => rows.map((row) => row[name])) }];

interface IssuedTokensOptions {
  readonly kind: "sqlite" | "postgres";
  write(statements: readonly Statement[]): Promise<unknown>;
  /** Called with an error when records cannot be written, and without one when they can again. */
  onChange(error: unknown): void;
}

/** Records issued tokens in batches that no caller awaits, and retries until they are written. */
export class IssuedTokens {
  readonly #options: IssuedTokensOptions;
  readonly #health: Health;
  #waiting: TokenRow[] = [];
  #running: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: IssuedTokensOptions) {
    this.#options = options;
    this.#health = new Health((error) => options.onChange(error));
  }

  /** Records a token soon. If records cannot be written for long, the oldest are lost. */
  record(row: TokenRow): void {
    this.#waiting.push(row);
    if (this.#waiting.length > MAX_WAITING) this.#waiting.shift();
    this.#timer ??= setTimeout(() => void this.flush(), BATCH_MS).unref();
  }

  /** Writes what was recorded so far, once. */
  async flush(): Promise<void> {
    // A batch in flight may have begun before the last tokens were recorded.
    await this.#running;
    this.#running ??= this.#write().finally(() => {
      this.#running = undefined;
    });
    await this.#running;
  }

  async #write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { kind, write } = this.#options;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, MAX_ROWS);
      // A batch that was written although its answer was lost is written again.
      const error = await write(insertStatements(kind, batch)).then(
        () => undefined,
        (error: unknown) => error,
      );
      this.#health.note(error);
      if (error === undefined) continue;
      this.#waiting = [...batch, ...this.#waiting].slice(-MAX_WAITING);
      this.#timer = setTimeout(() => void this.flush(), RETRY_MS).unref();
      return;
    }
  }
}

// A token's `iat` has whole seconds.
const ISSUED_IN_SECONDS = sql<number>`(access_token.issued_at / 1000) * 1000`;

/** The issued tokens, with what has been revoked. */
const withRevocations = (query: Kysely<Tables>, projectId: string) =>
  query
    .selectFrom("access_token")
    .leftJoin("token_revocation as own", (join) =>
      join
        .onRef("own.project_id", "=", "access_token.project_id")
        .on("own.subject", "=", sql<string>`'t ' || access_token.jwt_id`),
    )
    .leftJoin("token_revocation as channel", (join) =>
      join
        .onRef("channel.project_id", "=", "access_token.project_id")
        .on("channel.subject", "=", sql<string>`'c ' || access_token.channel_id`)
        .on("channel.issued_before", ">", ISSUED_IN_SECONDS),
    )
    .where("access_token.project_id", "=", projectId);

/** The newest matching tokens. */
export async function listTokens(
  query: Kysely<Tables>,
  projectId: string,
  filter: TokenFilter,
  { limit, now }: { limit: number; now: number },
): Promise<{ tokens: IssuedToken[]; last: TokenPlace | undefined }> {
  const { jwtId, channelId, role, requestedBy, includeEnded, after } = filter;
  let found = withRevocations(query, projectId);
  if (jwtId !== undefined) found = found.where("access_token.jwt_id", "=", jwtId);
  if (channelId !== undefined) found = found.where("access_token.channel_id", "=", channelId);
  if (role !== undefined) found = found.where("access_token.role", "=", role);
  if (requestedBy !== undefined) found = found.where("access_token.requested_by", "=", requestedBy);
  if (!includeEnded) {
    found = found
      .where(({ eb, or }) => or([eb("access_token.ends_at", "is", null), eb("access_token.ends_at", ">", now)]))
      .where("own.subject", "is", null)
      .where("channel.subject", "is", null);
  }
  if (after !== undefined) {
    found = found.where(({ eb, refTuple, tuple }) =>
      eb(refTuple("access_token.issued_at", "access_token.jwt_id"), "<", tuple(after.issuedAt, after.jwtId)),
    );
  }
  const rows = await found
    .selectAll("access_token")
    .select(({ fn }) => [
      fn.coalesce("own.revoked_at", "channel.revoked_at").as("revoked_at"),
      sql<string | null>`case when own.subject is null then channel.revoked_by else own.revoked_by end`.as(
        "revoked_by",
      ),
    ])
    .orderBy("access_token.issued_at", "desc")
    .orderBy("access_token.jwt_id", "desc")
    .limit(limit)
    .execute();
  const last = rows.at(-1);
  return {
    tokens: rows.map((row) => toIssuedToken(row, now)),
    last: last && { issuedAt: last.issued_at, jwtId: last.jwt_id },
  };
}

const timeOf = (ms: number): string => new Date(ms).toISOString();

function toIssuedToken(
  row: TokenRow & { revoked_at: number | null; revoked_by: string | null },
  now: number,
): IssuedToken {
  const { role, revoked_at: revokedAt, not_before: notBefore, ends_at: endsAt } = row;
  return {
    jwt_id: row.jwt_id,
    key_id: row.key_id,
    issued_at: timeOf(row.issued_at),
    ...(row.channel_id !== null && { channel_id: row.channel_id }),
    ...((role === "sendrecv" || role === "sendonly" || role === "recvonly") && { role }),
    ...(row.max_connections !== null && { max_channel_connections: row.max_connections }),
    ...(notBefore !== null && { not_before: timeOf(notBefore) }),
    ...(endsAt !== null && { expiration_time: timeOf(endsAt) }),
    ...(row.requested_by !== null && { requested_by: row.requested_by }),
    state: stateOf(row, now),
    ...(revokedAt !== null && { revoked_at: timeOf(revokedAt) }),
    ...(row.revoked_by !== null && { revoked_by: row.revoked_by }),
  };
}

function stateOf(
  { ends_at, not_before, revoked_at }: Pick<TokenRow, "ends_at" | "not_before"> & { revoked_at: number | null },
  now: number,
): IssuedToken["state"] {
  if (revoked_at !== null) return "revoked";
  if (ends_at !== null && ends_at <= now) return "expired";
  return not_before !== null && not_before > now ? "not-yet-valid" : "active";
}

/** The known tokens that a revocation ends: how many, and when the last of them ends; null if one never does. */
export async function tokensEndedBy(
  query: Kysely<Tables>,
  projectId: string,
  which: { jwtId: string } | { channelId: string; issuedBefore: number },
  now: number,
): Promise<{ count: number; lastEndsAt: number | null }> {
  const own = withRevocations(query, projectId);
  const matching =
    "jwtId" in which
      ? own.where("access_token.jwt_id", "=", which.jwtId)
      : own
          .where("access_token.channel_id", "=", which.channelId)
          .where(ISSUED_IN_SECONDS, "<", which.issuedBefore)
          // Those that were revoked before have been counted then.
          .where("own.subject", "is", null)
          .where("channel.subject", "is", null);
  const row = await matching
    .where(({ eb, or }) => or([eb("access_token.ends_at", "is", null), eb("access_token.ends_at", ">", now)]))
    .select(({ fn }) => [
      fn.countAll<number | string>().as("count"),
      fn.max("access_token.ends_at").as("last"),
      fn.count<number | string>("access_token.ends_at").as("ending"),
    ])
    .executeTakeFirstOrThrow();
  const count = Number(row.count);
  return { count, lastEndsAt: count > 0 && Number(row.ending) === count ? row.last : null };
}

const DELETED_AT_ONCE = 1000;

/**
 * Deletes the records of tokens that ended more than a day ago, in small steps; of those without an end, after a year.
 * Nothing younger than a day is looked at, and of the rest little is left, so this needs no index.
 */
export async function sweepTokens(query: Kysely<Tables>, now: number, signal: AbortSignal): Promise<void> {
  const before = now - DAY_MS;
  for (const { project_id: projectId } of await query.selectFrom("project").select("project_id").execute()) {
    const old = query
      .selectFrom("access_token")
      .select(["project_id", "issued_at", "jwt_id"])
      .where("project_id", "=", projectId)
      .where("issued_at", "<", before)
      .where(({ and, eb, or }) =>
        or([eb("ends_at", "<", before), and([eb("ends_at", "is", null), eb("issued_at", "<", now - YEAR_MS)])]),
      )
      .limit(DELETED_AT_ONCE);
    for (let found = await old.execute(); found.length > 0 && !signal.aborted; found = await old.execute()) {
      await query
        .deleteFrom("access_token")
        .where("project_id", "=", projectId)
        .where(({ eb, refTuple }) =>
          eb(refTuple("project_id", "issued_at", "jwt_id"), "in", old.$asTuple("project_id", "issued_at", "jwt_id")),
        )
        .execute();
    }
    if (signal.aborted) return;
  }
}
