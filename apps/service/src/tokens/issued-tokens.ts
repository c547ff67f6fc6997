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

const toMs = (seconds: number | undefined): number | undefined =>
  seconds === undefined ? undefined : Math.max(-LAST_MS, Math.min(LAST_MS, seconds * 1000));

/** What is recorded of a token, beside its project, its id and when it was issued. Absent members are not limited. */
interface TokenTerms {
  readonly key_id: string;
  readonly channel_id?: string | undefined;
  readonly role?: string | undefined;
  readonly max_connections?: number | undefined;
  /** In ms since 1970. */
  readonly not_before?: number | undefined;
  /** In ms since 1970. */
  readonly ends_at?: number | undefined;
  readonly requested_by?: string | undefined;
}

/** The record of a token that was just issued: the values of its row, as JSON. */
export function recordOf(
  claims: TokenClaims,
  {
    projectId,
    keyId,
    now,
    requestedBy,
  }: { projectId: string; keyId: string; now: number; requestedBy?: string | undefined },
): string {
  const terms: TokenTerms = {
    key_id: keyId,
    channel_id: claims.channel_id,
    role: claims.role,
    max_connections: claims.max_channel_connections,
    not_before: toMs(claims.nbf),
    ends_at: toMs(claims.exp),
    requested_by: requestedBy,
  };
  return JSON.stringify([projectId, now, (claims.jti ?? "").toLowerCase(), terms]);
}

const BATCH_MS = 250;
const RETRY_MS = 1000;
const MAX_ROWS = 2000;
const MAX_WAITING = 50_000;

// "where true" tells SQLite that "on" begins no join.
const insertFrom = (rows: string): string => `
  insert into access_token (project_id, issued_at, jwt_id, terms)
  select value ->> 0, cast(value ->> 1 as bigint), value ->> 2, value -> 3 from ${rows} where true
  on conflict do nothing`;
const INSERT = { sqlite: insertFrom("json_each(?)"), postgres: insertFrom("json_array_elements($1::json)") };

/**
 * The statement that records tokens; one that was recorded already is left as it is. Its only value is a text, which
 * costs little to keep and to pass from thread to thread.
 */
const insertStatement = (kind: keyof typeof INSERT, records: readonly string[]): Statement => ({
  sql: INSERT[kind],
  parameters: [`[${records.join(",")}]`],
});

interface IssuedTokensOptions {
  readonly kind: Kind;
  write(statements: readonly Statement[]): Promise<unknown>;
  /** Called with an error when records cannot be written, and without one when they can again. */
  onChange(error: unknown): void;
}

/** Records issued tokens in batches that no caller awaits, and retries until they are written. */
export class IssuedTokens {
  readonly #options: IssuedTokensOptions;
  readonly #health: Health;
  #waiting: string[] = [];
  #running: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: IssuedTokensOptions) {
    this.#options = options;
    this.#health = new Health((error) => options.onChange(error));
  }

  /**
   * Records a token soon. If records cannot be written for long, the oldest are lost.
   *
   * @param record See {@link recordOf}.
   */
  record(record: string): void {
    this.#waiting.push(record);
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
      const error = await write([insertStatement(kind, batch)]).then(
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

type Kind = keyof typeof INSERT;

/** A member of a token's terms; null if it is absent. */
function term(kind: Kind, name: keyof TokenTerms) {
  const terms = kind === "sqlite" ? sql`access_token.terms` : sql`access_token.terms::json`;
  return sql<string | null>`(${terms} ->> ${sql.lit(name)})`;
}

const endsAtIn = (kind: Kind) => sql<number | null>`cast(${term(kind, "ends_at")} as bigint)`;

/** A database by its kind. */
interface Source {
  readonly kind: Kind;
  readonly query: Kysely<Tables>;
}

/** The issued tokens, with what has been revoked. */
const withRevocations = ({ query, kind }: Source, projectId: string) =>
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
        .on("channel.subject", "=", sql<string>`'c ' || ${term(kind, "channel_id")}`)
        .on("channel.issued_before", ">", ISSUED_IN_SECONDS),
    )
    .where("access_token.project_id", "=", projectId);

/** The newest matching tokens. */
export async function listTokens(
  source: Source,
  projectId: string,
  filter: TokenFilter,
  { limit, now }: { limit: number; now: number },
): Promise<{ tokens: IssuedToken[]; last: TokenPlace | undefined }> {
  const { jwtId, channelId, role, requestedBy, includeEnded, after } = filter;
  const { kind } = source;
  const endsAt = endsAtIn(kind);
  let found = withRevocations(source, projectId);
  if (jwtId !== undefined) found = found.where("access_token.jwt_id", "=", jwtId);
  if (channelId !== undefined) found = found.where(term(kind, "channel_id"), "=", channelId);
  if (role !== undefined) found = found.where(term(kind, "role"), "=", role);
  if (requestedBy !== undefined) found = found.where(term(kind, "requested_by"), "=", requestedBy);
  if (!includeEnded) {
    found = found
      .where(({ eb, or }) => or([eb(endsAt, "is", null), eb(endsAt, ">", now)]))
      .where("own.subject", "is", null)
      .where("channel.subject", "is", null);
  }
  if (after !== undefined) {
    found = found.where(({ eb, refTuple, tuple }) =>
      eb(refTuple("access_token.issued_at", "access_token.jwt_id"), "<", tuple(after.issuedAt, after.jwtId)),
    );
  }
  const rows = await found
    .select(["access_token.jwt_id", "access_token.issued_at"])
    .select(({ fn }) => [
      sql<string>`cast(access_token.terms as text)`.as("terms"),
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

type ListedRow = Omit<TokenRow, "project_id"> & { revoked_at: number | null; revoked_by: string | null };

function toIssuedToken(
  { jwt_id, issued_at, terms, revoked_at: revokedAt, revoked_by: revokedBy }: ListedRow,
  now: number,
): IssuedToken {
  const { key_id, channel_id, role, max_connections, not_before, ends_at, requested_by }: TokenTerms =
    JSON.parse(terms);
  return {
    jwt_id,
    key_id,
    issued_at: timeOf(issued_at),
    ...(channel_id !== undefined && { channel_id }),
    ...((role === "sendrecv" || role === "sendonly" || role === "recvonly") && { role }),
    ...(max_connections !== undefined && { max_channel_connections: max_connections }),
    ...(not_before !== undefined && { not_before: timeOf(not_before) }),
    ...(ends_at !== undefined && { expiration_time: timeOf(ends_at) }),
    ...(requested_by !== undefined && { requested_by }),
    state: stateOf({ ends_at, not_before, isRevoked: revokedAt !== null }, now),
    ...(revokedAt !== null && { revoked_at: timeOf(revokedAt) }),
    ...(revokedBy !== null && { revoked_by: revokedBy }),
  };
}

function stateOf(
  { ends_at, not_before, isRevoked }: Pick<TokenTerms, "ends_at" | "not_before"> & { isRevoked: boolean },
  now: number,
): IssuedToken["state"] {
  if (isRevoked) return "revoked";
  if (ends_at !== undefined && ends_at <= now) return "expired";
  return not_before !== undefined && not_before > now ? "not-yet-valid" : "active";
}

/** The known tokens that a revocation ends: how many, and when the last of them ends; null if one never does. */
export async function tokensEndedBy(
  source: Source,
  projectId: string,
  which: { jwtId: string } | { channelId: string; issuedBefore: number },
  now: number,
): Promise<{ count: number; lastEndsAt: number | null }> {
  const endsAt = endsAtIn(source.kind);
  const own = withRevocations(source, projectId);
  const matching =
    "jwtId" in which
      ? own.where("access_token.jwt_id", "=", which.jwtId)
      : own
          .where(term(source.kind, "channel_id"), "=", which.channelId)
          .where(ISSUED_IN_SECONDS, "<", which.issuedBefore)
          // Those that were revoked before have been counted then.
          .where("own.subject", "is", null)
          .where("channel.subject", "is", null);
  const row = await matching
    .where(({ eb, or }) => or([eb(endsAt, "is", null), eb(endsAt, ">", now)]))
    .select(({ fn }) => [
      fn.countAll<number | string>().as("count"),
      fn.max(endsAt).as("last"),
      fn.count<number | string>(endsAt).as("ending"),
    ])
    .executeTakeFirstOrThrow();
  const count = Number(row.count);
  return { count, lastEndsAt: count > 0 && Number(row.ending) === count ? row.last : null };
}

const DELETED_AT_ONCE = 1000;

/**
 * Deletes the records of tokens that ended more than a day ago, in small steps; of those without an end, after a year.
 * Nothing is younger than a day, so no index is needed for that: few older ones are kept.
 */
export async function sweepTokens({ query, kind }: Source, now: number, signal: AbortSignal): Promise<void> {
  const endsAt = endsAtIn(kind);
  const before = now - DAY_MS;
  for (const { project_id: projectId } of await query.selectFrom("project").select("project_id").execute()) {
    const old = query
      .selectFrom("access_token")
      .select(["project_id", "issued_at", "jwt_id"])
      .where("project_id", "=", projectId)
      .where("issued_at", "<", before)
      .where(({ and, eb, or }) =>
        or([eb(endsAt, "<", before), and([eb(endsAt, "is", null), eb("issued_at", "<", now - YEAR_MS)])]),
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
