interface Waiting<Item, Result> {
  readonly item: Item;
  done(result: Result): void;
  failed(error: unknown): void;
}

/** Options of {@link GroupCommit}. */
export interface GroupCommitOptions<Item, Result> {
  /** Does all or nothing, and gives a result for each item. */
  commit(items: readonly Item[]): Promise<readonly Result[]>;
  /** Told after each commit: why it failed, or nothing. */
  onSettled(error: unknown): void;
  /**
   * How many commits may be under way. With more than one, the next begins while the answers to the one before are given.
   * @default 1
   */
  atOnce?: number;
  /**
   * How many items make a commit that does not wait for the one before it; far more go into one where it must wait.
   * @default 64
   */
  enough?: number;
}

// More would hold up for long those who come next.
const MAX_ITEMS = 2000;

/** Does the work of many callers in one durable commit: what comes while a commit is under way goes into the next. */
export class GroupCommit<Item, Result> {
  readonly #options: Required<GroupCommitOptions<Item, Result>>;
  #waiting: Waiting<Item, Result>[] = [];
  readonly #underWay = new Set<Promise<void>>();
  #isScheduled = false;

  constructor(options: GroupCommitOptions<Item, Result>) {
    this.#options = { atOnce: 1, enough: 64, ...options };
  }

  /** The item's result, once it is durable. When it fails, nothing was done. */
  add(item: Item): Promise<Result> {
    return new Promise((done, failed) => {
      this.#waiting.push({ item, done, failed });
      this.#go();
    });
  }

  /** Waits for all that has been added. */
  async settled(): Promise<void> {
    while (this.#waiting.length > 0 || this.#underWay.size > 0) {
      this.#begin();
      await Promise.all(this.#underWay);
    }
  }

  #go(): void {
    if (this.#underWay.size >= this.#options.atOnce) return;
    if (this.#waiting.length >= this.#options.enough) this.#begin();
    else if (this.#underWay.size === 0 && !this.#isScheduled) {
      this.#isScheduled = true;
      // What comes in the same turn of the event loop shares the commit.
      setImmediate(() => {
        this.#isScheduled = false;
        if (this.#underWay.size === 0) this.#begin();
      });
    }
  }

  #begin(): void {
    if (this.#waiting.length === 0 || this.#underWay.size >= this.#options.atOnce) return;
    const run = this.#run(this.#waiting.splice(0, MAX_ITEMS)).finally(() => {
      this.#underWay.delete(run);
      if (this.#waiting.length > 0) this.#go();
    });
    this.#underWay.add(run);
  }

  async #run(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    const { commit, onSettled } = this.#options;
    try {
      const results = await commit(batch.map(({ item }) => item));
      if (results.length !== batch.length) throw new Error("A commit gives a result for each item.");
      batch.forEach(({ done }, at) => {
        done(results[at] as Result);
      });
      onSettled(undefined);
    } catch (error) {
      for (const { failed } of batch) failed(error);
      onSettled(error);
    }
  }
}
