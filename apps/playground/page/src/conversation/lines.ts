import type { SeenMessage } from "@media-ops/fake-slack";
import { dayOf } from "../text/slack-date.js";

/** A line of a conversation: the start of a day, or a message. */
export interface Line {
  readonly key: string;
  /** Unix time in milliseconds. */
  readonly at: number;
  /** Undefined for the start of a day. */
  readonly message?: SeenMessage;
  /** Whether the sender is already shown above. */
  readonly isNext?: boolean;
}

/** Consecutive messages within this time show their sender once. */
const SAME_MS = 5 * 60_000;

/** Returns the lines of a conversation, oldest first. */
export function linesOf(messages: readonly SeenMessage[], timeZone: string): Line[] {
  const lines: Line[] = [];
  let day = "";
  let last: SeenMessage | undefined;
  for (const message of messages.toSorted((one, other) => Number(one.ts) - Number(other.ts))) {
    const at = Number(message.ts) * 1000;
    const today = dayOf(at, timeZone);
    if (today !== day) {
      lines.push({ key: today, at });
      last = undefined;
    }
    day = today;
    const isNext = last?.from === message.from && at - Number(last.ts) * 1000 < SAME_MS && !message.isOnlyVisibleToYou;
    lines.push({ key: message.ts, at, message, isNext });
    last = message.isOnlyVisibleToYou ? undefined : message;
  }
  return lines;
}
