import { getHeapStatistics } from "node:v8";
import { MediaError } from "@media-ops/sdk";

/** Limits how much of the services' answers the bot holds in memory at once. */
export interface ReadBudget {
  /** Opens an account for one request of a workspace. */
  open(teamId: string): Allowance;
}

/** What one request may still read. */
export interface Allowance {
  /**
   * Takes bytes until the request ends.
   *
   * @throws {NoRoomError} if the workspace or the bot as a whole would then hold too much, and after `end`.
   */
  take(bytes: number): void;
  /** Keeps what another request has taken in use, because this one works with the same answer. */
  share(other: Allowance): void;
  /** Keeps everything in use until the returned function is called. */
  hold(): () => void;
  /** Returns what was taken. */
  end(): void;
}

/** The answer exceeds the budget. A `MediaError`, so that the client throws it unchanged. */
export class NoRoomError extends MediaError {
  declare readonly code: "TooManyRequests";

  constructor(teamId: string) {
    super(`The answer was not read: the workspace ${teamId} or all of them hold as much as the bot may read at once.`, {
      code: "TooManyRequests",
      name: "NoRoomError",
    });
  }
}

export interface ReadBudgetOptions {
  /** For all workspaces together, in bytes. @default an eighth of the heap, at most 128 MB */
  total?: number;
  /** For one workspace. @default a quarter of the total, so that no workspace keeps the others from reading */
  perTeam?: number;
}

const MB = 2 ** 20;
// A byte of an answer costs up to six on the heap: its text, what is parsed from that, and the file or message made of it.
const SHARE_OF_HEAP = 1 / 8;
// One workspace's share of this is parsed and shown in less than a second.
const MOST = 128 * MB;

export function createReadBudget({
  total = Math.min(MOST, getHeapStatistics().heap_size_limit * SHARE_OF_HEAP),
  perTeam = total / 4,
}: ReadBudgetOptions = {}): ReadBudget {
  const inUse = new Map<string, number>();
  let sum = 0;

  function add(teamId: string, bytes: number): void {
    sum += bytes;
    const ofTeam = (inUse.get(teamId) ?? 0) + bytes;
    if (ofTeam > 0) inUse.set(teamId, ofTeam);
    else inUse.delete(teamId);
  }

  return {
    open(teamId) {
      let taken = 0;
      let holders = 0;
      let hasEnded = false;
      const shared: (() => void)[] = [];

      const hold = (): (() => void) => {
        holders += 1;
        return () => {
          holders -= 1;
          if (holders > 0) return;
          add(teamId, -taken);
          taken = 0;
        };
      };
      const drop = hold();

      return {
        take(bytes) {
          const isTooMuch = sum + bytes > total || (inUse.get(teamId) ?? 0) + bytes > perTeam;
          if (hasEnded || isTooMuch) throw new NoRoomError(teamId);
          taken += bytes;
          add(teamId, bytes);
        },
        share(other) {
          shared.push(other.hold());
        },
        hold,
        end() {
          if (hasEnded) return;
          hasEnded = true;
          for (const dropShared of shared) dropShared();
          drop();
        },
      };
    },
  };
}
