/** The right to have one delivery in flight. */
export interface Slot {
  /** Must be called exactly once. Omit how long the receiver took if nothing was sent. */
  release(answerMs?: number): void;
}

// Long for a receiver, but short for the projects that wait behind it.
const SLOW_AFTER_MS = 1000;
// Less than half for slow receivers, as they hold their slots long.
const SLOW_SHARE = 0.4;
// A receiver that has not answered yet may hang.
const UNPROVEN_AT_ONCE = 2;

/** The slots shared by the projects with quick receivers, or by those with slow ones. */
class SlotPool {
  readonly size: number;
  /** Each project gets only its first slot of these. */
  readonly reserved: number;
  free: number;
  projects = 0;
  /** Projects that hold no slot and wait for one, in the order in which they are served. */
  readonly waiting = new Map<string, (slot: Slot) => void>();

  constructor(size: number, reserved: number) {
    this.size = size;
    this.reserved = reserved;
    this.free = size;
  }
}

interface ProjectSlots {
  /** The oldest first. */
  readonly held: Set<{ readonly pool: SlotPool; readonly since: number }>;
  /** The speed of its receiver's last answer; undefined if it has not answered since the project was idle. */
  last: "quick" | "slow" | undefined;
}

/** Limits the deliveries in flight: slow receivers have a pool of their own, and each project gets a fair share. */
export class DeliverySlots {
  readonly #quick: SlotPool;
  readonly #slow: SlotPool;
  readonly #now: () => number;
  /** Projects with something to deliver, and those whose receiver was slow at its last try. */
  readonly #projects = new Map<string, ProjectSlots>();

  constructor({ atOnce, now }: { atOnce: number; now: () => number }) {
    const slow = Math.max(1, Math.floor(atOnce * SLOW_SHARE));
    const quick = Math.max(1, atOnce - slow);
    // Receivers that have just begun to hang still hold quick slots, so half stays for each project's first slot.
    this.#quick = new SlotPool(quick, quick / 2);
    this.#slow = new SlotPool(slow, 0);
    this.#now = now;
  }

  /** Takes a slot if the project may have one now; if it holds none of its pool, it waits in line for `onSlot`. */
  take(projectId: string, onSlot: (slot: Slot) => void): Slot | undefined {
    const project = this.#projects.get(projectId) ?? { held: new Set(), last: undefined };
    this.#projects.set(projectId, project);
    const pool = this.#isSlow(project) ? this.#slow : this.#quick;
    const held = heldOf(project, pool);
    if (pool.free > 0 && (held === 0 || (held < this.#mostOf(project, pool) && pool.free > pool.reserved))) {
      pool.free -= 1;
      return this.#grant(project, pool);
    }
    if (held === 0) pool.waiting.set(projectId, onSlot);
    return undefined;
  }

  /** Removes a project that has nothing left to deliver, unless its receiver is slow. */
  idle(projectId: string): void {
    if (this.#projects.get(projectId)?.last !== "slow") this.#projects.delete(projectId);
  }

  #isSlow({ held, last }: ProjectSlots): boolean {
    const [oldest] = held;
    return last === "slow" || (oldest !== undefined && this.#now() - oldest.since > SLOW_AFTER_MS);
  }

  #mostOf({ last }: ProjectSlots, pool: SlotPool): number {
    if (pool === this.#quick && last === undefined) return UNPROVEN_AT_ONCE;
    return (pool.size - pool.reserved) / pool.projects;
  }

  #grant(project: ProjectSlots, pool: SlotPool): Slot {
    if (heldOf(project, pool) === 0) pool.projects += 1;
    const taken = { pool, since: this.#now() };
    project.held.add(taken);
    return {
      release: (answerMs) => {
        project.held.delete(taken);
        if (heldOf(project, pool) === 0) pool.projects -= 1;
        if (answerMs !== undefined) project.last = answerMs > SLOW_AFTER_MS ? "slow" : "quick";
        this.#passOn(pool);
      },
    };
  }

  #passOn(pool: SlotPool): void {
    for (const [projectId, onSlot] of pool.waiting) {
      pool.waiting.delete(projectId);
      const project = this.#projects.get(projectId);
      // The project may have become idle meanwhile.
      if (!project) continue;
      onSlot(this.#grant(project, pool));
      return;
    }
    pool.free += 1;
  }
}

function heldOf({ held }: ProjectSlots, pool: SlotPool): number {
  let count = 0;
  for (const one of held) if (one.pool === pool) count += 1;
  return count;
}
