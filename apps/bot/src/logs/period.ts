import { type CommandNamed, language } from "../language.js";
import { readLength } from "../policy/lengths.js";

/** The moment at which a listing is told. */
interface When {
  now: number;
  timeZone: string;
}

/** How long a period is that is told as the "last 2 hours"; `undefined` for one that is told by the clock. */
export function periodOf({ kind, since, until }: CommandNamed<"logs" | "summary">, when: When): number | undefined {
  if (since === undefined || until !== undefined) return undefined;
  // Whoever asks once more means what the heading says.
  const words = language.describe({ name: "logs", kind, filters: [], since }, when);
  const [, length] = /, last (.+)$/.exec(words) ?? [];
  return length === undefined ? undefined : readLength(length);
}
