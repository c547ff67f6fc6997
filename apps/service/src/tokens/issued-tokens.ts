import type { IssuedToken } from "@media-ops/contract";
import type { TokenClaims, TokenRevocation } from "@media-ops/tokens";
import type { Kysely } from "kysely";
import type { Work } from "../reads/pace.js";
import type { Tables } from "../storage/tables.js";
import type { Revocations } from "./revocations.js";
import { type TokenRecord, timeOfUuid, toSecond } from "./token-recorder.js";

/** Which tokens to list. */
export interface TokenFilter {
  readonly jwtId?: string | undefined;
  readonly channelId?: string | undefined;
  readonly role?: string | undefined;
  readonly requestedBy?: string | undefined;
  /** Whether revoked tokens, and those that ended within the last day, match. */
  readonly includeEnded?: boolean | undefined;
  readonly after?: TokenPlace | undefined;
}

/** The place of a token in the listing. */
export interface TokenPlace {
  readonly issuedAt: number;
  readonly jwtId: string;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const YEAR_MS = 366 * DAY_MS;

const BATCHES_AT_ONCE = 32;

type BatchRow = Pick<Tables["token_batch"], "second" | "batch_id" | "last_end" | "tokens">;

const batchesOf = (query: Kysely<Tables>, projectId: string) =>
  query
    .selectFrom("token_batch")
    .select(["second", "batch_id", "last_end", "tokens"])
    .where("project_id", "=", projectId)
    .orderBy("second", "desc")
    .orderBy("batch_id", "desc")
    .limit(BATCHES_AT_ONCE);

interface FoundTokens {
  readonly tokens: readonly TokenRecord[];
  /** All that were issued at this time or later have been found, in ms since 1970. */
  readonly since: number;
}

/** The tokens of a project that match a filter, newest first, some at a time. */
async function* readTokens(
  { query, projectId, work, now }: Omit<ReadOptions, "revocations">,
  filter: TokenFilter,
): AsyncGenerator<FoundTokens> {
  const { jwtId, after } = filter;
  const batches = batchesOf(query, projectId);
  const matches = matcher(filter, now);
  if (jwtId === undefined) {
    yield* readBatches(batches, matches, work, after && toSecond(after.issuedAt));
    return;
  }
  yield* readBatches(batches.where("jwt_id", "=", jwtId), matches, work);
  const second = toSecond(timeOfUuid(jwtId));
  // Other ids of callers contain no time.
  if (Number.isFinite(second))
    yield* readBatches(batches.where("second", "=", second).where("jwt_id", "is", null), matches, work);
}

async function* readBatches(
  batches: ReturnType<typeof batchesOf>,
  matches: (batch: BatchRow) => TokenRecord[],
  work: Work,
  newest: number = Number.MAX_SAFE_INTEGER,
): AsyncGenerator<FoundTokens> {
  // Batches of one second are not in order, and a page may end between them.
  let ofLastSecond: TokenRecord[] = [];
  let last: BatchRow | undefined;
  do {
    await work.pause();
    // With both conditions, SQLite would take the wider one for its index.
    const page = batches.where(({ eb, refTuple, tuple }) =>
      last ? eb(refTuple("second", "batch_id"), "<", tuple(last.second, last.batch_id)) : eb("second", "<=", newest),
    );
    const rows: BatchRow[] = await page.execute();
    const found = ofLastSecond;
    for (const row of rows) {
      if (work.isDue) await work.pause();
      found.push(...matches(row));
    }
    found.sort(newestFirst);
    last = rows.length === BATCHES_AT_ONCE ? rows.at(-1) : undefined;
    const since = last === undefined ? Number.NEGATIVE_INFINITY : (last.second + 1) * 1000;
    ofLastSecond = found.filter(({ issued_at }) => issued_at < since);
    yield { tokens: found.filter(({ issued_at }) => issued_at >= since), since };
  } while (last);
}

const newestFirst = (a: TokenRecord, b: TokenRecord): number =>
  b.issued_at - a.issued_at || (a.jwt_id < b.jwt_id ? 1 : -1);

function matcher(filter: TokenFilter, now: number): (batch: BatchRow) => TokenRecord[] {
  const { jwtId, channelId, role, requestedBy, includeEnded, after } = filter;
  // Most batches have no such token, which their text shows faster.
  const texts = [jwtId, channelId, role, requestedBy]
    .filter((text) => text !== undefined)
    .map((text) => JSON.stringify(text));
  const endsAfter = includeEnded ? now - DAY_MS : now;
  const matches = (token: TokenRecord): boolean =>
    (jwtId === undefined || token.jwt_id === jwtId) &&
    (channelId === undefined || token.channel_id === channelId) &&
    (role === undefined || token.role === role) &&
    (requestedBy === undefined || token.requested_by === requestedBy) &&
    (token.ends_at === undefined || token.ends_at > endsAfter) &&
    (after === undefined ||
      token.issued_at < after.issuedAt ||
      (token.issued_at === after.issuedAt && token.jwt_id < after.jwtId));
  return ({ tokens, last_end }) =>
    (last_end === null || last_end > endsAfter) && texts.every((text) => tokens.includes(text))
      ? (JSON.parse(tokens) as TokenRecord[]).filter(matches)
      : [];
}

/** The project whose tokens are read, and the time as of which they are. */
export interface ReadOptions {
  readonly query: Kysely<Tables>;
  readonly projectId: string;
  readonly work: Work;
  readonly revocations: Pick<Revocations, "among">;
  readonly now: number;
}

const claimsOf = ({ jwt_id, issued_at, channel_id }: TokenRecord): TokenClaims => ({
  jti: jwt_id,
  iat: toSecond(issued_at),
  channel_id,
});

/** The newest matching tokens: a page, or what was found in time. `next` is where the listing goes on. */
export async function listTokens(
  { revocations, ...options }: ReadOptions,
  filter: TokenFilter,
  limit: number,
): Promise<{ tokens: IssuedToken[]; next: TokenPlace | undefined }> {
  const { projectId, work, now } = options;
  const listed: { token: TokenRecord; revocation: TokenRevocation | undefined }[] = [];
  let next: TokenPlace | undefined;
  for await (const { tokens, since } of readTokens(options, filter)) {
    const revoked = await revocations.among(projectId, tokens.map(claimsOf));
    for (const token of tokens) {
      const revocation = revoked.find(claimsOf(token));
      if (filter.includeEnded || !revocation) listed.push({ token, revocation });
    }
    const last = listed.length >= limit ? listed[limit - 1]?.token : undefined;
    if (last) next = { issuedAt: last.issued_at, jwtId: last.jwt_id };
    else if (work.isOver && Number.isFinite(since)) next = { issuedAt: since, jwtId: "" };
    if (next) break;
  }
  return { tokens: listed.slice(0, limit).map(({ token, revocation }) => toIssuedToken(token, revocation, now)), next };
}

const timeOf = (ms: number): string => new Date(ms).toISOString();

function toIssuedToken(record: TokenRecord, revocation: TokenRevocation | undefined, now: number): IssuedToken {
  const { issued_at, not_before, ends_at, ...token } = record;
  return {
    ...token,
    issued_at: timeOf(issued_at),
    ...(not_before !== undefined && { not_before: timeOf(not_before) }),
    ...(ends_at !== undefined && { expiration_time: timeOf(ends_at) }),
    state: stateOf(record, revocation, now),
    ...(revocation?.revoked_at !== undefined && { revoked_at: revocation.revoked_at }),
    ...(revocation?.revoked_by !== undefined && { revoked_by: revocation.revoked_by }),
  };
}

function stateOf(
  { not_before, ends_at }: TokenRecord,
  revocation: TokenRevocation | undefined,
  now: number,
): IssuedToken["state"] {
  if (revocation) return "revoked";
  if (ends_at !== undefined && ends_at <= now) return "expired";
  return not_before !== undefined && not_before > now ? "not-yet-valid" : "active";
}

/** The tokens that a revocation ends. */
export type EndedTokens = { readonly jwtId: string } | { readonly channelId: string; readonly issuedBefore: number };

/** How many known tokens a revocation ends, and when the last ends; if counting takes long, only since a time. */
export async function tokensEndedBy(
  { revocations, ...options }: ReadOptions,
  which: EndedTokens,
): Promise<{ count: number; lastEndsAt: number | null; countedSince: number | undefined }> {
  const { projectId, work } = options;
  let count = 0;
  let lastEnd = Number.NEGATIVE_INFINITY;
  let countedSince: number | undefined;
  for await (const { tokens, since } of readTokens(options, which)) {
    const revoked = await revocations.among(projectId, tokens.map(claimsOf));
    for (const token of tokens) {
      // Those that were revoked before with their channel have been counted then.
      const isEnded =
        "jwtId" in which || (toSecond(token.issued_at) * 1000 < which.issuedBefore && !revoked.find(claimsOf(token)));
      if (!isEnded) continue;
      count += 1;
      lastEnd = Math.max(lastEnd, token.ends_at ?? Number.POSITIVE_INFINITY);
    }
    // A token is found by its id at once, and its end must be known.
    if ("jwtId" in which || !work.isOver || !Number.isFinite(since)) continue;
    countedSince = since;
    break;
  }
  return { count, lastEndsAt: Number.isFinite(lastEnd) ? lastEnd : null, countedSince };
}

const DELETED_AT_ONCE = 500;

/** Deletes records a day after their tokens' end, or after a year. Little older is left, so this needs no index. */
export async function sweepTokens(query: Kysely<Tables>, now: number, signal: AbortSignal): Promise<void> {
  for (const { project_id: projectId } of await query.selectFrom("project").select("project_id").execute()) {
    while (!signal.aborted && (await deleteSome(query, projectId, now)));
  }
}

async function deleteSome(query: Kysely<Tables>, projectId: string, now: number): Promise<boolean> {
  const before = now - DAY_MS;
  const over = query
    .selectFrom("token_batch")
    .select(["second", "batch_id"])
    .where("project_id", "=", projectId)
    .where("second", "<", toSecond(before))
    .where(({ and, eb, or }) =>
      or([eb("last_end", "<", before), and([eb("last_end", "is", null), eb("second", "<", toSecond(now - YEAR_MS))])]),
    );
  // Read first: most projects have nothing to delete, and need no write.
  if (!(await over.limit(1).executeTakeFirst())) return false;
  const { numDeletedRows } = await query
    .deleteFrom("token_batch")
    .where("project_id", "=", projectId)
    .where(({ eb, refTuple }) =>
      eb(refTuple("second", "batch_id"), "in", over.limit(DELETED_AT_ONCE).$asTuple("second", "batch_id")),
    )
    .executeTakeFirstOrThrow();
  return numDeletedRows === BigInt(DELETED_AT_ONCE);
}
