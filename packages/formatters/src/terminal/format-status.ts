import { rowOf } from "../columns.js";
import type { LogStatus, ServiceStatus } from "../log-status.js";
import { failureWords, lastHourWords, markOf, serviceWords } from "../log-status-words.js";
import { formatAgo } from "../values/time.js";
import { clean } from "./clean.js";
import type { Style } from "./color.js";
import { wrap } from "./fit.js";
import { type Screen, type TerminalOptions, timedScreenOf } from "./screen.js";

const styles = { "✓": "good", "▲": "bad", "–": "faint" } as const satisfies Record<string, Style>;

/**
 * Whether the service answers and how fast, and how each of its logs stands.
 *
 * @throws {RangeError} where there is no such time zone, or `now` is no time.
 */
export function formatStatus(statuses: readonly LogStatus[], service: ServiceStatus, options: TerminalOptions): string {
  const screen = timedScreenOf(options);
  return [
    ...markedLines("✓", serviceWords(service), screen),
    ...statuses.flatMap((status) => markedLines(markOf(status), wordsOf(status, screen.clock.now), screen)),
  ].join("\n");
}

function wordsOf(status: LogStatus, now: number): string {
  const { title } = rowOf(status.kind);
  if (status.newest === undefined) return `${title}: empty.`;
  return `${title}: newest ${formatAgo(status.newest, now)}, ${lastHourWords(status)}${failureWords(status)}.`;
}

/** Narrower terminals have no room beside their marks. */
const NARROW = 20;

/** What goes on stands under the words, not under the mark. */
function markedLines(mark: keyof typeof styles, text: string, { width, paint }: Screen): string[] {
  const painted = paint(mark, styles[mark]);
  if (width <= NARROW) return [painted, ...wrap(clean(text), width)];
  return wrap(clean(text), width - 2).map((line, at) => `${at === 0 ? painted : " "} ${line}`);
}
