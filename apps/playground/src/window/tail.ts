/** The last of something that goes on and on. */
export interface Tail<Item> {
  /** The oldest first. */
  readonly items: readonly Item[];
  add(item: Item): void;
  /** Tells of each item that is new from now on; gives what ends that. */
  watch(listener: (item: Item) => void): () => void;
}

/** @param options `keeps`: how many items are kept. */
export function createTail<Item>({ keeps }: { keeps: number }): Tail<Item> {
  const items: Item[] = [];
  const listeners = new Set<(item: Item) => void>();
  return {
    items,
    add: (item) => {
      items.push(item);
      if (items.length > keeps) items.splice(0, items.length - keeps);
      for (const listener of [...listeners]) listener(item);
    },
    watch: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
