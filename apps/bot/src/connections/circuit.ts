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
