import { MediaError, MediaTimeoutError } from "@media-ops/sdk";
import { LRUCache } from "lru-cache";
import type { Logger } from "pino";
import { createTurns, type Turns } from "../work/turns.js";

/**
 * Whether a service answers: a circuit breaker. After several time-outs in a row, requests fail at once, and one in every
 * pause is sent to try it again. Any answer closes the circuit.
 */
export type Circuit =
  | { readonly is: "closed"; readonly timeouts: number; readonly silentSince: number }
  | { readonly is: "open"; readonly silentSince: number; readonly lastTriedAt: number; readonly retryAt: number };

/** Why a service is not asked now. */
export interface Silence {
  readonly silentForMs: number;
  /** In ms since 1970. */
  readonly lastTriedAt: number;
  /** When the next request is sent. */
  readonly retryInMs: number;
}

/** The service answers, as far as is known. */
export const CLOSED: Circuit = { is: "closed", timeouts: 0, silentSince: 0 };

// Two may be bad luck. Each costs a person 8 s.
const TIMEOUTS_TO_OPEN = 3;
/** How long no further request is sent. Longer than a time-out, so that one at a time tries again. */
export const PAUSE_MS = 15_000;

/** Why no request may be sent; undefined if one may. */
export function silenceOf(circuit: Circuit, now: number): Silence | undefined {
  if (circuit.is === "closed") return undefined;
  const { silentSince, lastTriedAt, retryAt } = circuit;
  const retryInMs = retryAt - now;
  // More than a pause is left only after the clock was set back.
  if (retryInMs <= 0 || retryInMs > PAUSE_MS) return undefined;
  return { silentForMs: Math.max(0, now - silentSince), lastTriedAt, retryInMs };
}

/** A request is sent. */
export function onSent(circuit: Circuit, now: number): Circuit {
  return circuit.is === "closed" ? circuit : { ...circuit, lastTriedAt: now, retryAt: now + PAUSE_MS };
}

/** A request that was sent at a time got no answer. */
export function onTimeout(circuit: Circuit, sentAt: number, now: number): Circuit {
  if (circuit.is === "open") return circuit;
  const timeouts = circuit.timeouts + 1;
  const silentSince = circuit.timeouts === 0 ? sentAt : circuit.silentSince;
  if (timeouts < TIMEOUTS_TO_OPEN) return { is: "closed", timeouts, silentSince };
  return { is: "open", silentSince, lastTriedAt: sentAt, retryAt: now + PAUSE_MS };
}

/** Decides when a request is sent to a service, so that a slow or silent one holds up nobody else. */
export interface Services {
  /**
   * Sends a request when it is its turn.
   *
   * @param send gets how long it may take.
   * @throws {ServiceSilentError} at once while the service does not answer anybody.
   * @throws {ServiceBusyError} if too many requests wait for the service already, or this one has waited too long.
   */
  send<T>(target: Target, send: (timeoutMs: number) => Promise<T>): Promise<T>;
}

/** What a request is about, and who made it. */
interface Target {
  readonly teamId: string;
  readonly userId: string;
  readonly projectId: string;
  readonly baseUrl: string;
  /** When the person is to have an answer; in ms since 1970. */
  readonly answerBy: number;
}

/** The service of a project. */
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
  /** How long it has waited for its turn; 0 if there was no room to wait. */
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

/** Options of {@link createServices}. */
export interface ServicesOptions {
  now: () => number;
  log: Logger;
  /** How long one request may take. @default 8000: with the wait before it, about as long as anyone waits for an answer */
  timeoutMs?: number | undefined;
  /** How long a request may wait for its turn. @default 5000 */
  maxWaitMs?: number | undefined;
}

// For one workspace and service: enough for a status, and for a channel full of people.
const AT_ONCE = 8;
const PER_PERSON = AT_ONCE / 2;
const MOST_WAITING = 100;
const MOST_WAITING_PER_PERSON = 20;
// A request that was held up before it got here still gets a chance.
const SHORTEST_TIMEOUT_MS = 1000;
const MOST_CIRCUITS = 10_000;

export function createServices({ now, log, timeoutMs = 8000, maxWaitMs = 5000 }: ServicesOptions): Services {
  // By the address alone: a service that is silent for one workspace is silent for all. Only those that had a time-out.
  const circuits = new LRUCache<string, Circuit>({ max: MOST_CIRCUITS });
  const gates = new Map<string, Turns>();
  const circuitOf = (baseUrl: string): Circuit => circuits.get(baseUrl) ?? CLOSED;

  function refuseIfSilent(target: Target): void {
    const silence = silenceOf(circuitOf(target.baseUrl), now());
    if (silence) throw new ServiceSilentError(target, silence);
  }

  /** Waits for a turn; returns what ends it. */
  async function enter(target: Target): Promise<() => void> {
    const { teamId, userId, baseUrl } = target;
    const key = JSON.stringify([teamId, baseUrl]);
    const gate = gates.get(key) ?? createTurns({ atOnce: AT_ONCE, perPerson: PER_PERSON });
    gates.set(key, gate);
    if (gate.waiting() >= MOST_WAITING || gate.waiting(userId) >= MOST_WAITING_PER_PERSON) {
      throw new ServiceBusyError(target, 0);
    }
    const turn = gate.join(userId);
    const end = (): void => {
      turn.end();
      if (gate.isIdle) gates.delete(key);
    };
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new ServiceBusyError(target, maxWaitMs)), maxWaitMs);
    });
    try {
      await Promise.race([turn.ready, late]);
      return end;
    } catch (error) {
      end();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  function timedOut({ baseUrl }: Target, sentAt: number): void {
    const before = circuitOf(baseUrl);
    const after = onTimeout(before, sentAt, now());
    circuits.set(baseUrl, after);
    if (before.is === "open" || after.is === "closed") return;
    log.warn(
      { baseUrl },
      "a service did not answer several requests in a row; requests to it fail at once for a while",
    );
  }

  function answered({ baseUrl }: Target): void {
    if (circuitOf(baseUrl).is === "open") log.info({ baseUrl }, "a service that did not answer does so again");
    circuits.delete(baseUrl);
  }

  return {
    async send(target, send) {
      refuseIfSilent(target);
      const leave = await enter(target);
      try {
        // It may have turned out while this one waited.
        refuseIfSilent(target);
        const sentAt = now();
        const circuit = circuitOf(target.baseUrl);
        if (circuit.is === "open") circuits.set(target.baseUrl, onSent(circuit, sentAt));
        const leftMs = Math.min(timeoutMs, Math.max(SHORTEST_TIMEOUT_MS, target.answerBy - sentAt));
        try {
          const answer = await send(leftMs);
          answered(target);
          return answer;
        } catch (error) {
          if (!(error instanceof MediaTimeoutError)) answered(target);
          // Less than the full time proves nothing.
          else if (leftMs === timeoutMs) timedOut(target, sentAt);
          throw error;
        }
      } finally {
        leave();
      }
    },
  };
}
