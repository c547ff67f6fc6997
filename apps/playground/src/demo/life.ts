import { setMaxListeners } from "node:events";
import { type FakeMedia, startFakeMedia } from "@media-ops/fake-media";
import type { Logger } from "pino";
import { within } from "../within.js";
import { createCaller } from "./caller.js";
import { callOnce } from "./calls.js";
import { forever } from "./forever.js";
import { createRandom } from "./random.js";
import { drawVisit, type VisitOptions, visit } from "./traffic.js";

/** Options of {@link startLife}. */
export interface LifeOptions {
  readonly serviceUrl: string;
  readonly media: FakeMedia;
  readonly apiKey: string;
  readonly projectId: string;
  readonly seed: number;
  readonly log: Logger;
}

/** What goes on in the demo project. */
export interface Life {
  /** Ends within a second: who is not quick to leave is cut off. */
  stop(): Promise<void>;
}

// Seldom enough that a listing of 1000 entries goes back for hours, to where something was wrong; but whoever has just
// started it shall see something happen.
const VISIT_EVERY_MS = { first: 6_000, later: 60_000 };
const CALL_EVERY_MS = { first: 9_000, later: 45_000 };
const FIRST_MS = 60_000;
const GOODBYE_MS = 500;

/** A media server for the demo project; it must be told where the service is before that knows where it is. */
export const startMedia = (insideUrl: string, intakeKey: string, seed: number, apiPort: number): Promise<FakeMedia> =>
  startFakeMedia({ intakeUrl: `${insideUrl}/intake`, intakeKey, seed, apiPort, keepsRecords: false });

/** Lets people come and go, and apps call, until it is stopped. */
export function startLife({ serviceUrl, media, apiKey, projectId, seed, log }: LifeOptions): Life {
  const ending = new AbortController();
  const { signal } = ending;
  // Everybody who is there listens to it.
  setMaxListeners(0, signal);
  const [visits, calls] = [createRandom(seed), createRandom(seed + 1)];
  const onError = (error: unknown): void => log.warn({ err: error }, "the demo has failed at something");
  const options: VisitOptions = { media, caller: createCaller(serviceUrl, apiKey, signal), projectId, signal };
  const underWay = new Set<Promise<void>>();

  function receive(...[visitor, staysMs]: ReturnType<typeof drawVisit>): void {
    const work = visit(visitor, staysMs, options).catch((error: unknown) => {
      if (!signal.aborted) onError(error);
    });
    underWay.add(work);
    void work.finally(() => underWay.delete(work));
  }

  const began = performance.now();
  const mean = (every: typeof VISIT_EVERY_MS): number =>
    performance.now() - began < FIRST_MS ? every.first : every.later;
  const ways = { signal, onError };
  receive({ channel: "lobby", role: "sendrecv", clientId: "laptop-1" }, 3_000);
  const coming = forever(
    () => visits.wait(mean(VISIT_EVERY_MS)),
    async () => receive(...drawVisit(visits)),
    ways,
  );
  const calling = forever(
    () => 500 + calls.wait(mean(CALL_EVERY_MS)),
    () => callOnce(options.caller, projectId, calls),
    ways,
  );

  let stopped: Promise<void> | undefined;
  async function stop(): Promise<void> {
    ending.abort();
    await within(GOODBYE_MS, Promise.allSettled([coming, calling, ...underWay]));
    await within(GOODBYE_MS, media.close({ abrupt: true }));
  }
  return {
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}
