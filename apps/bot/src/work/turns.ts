/** A position in line, then a slot. */
export interface Turn {
  /** Resolves when the slot is assigned. */
  readonly ready: Promise<void>;
  /** Frees the slot, or leaves the line. */
  end(): void;
}

/** Slots for work. Work without a slot waits in line, and people take turns. */
export type Turns = ReturnType<typeof createTurns>;

/**
 * Creates {@link Turns}, which assign each free slot to the person whose last slot was assigned longest ago.
 *
 * @param limits the number of slots, and how many of them one person may hold.
 */
export function createTurns({ atOnce, perPerson }: { readonly atOnce: number; readonly perPerson: number }) {
  // Keys in the order of their next turns.
  const lines = new Map<string, (() => void)[]>();
  const held = new Map<string, number>();
  let sum = 0;

  function hold(who: string, slots: 1 | -1): void {
    sum += slots;
    const theirs = (held.get(who) ?? 0) + slots;
    if (theirs > 0) held.set(who, theirs);
    else held.delete(who);
  }

  function fill(): void {
    while (sum < atOnce) {
      const next = [...lines].find(([who]) => (held.get(who) ?? 0) < perPerson);
      if (!next) return;
      const [who, [begin, ...others]] = next;
      lines.delete(who);
      if (others.length > 0) lines.set(who, others);
      hold(who, 1);
      begin?.();
    }
  }

  return {
    /**
     * Waits in line for a slot.
     *
     * @param options.first Whether this turn precedes the person's other turns.
     */
    join(who: string, { first = false } = {}): Turn {
      let state: "waits" | "holds" | "ended" = "waits";
      let begin = (): void => {};
      const ready = new Promise<void>((resolve) => {
        begin = () => {
          state = "holds";
          resolve();
        };
      });
      const line = lines.get(who) ?? [];
      lines.set(who, first ? [begin, ...line] : [...line, begin]);
      fill();
      return {
        ready,
        end() {
          if (state === "holds") hold(who, -1);
          else if (state === "waits") {
            const others = (lines.get(who) ?? []).filter((one) => one !== begin);
            if (others.length > 0) lines.set(who, others);
            else lines.delete(who);
          }
          state = "ended";
          fill();
        },
      };
    },
    /** The number of waiting turns, of one person or in all. */
    waiting(who?: string): number {
      if (who !== undefined) return lines.get(who)?.length ?? 0;
      return [...lines.values()].reduce((count, line) => count + line.length, 0);
    },
    /** Whether all slots are free and no turn waits. */
    get isIdle(): boolean {
      return sum === 0 && lines.size === 0;
    },
  };
}

/** The result of a promise, or an error if it takes too long. */
export function within<T>(ms: number, promise: Promise<T>, errorIfLate: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(errorIfLate()), ms);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
