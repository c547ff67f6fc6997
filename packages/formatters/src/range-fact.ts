import type { Summary } from "./summary.js";
import type { SummaryFact } from "./summary-words.js";
import type { Clock } from "./values/time.js";

/** From when to when the entries of a summary are; nothing where none has a time. */
export function rangeFact({ range }: Summary, clock: Clock): SummaryFact[] {
  if (!range) return [];
  const [from, to] = [clock.full(range.from), clock.zoned(range.to)];
  return [{ title: "Times", text: to.startsWith(from) ? to : `${from} to ${to}` }];
}
