import type { Life } from "./life.js";
import type { Receiver } from "./receiver.js";

/** How an incident proceeds that a person begins. */
export interface IncidentPace {
  /** How long the receiver fails. */
  readonly failsMs: number;
  /** How long clients go on coming and going after that, so that webhooks are seen to succeed. */
  readonly recoversMs: number;
  /** The time from one client to the next. */
  readonly visitEveryMs: number;
  /** The time over which the watch of a new workspace measures, as it is typed. */
  readonly watchedOver: string;
}

/** Long enough to read each message while it is the latest, and short enough to wait for the end. */
export const USUAL_INCIDENT: IncidentPace = {
  failsMs: 120_000,
  recoversMs: 60_000,
  visitEveryMs: 1_500,
  watchedOver: "1m",
};

/** An incident that a person can begin: the receiver of webhooks fails for a while, and clients come and go. */
export interface LiveIncident {
  /** When the receiver recovers, in Unix milliseconds. Undefined if it works. */
  readonly until: number | undefined;
  /** Begins the incident, unless it goes on. */
  begin(): void;
  /** Calls back when the incident begins, and when the receiver recovers. Returns a function that unsubscribes. */
  watch(listener: () => void): () => void;
}

interface LiveIncidentOptions {
  readonly pace: IncidentPace;
  readonly receiver: Pick<Receiver, "setFailing">;
  readonly life: Pick<Life, "visit">;
  readonly now: () => number;
}

/** Several clients are connected at a time. */
const VISITS_AT_ONCE = 4;

/** Creates an incident that has not begun. */
export function createLiveIncident({
  pace,
  receiver,
  life,
  now,
}: LiveIncidentOptions): LiveIncident & { stop(): void } {
  const { failsMs, recoversMs, visitEveryMs } = pace;
  const listeners = new Set<() => void>();
  let until: number | undefined;
  let visits: NodeJS.Timeout | undefined;
  let change: NodeJS.Timeout | undefined;

  const fail = (next: number | undefined): void => {
    until = next;
    receiver.setFailing(next !== undefined);
    for (const listener of listeners) listener();
  };
  const stop = (): void => {
    clearInterval(visits);
    clearTimeout(change);
  };
  const recover = (): void => {
    change = setTimeout(stop, recoversMs);
    fail(undefined);
  };
  return {
    get until() {
      return until;
    },
    begin() {
      if (until !== undefined) return;
      // The clients of the last incident may still come and go.
      stop();
      visits = setInterval(() => life.visit(VISITS_AT_ONCE * visitEveryMs), visitEveryMs);
      change = setTimeout(recover, failsMs);
      fail(now() + failsMs);
    },
    watch(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    stop,
  };
}
