/** A position in line, then a slot. */
export interface Turn {
  /** Resolves when the slot is assigned. */
  readonly ready: Promise<void>;
  /** Frees the slot, or leaves the line. */
  end(): void;
}

/** Slots for work. Work without a slot waits in line, and people take turns. */
export type Turns = ReturnType<typeof createTurns>;

/** Creates {@link Turns}, which assign each free slot to the person whose last slot was assigned longest ago. */
export function createTurns({ atOnce, perPerson }: { readonly atOnce: number; readonly perPerson: number }) {
  // In the order of their next turns.
  const people = new Map<string, { held: number; line: (() => void)[] }>();
  let held = 0;

  function fill(): void {
    while (held < atOnce) {
      const next = [...people].find(([, { held, line }]) => line.length > 0 && held < perPerson);
      if (!next) return;
      const [who, person] = next;
      people.delete(who);
      people.set(who, person);
      held += 1;
      person.held += 1;
      person.line.shift()?.();
    }
  }

  return {
    /** Waits in line for a slot; the first of a person's turns if that is asked for. */
    join(who: string, { first = false } = {}): Turn {
      const person = people.get(who) ?? { held: 0, line: [] };
      people.set(who, person);
      let begin = (): void => {};
      const ready = new Promise<void>((resolve) => {
        begin = resolve;
      });
      person.line[first ? "unshift" : "push"](begin);
      fill();
      let isOver = false;
      return {
        ready,
        end() {
          if (isOver) return;
          isOver = true;
          const at = person.line.indexOf(begin);
          if (at === -1) {
            held -= 1;
            person.held -= 1;
          } else {
            person.line.splice(at, 1);
          }
          if (person.held === 0 && person.line.length === 0) people.delete(who);
          fill();
        },
      };
    },
    /** The number of waiting turns, of one person or in all. */
    waiting: (who?: string): number =>
      [...people].reduce((sum, [one, { line }]) => sum + (who === undefined || one === who ? line.length : 0), 0),
    /** Whether all slots are free and no turn waits. */
    get isIdle(): boolean {
      return people.size === 0;
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
