import { MediaResponseError } from "./errors.js";
import type { ListLogsRequest } from "./generated/media.js";
import { isCapped, type LogEntryOf, type LogKind, MAX_ENTRIES, type Optional } from "./operations.js";
import { type CallOptions, checkFollowing } from "./options.js";
import { isRetryable, pause } from "./retry.js";

/** Options of `logs.follow()`. */
export interface FollowOptions extends CallOptions {
  /** The project; the key's own where it is left out. */
  project_id?: string | undefined;
  /**
   * How long to wait between two polls.
   * @default 5_000
   */
  intervalMs?: number | undefined;
  /**
   * How many of the entries that are there already to yield first.
   * @default 0
   */
  backlog?: number | undefined;
  /** Is told of a poll that failed in passing, after its retries; following goes on, and no entry is lost by it. */
  onError?: ((error: unknown) => void) | undefined;
}

/** What `logs.follow()` yields. */
export interface Followed<K extends LogKind> {
  /** The new entry. */
  entry: LogEntryOf<K>;
  /** Whether entries before this one may have been missed: more came between two polls than one answer holds. */
  gap: boolean;
}

/** Polls a log and yields each new entry once, oldest first. Late entries, which appear further down, are found as well. */
export function follow<K extends LogKind>(
  list: (request: Optional<ListLogsRequest>, options: CallOptions) => Promise<LogEntryOf<K>[]>,
  { intervalMs = 5_000, backlog = 0, ...others }: FollowOptions,
): AsyncGenerator<Followed<K>, void, undefined> {
  checkFollowing(intervalMs, backlog);
  return poll(list, { intervalMs, backlog, ...others });
}

async function* poll<K extends LogKind>(
  list: (request: Optional<ListLogsRequest>, options: CallOptions) => Promise<LogEntryOf<K>[]>,
  { project_id, intervalMs, backlog, onError, ...callOptions }: FollowOptions & { intervalMs: number; backlog: number },
): AsyncGenerator<Followed<K>, void, undefined> {
  const { signal } = callOptions;
  let seen: Set<string> | undefined;
  while (!signal?.aborted) {
    let entries: LogEntryOf<K>[] | undefined;
    try {
      entries = await list({ project_id }, callOptions);
    } catch (error) {
      if (signal?.aborted) return;
      // A first poll that fails means that nothing was ever right; a later one may pass, as a proxy's page may.
      if (!seen || !(isRetryable(error) || error instanceof MediaResponseError)) throw error;
      onError?.(error);
    }
    if (entries) {
      const isFirst = !seen;
      seen ??= new Set();
      const fresh = takeFresh(seen, entries);
      let gap = !isFirst && isCapped(fresh);
      for (const entry of isFirst ? fresh.slice(-backlog || fresh.length) : fresh) {
        if (signal?.aborted) return;
        yield { entry, gap };
        gap = false;
      }
    }
    await pause(intervalMs, signal);
  }
}

// More than one answer holds, because an entry may be missing from one and be there again in the next: answers that come
// from different machines lag, and may cut off differently among entries of the same time.
const REMEMBERED_ENTRIES = 5 * MAX_ENTRIES;

/** The entries of an answer that were not seen before, oldest first. They then count as seen. */
export function takeFresh<E>(seen: Set<string>, entries: readonly E[]): E[] {
  // Entries have no id, and two of them may be equal: the second of its kind is another one.
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
