/** Options of {@link Slots}. */
export interface SlotsOptions {
  /** How many slots there are. */
  readonly atOnce: number;
  /** A monotonic clock in milliseconds. */
  now(): number;
}

/** The right to have one delivery under way. */
export interface Slot {
  /**
   * Gives the slot back. Must be called exactly once.
   *
   * @param answerMs How long the receiver took; left out if nothing was sent.
   */
  release(answerMs?: number): void;
}

// Long for a receiver, and short for the projects that would wait behind it.
const SLOW_AFTER_MS = 1000;
// Slow receivers get less than half, as they hold their slots long.
const SLOW_PART = 0.4;
// Until its receiver answers, nobody knows whether it hangs.
const UNPROVEN_AT_ONCE = 2;

/** The slots that projects of one kind have in common. */
class Share {
  readonly size: number;
  /** Of these, a project gets only its first. */
  readonly reserved: number;
  free: number;
  /** How many projects hold some. */
  projects = 0;
  /** Projects that hold none and wait for one, by id, in the order in which they are served. */
  readonly waiting = new Map<string, (slot: Slot) => void>();

  constructor(size: number, reserved: number) {
    this.size = size;
    this.reserved = reserved;
    this.free = size;
  }
}

interface ProjectSlots {
  /** The oldest first. */
  readonly held: Set<{ readonly share: Share; readonly since: number }>;
  /** How its receiver answered last; undefined if it has not since the project was idle. */
  last: "quick" | "slow" | undefined;
}

/**
 * Limits how many deliveries are under way, so that slow receivers do not delay the others. Projects with slow receivers
 * share slots of their own, and each project gets a fair part of its share.
 */
export class Slots {
  readonly #quick: Share;
  readonly #slow: Share;
  readonly #now: () => number;
  /** Projects with something to deliver, and those whose receiver was slow when it was last tried. */
  readonly #projects = new Map<string, ProjectSlots>();

  constructor({ atOnce, now }: SlotsOptions) {
    const slow = Math.max(1, Math.floor(atOnce * SLOW_PART));
    const quick = Math.max(1, atOnce - slow);
    // Receivers that have just begun to hang hold quick slots. The others must still get theirs at once.
    this.#quick = new Share(quick, quick / 2);
    this.#slow = new Share(slow, 0);
    this.#now = now;
  }

  /**
   * Takes a slot for a project if it may have one now. A project that holds none of its share waits in line, and gets
   * its slot through `onSlot`. One that holds some asks again when it releases one.
   */
  take(projectId: string, onSlot: (slot: Slot) => void): Slot | undefined {
    const project = this.#projects.get(projectId) ?? { held: new Set(), last: undefined };
    this.#projects.set(projectId, project);
    const share = this.#isSlow(project) ? this.#slow : this.#quick;
    const held = heldOf(project, share);
    if (share.free > 0 && (held === 0 || (held < this.#mostOf(project, share) && share.free > share.reserved))) {
      share.free -= 1;
      return this.#grant(project, share);
    }
    if (held === 0) share.waiting.set(projectId, onSlot);
    return undefined;
  }

  /** Notes that a project has nothing left to deliver. Only that its receiver is slow is remembered. */
  idle(projectId: string): void {
    if (this.#projects.get(projectId)?.last !== "slow") this.#projects.delete(projectId);
  }

  #isSlow({ held, last }: ProjectSlots): boolean {
    const [oldest] = held;
    return last === "slow" || (oldest !== undefined && this.#now() - oldest.since > SLOW_AFTER_MS);
  }

  /** How many slots of a share a project may hold that has one. */
  #mostOf({ last }: ProjectSlots, share: Share): number {
    if (share === this.#quick && last === undefined) return UNPROVEN_AT_ONCE;
    return (share.size - share.reserved) / share.projects;
  }

  #grant(project: ProjectSlots, share: Share): Slot {
    if (heldOf(project, share) === 0) share.projects += 1;
    const taken = { share, since: this.#now() };
    project.held.add(taken);
    return {
      release: (answerMs) => {
        project.held.delete(taken);
        if (heldOf(project, share) === 0) share.projects -= 1;
        if (answerMs !== undefined) project.last = answerMs > SLOW_AFTER_MS ? "slow" : "quick";
        this.#passOn(share);
      },
    };
  }

  /** Hands a slot to the project that has waited longest. */
  #passOn(share: Share): void {
    for (const [projectId, onSlot] of share.waiting) {
      share.waiting.delete(projectId);
      const project = this.#projects.get(projectId);
      // It may have become idle meanwhile.
      if (!project) continue;
      onSlot(this.#grant(project, share));
      return;
    }
    share.free += 1;
  }
}

function heldOf({ held }: ProjectSlots, share: Share): number {
  let count = 0;
  for (const one of held) if (one.share === share) count += 1;
  return count;
}
