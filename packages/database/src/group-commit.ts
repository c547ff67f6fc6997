/** Commits the items of many callers together. */
export interface Committer<Item, Result> {
  /** The item's result, once it is durable. If it fails, nothing was committed. */
  add(item: Item): Promise<Result>;
  /** Waits for all items that have been added. */
  settled(): Promise<void>;
}

/** Options of {@link GroupCommit}. */
export interface GroupCommitOptions<Item, Result> {
  /** Commits all items or none, and returns a result for each. */
  commit(items: readonly Item[]): Promise<readonly Result[]>;
  /** Called after each commit, with the error if it failed. What it throws rejects `settled`, and changes no result. */
  onSettled(error: unknown): void;
  /** How many commits may run concurrently: the next begins while the results of the last are returned. @default 1 */
  atOnce?: number;
}

/** Options of a database's `groupCommit`. */
export interface CommitterOptions<Item, Result> extends Omit<GroupCommitOptions<Item, Result>, "atOnce"> {
  /** Items with the same key are committed in sequence. */
  keyOf(item: Item): string;
  /**
   * How many commits of items of any keys may run at once, unless Citus keeps the keys apart: then one key's failure or
   * delay must not affect the others. @default in PostgreSQL, each key is committed by itself; in SQLite, one
   */
  together?: number;
}

interface PendingItem<Item, Result> {
  readonly item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

// More would delay the items that are added meanwhile.
const MAX_ITEMS = 2000;
// Enough items to start a commit without waiting for the next turn of the event loop, and concurrently with another.
const ENOUGH_ITEMS = 64;

/** Commits the items of many callers together: those added during a commit go into the next. */
export class GroupCommit<Item, Result> implements Committer<Item, Result> {
  readonly #options: GroupCommitOptions<Item, Result>;
  readonly #atOnce: number;
  readonly #pending: PendingItem<Item, Result>[] = [];
  readonly #running = new Set<Promise<void>>();
  #isScheduled = false;

  constructor(options: GroupCommitOptions<Item, Result>) {
    this.#options = options;
    this.#atOnce = options.atOnce ?? 1;
  }

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#pending.push({ item, resolve, reject });
      this.#schedule();
    });
  }

  async settled(): Promise<void> {
    while (this.#pending.length > 0 || this.#running.size > 0) {
      this.#begin();
      await Promise.all(this.#running);
    }
  }

  #schedule(): void {
    if (this.#running.size >= this.#atOnce) return;
    if (this.#pending.length >= ENOUGH_ITEMS) this.#begin();
    else if (this.#running.size === 0 && !this.#isScheduled) {
      this.#isScheduled = true;
      // Items that are added in the same turn of the event loop share the commit.
      setImmediate(() => {
        this.#isScheduled = false;
        if (this.#running.size === 0) this.#begin();
      });
    }
  }

  #begin(): void {
    if (this.#pending.length === 0 || this.#running.size >= this.#atOnce) return;
    const run = this.#run(this.#pending.splice(0, MAX_ITEMS)).finally(() => {
      this.#running.delete(run);
      if (this.#pending.length > 0) this.#schedule();
    });
    this.#running.add(run);
  }

  async #run(batch: readonly PendingItem<Item, Result>[]): Promise<void> {
    const { commit, onSettled } = this.#options;
    let failure: unknown;
    try {
      const results = await commit(batch.map(({ item }) => item));
      if (results.length !== batch.length) throw new Error("A commit must return a result for each item.");
      batch.forEach(({ resolve }, at) => {
        resolve(results[at] as Result);
      });
    } catch (error) {
      failure = error;
      for (const { reject } of batch) reject(error);
    }
    onSettled(failure);
  }
}

/** A {@link GroupCommit} for each key; it is settled without an error once the last commits of all succeeded. */
export function keyedGroupCommit<Item, Result>(options: CommitterOptions<Item, Result>): Committer<Item, Result> {
  const groups = new Map<string, { commits: GroupCommit<Item, Result>; pending: number }>();
  const failing = new Set<string>();
  const newGroup = (key: string) => {
    const onSettled = (error: unknown): void => {
      if (error !== undefined) failing.add(key);
      else failing.delete(key);
      if (error !== undefined || failing.size === 0) options.onSettled(error);
    };
    return { commits: new GroupCommit({ commit: options.commit, onSettled }), pending: 0 };
  };
  return {
    async add(item) {
      const key = options.keyOf(item);
      const group = groups.get(key) ?? newGroup(key);
      groups.set(key, group);
      group.pending += 1;
      try {
        return await group.commits.add(item);
      } finally {
        group.pending -= 1;
        if (group.pending === 0) groups.delete(key);
      }
    },
    async settled() {
      while (groups.size > 0) await Promise.all([...groups.values()].map(({ commits }) => commits.settled()));
    },
  };
}
