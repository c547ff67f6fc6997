import { GroupCommit, type GroupCommitOptions } from "./group-commit.js";

/** Does the work of many callers in few commits. */
export interface Committer<Item, Result> {
  /** The item's result, once it is durable. When it fails, nothing was done. */
  add(item: Item): Promise<Result>;
  /** Waits for all that has been added. */
  settled(): Promise<void>;
}

/** Options of a database's `groupCommit`. */
export interface CommitterOptions<Item, Result> extends GroupCommitOptions<Item, Result> {
  /** Whose an item is: a database may commit what is one's apart from what is another's, and does one after the other. */
  keyOf(item: Item): string;
}

/** A {@link GroupCommit} for each key: those of one key share a commit, one after another; those of others do not wait. */
export function keyedGroupCommit<Item, Result>(options: CommitterOptions<Item, Result>): Committer<Item, Result> {
  const groups = new Map<string, { commits: GroupCommit<Item, Result>; waiting: number }>();
  return {
    async add(item) {
      const key = options.keyOf(item);
      const group = groups.get(key) ?? { commits: new GroupCommit({ ...options, atOnce: 1 }), waiting: 0 };
      groups.set(key, group);
      group.waiting += 1;
      try {
        return await group.commits.add(item);
      } finally {
        group.waiting -= 1;
        if (group.waiting === 0) groups.delete(key);
      }
    },
    async settled() {
      while (groups.size > 0) await Promise.all([...groups.values()].map(({ commits }) => commits.settled()));
    },
  };
}
