import type { CopyStep } from "./copy-database.js";

/** Where progress is shown: as a rule, standard error. */
export interface ProgressOutput {
  /** Whether a line can be written over. */
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

// Often enough to see that something goes on: on a terminal, and in a file.
const EVERY_MS = { terminal: 200, file: 5000 };
const CLEAR_LINE = "\r\u001B[K";
const WORK: Readonly<Record<CopyStep["work"], string>> = { copy: "copying", check: "checking" };

/** Shows how far a copy is: a line for each table, which is written over on a terminal. */
export function showProgress(output: ProgressOutput, now: () => number): (step: CopyStep) => void {
  const isTerminal = output.isTTY === true;
  const everyMs = isTerminal ? EVERY_MS.terminal : EVERY_MS.file;
  let [line, startedAt, shownAt] = ["", 0, 0];
  return (step) => {
    const at = now();
    const next = `${step.work} ${step.table}`;
    if (next !== line) [line, startedAt, shownAt] = [next, at, isTerminal ? Number.NEGATIVE_INFINITY : at];
    if (!step.isDone && at < shownAt + everyMs) return;
    shownAt = at;
    const text = describeStep(step, at - startedAt);
    output.write(isTerminal ? `${CLEAR_LINE}${text}${step.isDone ? "\n" : ""}` : `${text}\n`);
  };
}

/** How far it is, as it is shown: rows, share, rate and time left. */
function describeStep({ work, table, rows, total, before, isDone }: CopyStep, elapsedMs: number): string {
  const name = `${WORK[work]} ${table}:`;
  const perSecond = elapsedMs > 0 ? ((rows - before) * 1000) / elapsedMs : 0;
  const rate = perSecond >= 1 && elapsedMs >= 1000 ? `, ${counted(perSecond)}/s` : "";
  if (isDone) return `${name} ${counted(rows)} ${rows === 1 ? "row" : "rows"}${rate}`;
  const share = total === 0 ? 100 : Math.min(100, Math.floor((rows * 100) / total));
  const left = rate === "" ? "" : `, ${duration((total - rows) / perSecond)} left`;
  return `${name} ${counted(rows)} of ${counted(total)} rows (${share} %)${rate}${left}`;
}

const counted = (count: number): string => Math.round(count).toLocaleString("en-US");

function duration(seconds: number): string {
  const all = Math.max(0, Math.ceil(seconds));
  const [h, min, s] = [Math.floor(all / 3600), Math.floor(all / 60) % 60, all % 60];
  if (h > 0) return `${h} h ${min} min`;
  return min > 0 ? `${min} min ${s} s` : `${s} s`;
}
