import { MediaResponseError } from "./errors.js";
import {
  isCapped,
  type ListLogsRequest,
  type LogEntryOf,
  type LogKind,
  MAX_ENTRIES,
  type Optional,
} from "./operations.js";
import { type CallOptions, checkFollowing } from "./options.js";
import { isRetryable, pause } from "./retry.js";

/** Options of `logs.follow()`. */
export interface FollowOptions extends CallOptions {
  /** The project; default: the key's own. */
  project_id?: string | undefined;
  /**
   * The time between two polls.
   * @default 5_000
   */
  intervalMs?: number | undefined;
  /**
   * How many existing entries to yield first.
   * @default 0
   */
  backlog?: number | undefined;
  /** Called when a poll fails temporarily, after its retries. Following continues, and no entry is lost. */
  onError?: ((error: unknown) => void) | undefined;
}

/** An item of `logs.follow()`. */
export interface Followed<K extends LogKind> {
  /** The new entry. */
  entry: LogEntryOf<K>;
  /** Whether entries before this one may be missing: more arrived between two polls than one response holds. */
  gap: boolean;
}

/** Polls a log and yields each new entry once, oldest first, including late entries further down. */
export function follow<K extends LogKind>(
  list: (request: Optional<ListLogsRequest>, options: CallOptions) => Promise<LogEntryOf<K>[]>,
  { project_id, intervalMs = 5_000, backlog = 0, onError, ...callOptions }: FollowOptions,
): AsyncGenerator<Followed<K>, void, undefined> {
  checkFollowing(intervalMs, backlog);
  return poll();

  async function* poll(): AsyncGenerator<Followed<K>, void, undefined> {
    const { signal } = callOptions;
    let seen: Set<string> | undefined;
    while (!signal?.aborted) {
      let entries: LogEntryOf<K>[] | undefined;
      try {
        entries = await list({ project_id }, callOptions);
      } catch (error) {
        if (signal?.aborted) return;
        // A failure of the first poll means a misconfiguration; a later one may be temporary, such as a proxy's error
        // page.
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
