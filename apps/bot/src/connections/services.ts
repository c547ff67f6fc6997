import { MediaError, MediaTimeoutError } from "@media-ops/sdk";
import { LRUCache } from "lru-cache";
import type { Logger } from "pino";
import { createTurns, type Turns, within } from "../work/turns.js";

/** A circuit breaker: after several timeouts in a row, requests fail at once, except for one attempt per pause. */
export type Circuit =
  | { readonly is: "closed"; readonly timeouts: number; readonly silentSince: number; readonly request?: object }
  | {
      readonly is: "open";
      readonly silentSince: number;
      readonly lastTriedAt: number;
      readonly retryAt: number;
      /** What tries now; all of its calls are sent. */
      readonly request?: object;
    };

/** Why a service is not called now. */
export interface Silence {
  readonly silentForMs: number;
  /** In ms since 1970. */
  readonly lastTriedAt: number;
  /** The time until the next attempt. */
  readonly retryInMs: number;
}

/** The state of a service that is not known to be silent. */
export const CLOSED: Circuit = { is: "closed", timeouts: 0, silentSince: 0 };

// Two timeouts may be a coincidence. Each keeps a person waiting for 8 s.
const TIMEOUTS_TO_OPEN = 3;
/** The pause between attempts. Longer than a timeout, so that one request at a time is sent. */
export const PAUSE_MS = 15_000;

/** Why no call of a request may be sent; undefined if one may. */
export function silenceOf(circuit: Circuit, now: number, request?: object): Silence | undefined {
  if (circuit.is === "closed" || (request !== undefined && circuit.request === request)) return undefined;
  const { silentSince, lastTriedAt, retryAt } = circuit;
  const retryInMs = retryAt - now;
  // Only a clock that was set back can leave more than one pause.
  if (retryInMs <= 0 || retryInMs > PAUSE_MS) return undefined;
  return { silentForMs: Math.max(0, now - silentSince), lastTriedAt, retryInMs };
}

/** The circuit after a call of a request was sent. */
export function onSent(circuit: Circuit, now: number, request: object): Circuit {
  return circuit.is === "closed" ? circuit : { ...circuit, lastTriedAt: now, retryAt: now + PAUSE_MS, request };
}

/** The circuit after a call of a request timed out. Calls of the same request are made together, and count once. */
export function onTimeout(circuit: Circuit, sentAt: number, now: number, request: object): Circuit {
  if (circuit.is === "open" || circuit.request === request) return circuit;
  const timeouts = circuit.timeouts + 1;
  const silentSince = circuit.timeouts === 0 ? sentAt : circuit.silentSince;
  if (timeouts < TIMEOUTS_TO_OPEN) return { is: "closed", timeouts, silentSince, request };
  return { is: "open", silentSince, lastTriedAt: sentAt, retryAt: now + PAUSE_MS };
}

/** The service that is called, and the caller. */
interface Target {
  readonly teamId: string;
  /** The requests of one workspace take turns by this key. */
  readonly turnOf: string;
  readonly projectId: string;
  readonly baseUrl: string;
  /** What the call is made for; a request may make several calls at once. */
  readonly request: object;
  /** The latest time for an answer; in ms since 1970. */
  readonly answerBy: number;
}

type ProjectService = Pick<Target, "projectId" | "baseUrl">;

/** The service did not answer several requests in a row, so this one was not sent. */
export class ServiceSilentError extends MediaError {
  declare readonly code: "Timeout";
  readonly service: ProjectService;
  readonly silence: Silence;

  constructor({ projectId, baseUrl }: ProjectService, silence: Silence) {
    super("The request was not sent: the service did not answer the last ones.", {
      code: "Timeout",
      name: "ServiceSilentError",
    });
    this.service = { projectId, baseUrl };
    this.silence = silence;
  }
}

/** Too many requests wait for the service, or it answers too slowly for all of them, so this one was not sent. */
export class ServiceBusyError extends MediaError {
  declare readonly code: "TooManyRequests";
  readonly service: ProjectService;
  /** How long it waited for its turn; 0 if the line was full. */
  readonly waitedMs: number;

  constructor({ projectId, baseUrl }: ProjectService, waitedMs: number) {
    super(`The request was not sent: others to the same service came first, and it waited ${waitedMs} ms for them.`, {
      code: "TooManyRequests",
      name: "ServiceBusyError",
    });
    this.service = { projectId, baseUrl };
    this.waitedMs = waitedMs;
  }
}

// Together with the wait for a turn, this is about as long as people wait for an answer.
const TIMEOUT_MS = 8000;
const MAX_WAIT_MS = 5000;
// Slots for one workspace and service: enough for a status request, and for a busy channel.
const AT_ONCE = 8;
const PER_PERSON = AT_ONCE / 2;
const MOST_WAITING = 100;
const MOST_WAITING_PER_PERSON = 20;
// A request that was delayed earlier still gets a chance.
const SHORTEST_TIMEOUT_MS = 1000;
const MOST_CIRCUITS = 10_000;

/** Decides when a request is sent to a service, so that a slow or silent service delays no other requests. */
export type Services = ReturnType<typeof createServices>;

/** Creates {@link Services}: a request may take so long, after it has waited for its turn. */
export function createServices(now: () => number, log: Logger, timeoutMs = TIMEOUT_MS, maxWaitMs = MAX_WAIT_MS) {
  // By URL: a service that is silent for one workspace is silent for all. Contains only services that had a timeout.
  const circuits = new LRUCache<string, Circuit>({ max: MOST_CIRCUITS });
  const gates = new Map<string, Turns>();
  const circuitOf = (baseUrl: string): Circuit => circuits.get(baseUrl) ?? CLOSED;

  function refuseIfSilent(target: Target): void {
    const silence = silenceOf(circuitOf(target.baseUrl), now(), target.request);
    if (silence) throw new ServiceSilentError(target, silence);
  }

  function timedOut({ baseUrl, request }: Target, sentAt: number): void {
    const before = circuitOf(baseUrl);
    const after = onTimeout(before, sentAt, now(), request);
    circuits.set(baseUrl, after);
    if (before.is === after.is || after.is === "closed") return;
    const words = "a service did not answer several requests in a row; requests to it now fail at once for a while";
    log.warn({ baseUrl }, words);
  }

  function answered({ baseUrl }: Target): void {
    if (circuitOf(baseUrl).is === "open") log.info({ baseUrl }, "a service answers again");
    circuits.delete(baseUrl);
  }

  async function call<T>(target: Target, send: (timeoutMs: number) => Promise<T>): Promise<T> {
    const sentAt = now();
    const circuit = circuitOf(target.baseUrl);
    if (circuit.is === "open") circuits.set(target.baseUrl, onSent(circuit, sentAt, target.request));
    const leftMs = Math.min(timeoutMs, Math.max(SHORTEST_TIMEOUT_MS, target.answerBy - sentAt));
    try {
      const answer = await send(leftMs);
      answered(target);
      return answer;
    } catch (error) {
      if (!(error instanceof MediaTimeoutError)) answered(target);
      // A timeout that was shortened does not prove that the service is silent.
      else if (leftMs === timeoutMs) timedOut(target, sentAt);
      throw error;
    }
  }

  return {
    /** Sends a request with a timeout when it is its turn; throws {@link ServiceSilentError} or {@link ServiceBusyError}. */
    async send<T>(target: Target, send: (timeoutMs: number) => Promise<T>): Promise<T> {
      refuseIfSilent(target);
      const { teamId, turnOf, baseUrl } = target;
      const key = JSON.stringify([teamId, baseUrl]);
      const gate = gates.get(key) ?? createTurns({ atOnce: AT_ONCE, perPerson: PER_PERSON });
      if (gate.waiting() >= MOST_WAITING || gate.waiting(turnOf) >= MOST_WAITING_PER_PERSON) {
        throw new ServiceBusyError(target, 0);
      }
      gates.set(key, gate);
      const turn = gate.join(turnOf);
      try {
        await within(maxWaitMs, turn.ready, () => new ServiceBusyError(target, maxWaitMs));
        // Another request may have timed out while this one waited.
        refuseIfSilent(target);
        return await call(target, send);
      } finally {
        turn.end();
        if (gate.isIdle) gates.delete(key);
      }
    },
  };
}
