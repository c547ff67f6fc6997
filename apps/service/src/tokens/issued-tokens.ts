import { randomUUID } from "node:crypto";
import type { Statement } from "@media-ops/database";
import type { RevocationList, TokenClaims, TokenRevocation } from "@media-ops/tokens";
import type { Kysely } from "kysely";
import type { IssuedToken } from "../generated/extensions.js";
import { Health } from "../health.js";
import type { Tables } from "../storage/tables.js";

/** A token that was issued, without the token itself. Times are in ms since 1970. */
export interface TokenRecord {
  /** In lower case. */
  readonly jwt_id: string;
  readonly key_id: string;
  readonly issued_at: number;
  readonly channel_id?: string;
  readonly role?: NonNullable<TokenClaims["role"]>;
  readonly max_channel_connections?: number;
  readonly not_before?: number;
  /** Undefined if it never ends. */
  readonly ends_at?: number;
  readonly requested_by?: string;
}

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

const toMs = (seconds: number): number => Math.max(-LAST_MS, Math.min(LAST_MS, seconds * 1000));

/** The record of a token that was just issued. */
export const toTokenRecord = (
  { jti = "", channel_id, role, max_channel_connections, nbf, exp }: TokenClaims,
  { keyId, now, requestedBy }: { keyId: string; now: number; requestedBy: string | undefined },
): TokenRecord => ({
  jwt_id: jti.toLowerCase(),
  key_id: keyId,
  issued_at: now,
  ...(channel_id !== undefined && { channel_id }),
  ...(role !== undefined && { role }),
  ...(max_channel_connections !== undefined && { max_channel_connections }),
  ...(nbf !== undefined && { not_before: toMs(nbf) }),
  ...(exp !== undefined && { ends_at: toMs(exp) }),
  ...(requestedBy !== undefined && { requested_by: requestedBy }),
});

const toSecond = (ms: number): number => Math.floor(ms / 1000);

const UUID_TIME_MS = 2 ** 48;

/** A UUID that begins with the time (version 7), so that the record of its token is found by the time. */
export function timedUuid(now: number): string {
  const time = Math.max(0, Math.min(UUID_TIME_MS - 1, Math.floor(now)));
  const digits = time.toString(16).padStart(12, "0");
  // All after the time and the version is random.
  return `${digits.slice(0, 8)}-${digits.slice(8)}-7${randomUUID().slice(15)}`;
}

const timeOfUuid = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

/** Tokens of a project that were issued in the same second and end on the same day. */
interface Batch {
  readonly projectId: string;
  readonly second: number;
  readonly batchId: string;
  /** The id of its only token, if the caller has chosen it: it cannot be found by the time. */
  readonly jwtId: string | null;
  readonly tokens: TokenRecord[];
}

/** Adds a batch; one that was added although its answer was lost is left as it is. */
const insertBatch = (query: Kysely<Tables>, { projectId, second, batchId, jwtId, tokens }: Batch): Statement => {
  const ends = tokens.map(({ ends_at }) => ends_at).filter((end) => end !== undefined);
  return query
    .insertInto("token_batch")
    .values({
      project_id: projectId,
      second,
      batch_id: batchId,
      jwt_id: jwtId,
      last_end: ends.length === 0 ? null : Math.max(...ends),
      tokens: JSON.stringify(tokens),
    })
    .onConflict((conflict) => conflict.doNothing())
    .compile();
};

const WRITE_AFTER_MS = 250;
const RETRY_MS = 1000;
const MAX_TOGETHER = 1000;
const MAX_WAITING = 50_000;

interface TokenRecorderOptions {
  readonly query: Kysely<Tables>;
  write(statements: readonly Statement[]): Promise<unknown>;
  /** Called with an error when records cannot be written, and without one when they can again. */
  onChange(error: unknown): void;
}

/** Records issued tokens in batches that no caller awaits, and retries until they are written. */
export class TokenRecorder {
  readonly #options: TokenRecorderOptions;
  readonly #health: Health;
  #batches: Batch[] = [];
  #count = 0;
  /** The batches that take more tokens. */
  readonly #open = new Map<string, Batch>();
  #running: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: TokenRecorderOptions) {
    this.#options = options;
    this.#health = new Health((error) => options.onChange(error));
  }

  /**
   * Records a token soon. If records cannot be written for long, the oldest are lost.
   *
   * @param isTimed Whether its id is a `timedUuid` of the time when it was issued.
   */
  record(projectId: string, token: TokenRecord, { isTimed }: { isTimed: boolean }): void {
    this.#batchFor(projectId, token, isTimed).tokens.push(token);
    this.#count += 1;
    if (this.#count > MAX_WAITING) this.#count -= this.#batches.shift()?.tokens.length ?? 0;
    this.#timer ??= setTimeout(() => void this.flush(), WRITE_AFTER_MS).unref();
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

  #batchFor(projectId: string, { jwt_id, issued_at, ends_at }: TokenRecord, isTimed: boolean): Batch {
    const second = toSecond(issued_at);
    // Tokens that end much earlier are not kept as long as the others.
    const lastDay = ends_at === undefined ? "" : Math.floor(ends_at / DAY_MS);
    const name = `${second} ${lastDay} ${projectId}`;
    const open = isTimed ? this.#open.get(name) : undefined;
    if (open && open.tokens.length < MAX_TOGETHER) return open;
    const batch = { projectId, second, batchId: randomUUID(), jwtId: isTimed ? null : jwt_id, tokens: [] };
    this.#batches.push(batch);
    if (isTimed) this.#open.set(name, batch);
    return batch;
  }

  async #write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#open.clear();
    const { query, write } = this.#options;
    const batches = this.#batches;
    if (batches.length === 0) return;
    const count = this.#count;
    this.#batches = [];
    this.#count = 0;
    const error = await write(batches.map((batch) => insertBatch(query, batch))).then(
      () => undefined,
      (error: unknown) => error,
    );
    this.#health.note(error);
    if (error === undefined) return;
    this.#batches.unshift(...batches);
    this.#count += count;
    this.#timer ??= setTimeout(() => void this.flush(), RETRY_MS).unref();
  }
}

const BATCHES_AT_ONCE = 32;

type BatchRow = Pick<Tables["token_batch"], "second" | "batch_id" | "tokens">;

const batchesOf = (query: Kysely<Tables>, projectId: string, { after, includeEnded }: TokenFilter, now: number) =>
  query
    .selectFrom("token_batch")
    .select(["second", "batch_id", "tokens"])
    .where("project_id", "=", projectId)
    .$if(after !== undefined, (all) => all.where("second", "<=", toSecond(after?.issuedAt ?? 0)))
    .$if(!includeEnded, (all) => all.where(({ eb, or }) => or([eb("last_end", "is", null), eb("last_end", ">", now)])))
    .orderBy("second", "desc")
    .orderBy("batch_id", "desc")
    .limit(BATCHES_AT_ONCE);

/** The tokens of a project that match a filter, newest first, in pages. */
async function* readTokens(
  query: Kysely<Tables>,
  projectId: string,
  filter: TokenFilter,
  now: number,
): AsyncGenerator<TokenRecord[]> {
  const { jwtId } = filter;
  const batches = batchesOf(query, projectId, filter, now);
  const matches = matcher(filter, now);
  if (jwtId === undefined) {
    yield* readBatches(batches, matches);
    return;
  }
  yield* readBatches(batches.where("jwt_id", "=", jwtId), matches);
  const second = toSecond(timeOfUuid(jwtId));
  // Other ids of callers contain no time.
  if (Number.isFinite(second))
    yield* readBatches(batches.where("second", "=", second).where("jwt_id", "is", null), matches);
}

async function* readBatches(
  batches: ReturnType<typeof batchesOf>,
  matches: (batch: BatchRow) => TokenRecord[],
): AsyncGenerator<TokenRecord[]> {
  // Batches of one second are not in order, and a page may end between them.
  let ofLastSecond: TokenRecord[] = [];
  let last: BatchRow | undefined;
  do {
    const { second, batch_id: batchId } = last ?? {};
    const page =
      second === undefined || batchId === undefined
        ? batches
        : batches.where(({ eb, refTuple, tuple }) => eb(refTuple("second", "batch_id"), "<", tuple(second, batchId)));
    const rows: BatchRow[] = await page.execute();
    const found = [...ofLastSecond, ...rows.flatMap(matches)].sort(newestFirst);
    last = rows.length === BATCHES_AT_ONCE ? rows.at(-1) : undefined;
    const complete = last === undefined ? Number.NEGATIVE_INFINITY : (last.second + 1) * 1000;
    ofLastSecond = found.filter(({ issued_at }) => issued_at < complete);
    yield found.filter(({ issued_at }) => issued_at >= complete);
  } while (last);
}

const newestFirst = (a: TokenRecord, b: TokenRecord): number =>
  b.issued_at - a.issued_at || (a.jwt_id < b.jwt_id ? 1 : -1);

/** Reads the tokens of a batch that match. */
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
  return ({ tokens }) =>
    texts.every((text) => tokens.includes(text)) ? (JSON.parse(tokens) as TokenRecord[]).filter(matches) : [];
}

export interface ReadOptions {
  readonly query: Kysely<Tables>;
  readonly projectId: string;
  /** What the project has revoked. */
  readonly revocations: RevocationList;
  readonly now: number;
}

/** The revocation that ends a token; undefined if there is none. */
const revocationOf = (revocations: RevocationList, { jwt_id, issued_at, channel_id }: TokenRecord) =>
  revocations.find({ jti: jwt_id, iat: toSecond(issued_at), channel_id });

/** The newest matching tokens. */
export async function listTokens(
  { query, projectId, revocations, now }: ReadOptions,
  filter: TokenFilter,
  limit: number,
): Promise<{ tokens: IssuedToken[]; next: TokenPlace | undefined }> {
  const listed: TokenRecord[] = [];
  for await (const tokens of readTokens(query, projectId, filter, now)) {
    listed.push(...tokens.filter((token) => filter.includeEnded || !revocationOf(revocations, token)));
    if (listed.length >= limit) break;
  }
  const shown = listed.slice(0, limit);
  const last = shown.at(-1);
  return {
    tokens: shown.map((token) => toIssuedToken(token, revocationOf(revocations, token), now)),
    next: last && shown.length === limit ? { issuedAt: last.issued_at, jwtId: last.jwt_id } : undefined,
  };
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

/** The known tokens that a revocation ends: how many, and when the last of them ends; null if one never does. */
export async function tokensEndedBy(
  { query, projectId, revocations, now }: ReadOptions,
  which: { jwtId: string } | { channelId: string; issuedBefore: number },
): Promise<{ count: number; lastEndsAt: number | null }> {
  let count = 0;
  let lastEnd = Number.NEGATIVE_INFINITY;
  for await (const tokens of readTokens(query, projectId, which, now)) {
    for (const token of tokens) {
      // Those that were revoked before with their channel have been counted then.
      const isEnded =
        "jwtId" in which ||
        (toSecond(token.issued_at) * 1000 < which.issuedBefore && !revocationOf(revocations, token));
      if (!isEnded) continue;
      count += 1;
      lastEnd = Math.max(lastEnd, token.ends_at ?? Number.POSITIVE_INFINITY);
    }
  }
  return { count, lastEndsAt: Number.isFinite(lastEnd) ? lastEnd : null };
}

const DELETED_AT_ONCE = 500;

/**
 * Deletes the records of tokens that ended more than a day ago, in small steps; of those without an end, after a year.
 * Nothing younger than a day is looked at, and of the rest little is left, so this needs no index.
 */
export async function sweepTokens(query: Kysely<Tables>, now: number, signal: AbortSignal): Promise<void> {
  const before = now - DAY_MS;
  for (const { project_id: projectId } of await query.selectFrom("project").select("project_id").execute()) {
    let deleted = DELETED_AT_ONCE;
    while (deleted === DELETED_AT_ONCE && !signal.aborted) {
      const { numDeletedRows } = await query
        .deleteFrom("token_batch")
        .where("project_id", "=", projectId)
        .where(({ eb, refTuple, selectFrom }) =>
          eb(
            refTuple("second", "batch_id"),
            "in",
            selectFrom("token_batch")
              .select(["second", "batch_id"])
              .where("project_id", "=", projectId)
              .where("second", "<", toSecond(before))
              .where(({ and, eb, or }) =>
                or([
                  eb("last_end", "<", before),
                  and([eb("last_end", "is", null), eb("second", "<", toSecond(now - YEAR_MS))]),
                ]),
              )
              .limit(DELETED_AT_ONCE)
              .$asTuple("second", "batch_id"),
          ),
        )
        .executeTakeFirstOrThrow();
      deleted = Number(numDeletedRows);
    }
    if (signal.aborted) return;
  }
}
