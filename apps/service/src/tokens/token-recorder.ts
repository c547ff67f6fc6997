import { randomUUID } from "node:crypto";
import type { Statement } from "@media-ops/database";
import type { TokenClaims } from "@media-ops/tokens";
import type { Kysely } from "kysely";
import { Health } from "../health.js";
import { byProject } from "../logs/log-store.js";
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

const DAY_MS = 24 * 60 * 60 * 1000;
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

/** The second of a time in ms, both since 1970. */
export const toSecond = (ms: number): number => Math.floor(ms / 1000);

const UUID_TIME_MS = 2 ** 48;

/** A UUID that begins with the time (version 7), so that the record of its token is found by the time. */
export function timedUuid(now: number): string {
  const time = Math.max(0, Math.min(UUID_TIME_MS - 1, Math.floor(now)));
  const digits = time.toString(16).padStart(12, "0");
  // All after the time and the version is random.
  return `${digits.slice(0, 8)}-${digits.slice(8)}-7${randomUUID().slice(15)}`;
}

/** The time in a `timedUuid`; NaN for a text that has none. */
export const timeOfUuid = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

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
  /** Whether each project's records are written by themselves, so that the failure of one does not affect the others. */
  readonly isDistributed?: boolean;
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

  /** Records a token soon; `isTimed` if its id is a `timedUuid`. After a long failure, the oldest are lost. */
  record(projectId: string, token: TokenRecord, { isTimed }: { isTimed: boolean }): void {
    this.#batchFor(projectId, token, isTimed).tokens.push(token);
    this.#count += 1;
    if (this.#count > MAX_WAITING) this.#dropOldest();
    this.#timer ??= setTimeout(() => void this.flush(), WRITE_AFTER_MS).unref();
  }

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

  #dropOldest(): void {
    this.#count -= this.#batches.shift()?.tokens.length ?? 0;
    // It may have been among them.
    this.#open.clear();
  }

  async #write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#open.clear();
    const { query, write, isDistributed = false } = this.#options;
    const batches = this.#batches;
    if (batches.length === 0) return;
    this.#batches = [];
    this.#count = 0;
    const groups = isDistributed ? byProject(batches, ({ projectId }) => projectId).map(([, own]) => own) : [batches];
    const failed: Batch[] = [];
    let failure: unknown;
    for (const group of groups) {
      await write(group.map((batch) => insertBatch(query, batch))).catch((error: unknown) => {
        failure = error;
        failed.push(...group);
      });
    }
    this.#health.note(failure);
    if (failure === undefined) return;
    this.#batches.unshift(...failed);
    for (const { tokens } of failed) this.#count += tokens.length;
    this.#timer ??= setTimeout(() => void this.flush(), RETRY_MS).unref();
  }
}
