import type { LogEntryOf, LogKind } from "@media-ops/contract";
import { MAX_ENTRIES, type MediaConnection } from "./api.js";
import { MediaResponseError } from "./errors.js";
import { type CallOptions, check, checkCount } from "./options.js";
import { isRetryable, pause } from "./retry.js";
import { checkKind, filterOf, isCapped, type LogWhere, scan, search } from "./search.js";

/** Options of `logs.follow()`. */
export interface FollowOptions<K extends LogKind = LogKind> extends CallOptions {
  /** The project; default: the key's own. */
  project_id?: string | undefined;
  /** Conditions on the entries, as in the log's listing; default: all entries. */
  where?: LogWhere<K> | undefined;
  /** Entries with this `timestamp` or a later one, among those of the backlog and the new ones; default: all. */
  since?: string | Date | undefined;
  /**
   * Where to resume: the `cursor` of an item of an earlier `follow()` with the same `where` and `since`, or the
   * `followCursor` of a page of such a search.
   * @default from now on
   */
  cursor?: string | undefined;
  /**
   * How many seconds the service holds a call until there is something new, up to 30.
   * @default 30
   */
  waitSeconds?: number | undefined;
  /**
   * The time before the next call after a failure, and between the calls of a service that does not hold them.
   * @default 5_000
   */
  intervalMs?: number | undefined;
  /**
   * How many existing entries to yield first. Not with a `cursor`.
   * @default 0
   */
  backlog?: number | undefined;
  /** Called when a call fails temporarily, after its retries. Following continues, and no entry is lost. */
  onError?: ((error: unknown) => void) | undefined;
  /**
   * Called after each answer, once all of its entries were yielded, also if it had none; following goes on when the
   * promise is settled. For callers that need to know how far the log was read.
   */
  onAnswer?: ((answer: FollowAnswer) => void | Promise<void>) | undefined;
}

/** How far a log was followed. */
export interface FollowAnswer {
  /** Resumes after this answer; undefined if the service knows no cursors. */
  cursor: string | undefined;
  /** When it was asked for, in milliseconds since 1970. */
  askedAt: number;
  /** Whether everything that was written before `askedAt` has been yielded. */
  isCaughtUp: boolean;
}

/** An item of `logs.follow()`. */
export interface Followed<K extends LogKind> {
  /** The new entry. */
  entry: LogEntryOf<K>;
  /** Whether entries before this one may be missing. Never, unless the service knows no cursors. */
  gap: boolean;
  /**
   * Resumes right after this entry: none is lost, none is repeated. Undefined if the service knows no cursors, and for
   * the entries of the backlog but the last.
   */
  cursor: string | undefined;
}

// Entries that arrive one by one would else cost a call each. With the wait, they still arrive within a second.
const COLLECT_MS = 500;
// An empty answer that came sooner was not held.
const HELD_MS = 1_000;

/** Yields each new entry of a log once, in the order in which they are written. */
export function follow<K extends LogKind>(
  connection: MediaConnection,
  kind: K,
  options: FollowOptions<K>,
): AsyncGenerator<Followed<K>, void, undefined> {
  const { project_id, where, since, cursor: saved, onError, onAnswer, ...others } = options;
  const { waitSeconds = 30, intervalMs = 5_000, backlog = 0, ...callOptions } = others;
  const question = { project_id, where, since };
  checkKind(kind);
  const isMatch = filterOf(question);
  checkCount("waitSeconds", waitSeconds, [0, 30]);
  // A timer would fire at once for an invalid number.
  check(intervalMs >= 0, `intervalMs must be 0 or more, not ${intervalMs}.`);
  checkCount("backlog", backlog);
  const { now } = connection;
  const { signal } = callOptions;
  const sendOptions = { ...callOptions, isFollowing: true } as const;
  return poll();

  async function* poll(): AsyncGenerator<Followed<K>, void, undefined> {
    // A cursor within a page: how many of its entries were yielded, and the page's own cursor.
    const [, yielded = 0, page = saved] = /^(\d+)~(.+)$/.exec(saved ?? "") ?? [];
    let skip = Number(yielded);
    let cursor = page;
    let existing = saved ? 0 : backlog;
    // What a service without cursors has listed so far.
    let seen: Set<string> | undefined;
    let hasBegun = false;
    let gap = false;
    while (!signal?.aborted) {
      const asked = now();
      let entries: LogEntryOf<K>[];
      let skipped = 0;
      let next: string | undefined;
      let delay = intervalMs;
      let isCaughtUp = true;
      try {
        const page = cursor
          ? await search(connection, kind, { ...question, cursor }, { ...sendOptions, waitSeconds })
          : await search(connection, kind, { ...question, limit: seen ? MAX_ENTRIES : existing || 1 }, sendOptions);
        if (page && cursor) {
          skipped = Math.min(skip, page.data.length);
          skip -= skipped;
          entries = page.data.slice(skipped);
          next = page.nextCursor;
          isCaughtUp = !isCapped(page.data);
          if (page.data.length > 0) delay = isCapped(page.data) ? 0 : Math.min(COLLECT_MS, intervalMs);
          else if (now() - asked >= HELD_MS) delay = 0;
        } else {
          // A service that no longer knows the cursor may have written any number of entries since.
          gap ||= cursor !== undefined;
          cursor = undefined;
          const { data, followCursor } = page ?? (await scan(connection, kind, { project_id }, sendOptions));
          const isStart = !seen;
          seen ??= new Set();
          const fresh = takeFresh(seen, data);
          gap ||= !isStart && isCapped(fresh);
          entries = fresh.filter(isMatch);
          if (isStart) entries = entries.slice(-existing || entries.length);
          existing = 0;
          next = followCursor;
          if (next) {
            seen = undefined;
            delay = 0;
          }
        }
        hasBegun = true;
      } catch (error) {
        if (signal?.aborted) return;
        // A failure of the first call means a misconfiguration; a later one may be temporary, such as a proxy's error
        // page.
        if (!hasBegun || !(isRetryable(error) || error instanceof MediaResponseError)) throw error;
        onError?.(error);
        await pause(intervalMs, signal);
        continue;
      }
      for (const [index, entry] of entries.entries()) {
        if (signal?.aborted) return;
        const within = cursor && `${skipped + index + 1}~${cursor}`;
        yield { entry, gap, cursor: index === entries.length - 1 ? next : within };
        gap = false;
      }
      cursor = next;
      await onAnswer?.({ cursor, askedAt: asked, isCaughtUp });
      await pause(delay, signal);
    }
  }
}

// More than one response, because an entry may be missing from one and return in the next: responses of different
// machines lag, and have different limits among entries of the same time.
const REMEMBERED_ENTRIES = 5 * MAX_ENTRIES;

/** The entries that were not seen before, oldest first. They are then marked as seen. */
export function takeFresh<E>(seen: Set<string>, entries: readonly E[]): E[] {
  // Entries have no id, and equal ones are distinct.
  const counts = new Map<string, number>();
  const fresh = [...entries].reverse().filter((entry) => {
    const text = JSON.stringify(entry);
    const count = (counts.get(text) ?? 0) + 1;
    counts.set(text, count);
    const isFresh = !seen.has(text + count);
    seen.add(text + count);
    return isFresh;
  });
  for (const oldest of seen) {
    if (seen.size <= REMEMBERED_ENTRIES) break;
    seen.delete(oldest);
  }
  return fresh;
}
