import { randomFor } from "./random.js";

/** Which shares of the events go wrong on their way, each from 0 to 1. What an event says stays as it is. */
export interface Misbehaviour {
  /**
   * Sent again with the same bytes: half of them at once, the others later.
   * @default 0
   */
  twice?: number;
  /**
   * Held back for a time of up to `lateMs`; what comes after does not wait for it.
   * @default 0
   */
  late?: number;
  /**
   * Changes places with the next event of its connection; a session's last `connection.destroyed` does so with
   * `session.destroyed`.
   * @default 0
   */
  outOfOrder?: number;
  /**
   * The longest time that an event is held back.
   * @default 2000
   */
  lateMs?: number;
}

/** What happens to one event on its way. */
export interface Mishap {
  readonly twice: "at once" | "later" | undefined;
  readonly late: boolean;
  readonly outOfOrder: boolean;
  readonly delayMs: number;
}

/** The id decides: so the same event meets the same mishap, and what else is drawn does not change with the shares. */
export function mishapOf(
  eventId: string,
  { twice = 0, late = 0, outOfOrder = 0, lateMs = 2000 }: Misbehaviour,
): Mishap {
  const random = randomFor("mishap", eventId);
  const again = random.next() < twice;
  const soon = random.next() < 0.5;
  return {
    twice: again ? (soon ? "at once" : "later") : undefined,
    late: random.next() < late,
    outOfOrder: random.next() < outOfOrder,
    delayMs: random.int(1, Math.max(1, lateMs)),
  };
}

/** @throws {RangeError} where a share is none. */
export function checkMisbehaviour(misbehaviour: Misbehaviour): void {
  for (const [name, value] of Object.entries(misbehaviour)) {
    const isRight = name === "lateMs" ? value >= 0 : value >= 0 && value <= 1;
    if (isRight) continue;
    throw new RangeError(`misbehaviour.${name} is ${value}; it must be ${name === "lateMs" ? "0 or more" : "0 to 1"}.`);
  }
}
