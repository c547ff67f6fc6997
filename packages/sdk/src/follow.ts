import { pause } from "./deadline.js";
import { MediaResponseError } from "./errors.js";
import type { ListLogsRequest } from "./generated/media.js";
import { isCapped } from "./is-capped.js";
import type { LogEntryOf, LogKind, Optional } from "./operations.js";
import type { CallOptions } from "./options.js";
import { isRetryable } from "./retry.js";

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
export async function* follow<K extends LogKind>(
  list: (request: Optional<ListLogsRequest>, options: CallOptions) => Promise<LogEntryOf<K>[]>,
  { project_id, intervalMs = 5_000, backlog = 0, onError, ...callOptions }: FollowOptions,
): AsyncGenerator<Followed<K>, void, undefined> {
  const { signal } = callOptions;
  let seen: Seen | undefined;
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
      const { fresh, now } = compare(seen, entries);
      let gap = seen !== undefined && isCapped(fresh);
      const wanted = seen ? fresh : fresh.slice(-backlog || fresh.length);
      seen = now;
      for (const entry of wanted) {
        if (signal?.aborted) return;
        yield { entry, gap };
        gap = false;
      }
    }
    await pause(intervalMs, signal);
  }
}

/** How often each entry stands in an answer. Entries have no id, and two of them may be equal. */
type Seen = Map<string, number>;

/** The entries that an answer has more often than the one before, oldest first. */
export function compare<E>(before: Seen | undefined, entries: readonly E[]): { fresh: E[]; now: Seen } {
  const now: Seen = new Map();
  const fresh: E[] = [];
  for (const entry of [...entries].reverse()) {
    const key = JSON.stringify(entry);
    const count = (now.get(key) ?? 0) + 1;
    now.set(key, count);
    if (count > (before?.get(key) ?? 0)) fresh.push(entry);
  }
  return { fresh, now };
}
