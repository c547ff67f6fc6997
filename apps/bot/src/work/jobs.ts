/** Work that goes on after a request was acknowledged. */
export interface Jobs {
  /** Begins the work when there is room for it. */
  add(run: () => Promise<void>, options?: JobOptions): void;
  /** How many are under way or wait. */
  readonly size: number;
  /** Waits until all that has been added is done. */
  settled(): Promise<void>;
}

interface JobOptions {
  /** Begins at once: what Slack allows 3 s for. @default false */
  urgent?: boolean;
  /** Whose it is: nobody waits for the work of others. @default the bot's own */
  of?: string;
}

/** What one workspace asks for. */
interface Lane {
  underWay: number;
  readonly waiting: (() => Promise<void>)[];
}

// More at once would not be faster, and would delay the acknowledgements of those who come after.
const AT_ONCE = 16;

// Requests of one moment come no further apart than this.
const LULL_MS = 2;
// As long as a burst may hold up the answer to its first request: a hundred are acknowledged in half of that, and nobody
// who reads notices it.
const LONGEST_BURST_MS = 100;

/** The time in which requests follow each other: all of a burst are acknowledged before the work for any begins. */
interface Burst {
  /** Somebody has asked. */
  goesOn(): void;
  /** Waits until nobody has asked for a moment. */
  over(): Promise<void>;
}

function createBurst(): Burst {
  let over: Promise<void> | undefined;
  let began = 0;
  let timer: NodeJS.Timeout | undefined;
  let end = (): void => {};
  return {
    goesOn() {
      const now = performance.now();
      if (!over) {
        began = now;
        over = new Promise((resolve) => {
          end = () => {
            over = undefined;
            resolve();
          };
        });
      }
      if (now - began >= LONGEST_BURST_MS) return;
      clearTimeout(timer);
      timer = setTimeout(end, LULL_MS);
    },
    over: () => over ?? Promise.resolve(),
  };
}

/**
 * @param onFault is told what work throws, which is a mistake of this program.
 */
export function createJobs(onFault: (error: unknown) => void): Jobs {
  const underWay = new Set<Promise<void>>();
  const lanes = new Map<string, Lane>();

  const burst = createBurst();

  function begin(run: () => Promise<void>, when: Promise<void>, onEnd = (): void => {}): void {
    const job = when
      .then(run)
      .catch(onFault)
      .finally(() => {
        underWay.delete(job);
        onEnd();
      });
    underWay.add(job);
  }

  function beginIn(lane: Lane, of: string, run: () => Promise<void>): void {
    lane.underWay++;
    begin(run, burst.over(), () => {
      lane.underWay--;
      const next = lane.waiting.shift();
      if (next) beginIn(lane, of, next);
      else if (lane.underWay === 0) lanes.delete(of);
    });
  }

  return {
    add(run, { urgent = false, of = "" } = {}) {
      if (urgent) return begin(run, Promise.resolve());
      burst.goesOn();
      const lane = lanes.get(of) ?? { underWay: 0, waiting: [] };
      lanes.set(of, lane);
      if (lane.underWay < AT_ONCE) beginIn(lane, of, run);
      else lane.waiting.push(run);
    },
    get size() {
      return [...lanes.values()].reduce((size, { waiting }) => size + waiting.length, underWay.size);
    },
    async settled() {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}
