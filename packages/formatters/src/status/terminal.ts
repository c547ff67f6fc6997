import type { LogStatus } from "@media-ops/reports";
import { rowOf } from "@media-ops/reports/entries";
import { type Screen, type Style, type TerminalOptions, textLines, timedScreenOf } from "../terminal/screen.js";
import { clean, wrap } from "../terminal/width.js";
import { formatAgo } from "../values/time.js";
import {
  emptyWords,
  failureWords,
  incompleteStatus,
  lastHourWords,
  markOf,
  refusedWords,
  type ServiceStatus,
  serviceWords,
} from "./words.js";

const styles = { "✓": "good", "▲": "bad", "?": "bad", "–": "faint" } as const satisfies Record<string, Style>;

/** The availability and response time of the service, and the state of each log. */
export function formatStatus(statuses: readonly LogStatus[], service: ServiceStatus, options: TerminalOptions): string {
  const screen = timedScreenOf(options);
  return [
    ...textLines(incompleteStatus(statuses, screen.clock), "bad", screen),
    ...markedLines("✓", serviceWords(service), screen),
    ...statuses.flatMap((status) => markedLines(markOf(status), wordsOf(status, screen.clock.now), screen)),
  ].join("\n");
}

function wordsOf(status: LogStatus, now: number): string {
  const { title } = rowOf(status.kind);
  const empty = emptyWords(status);
  if (empty !== undefined) return `${title}: ${empty}.`;
  return `${title}: newest ${formatAgo(status.newest ?? now, now)}, ${lastHourWords(status)}${failureWords(status.lastHour)}${refusedWords(status)}.`;
}

/** Narrower terminals have no space beside the marks. */
const NARROW = 20;

/** Continuation lines are aligned with the text, not with the mark. */
function markedLines(mark: keyof typeof styles, text: string, { width, paint }: Screen): string[] {
  const painted = paint(mark, styles[mark]);
  if (width <= NARROW) return [painted, ...wrap(clean(text), width)];
  return wrap(clean(text), width - 2).map((line, at) => `${at === 0 ? painted : " "} ${line}`);
}
