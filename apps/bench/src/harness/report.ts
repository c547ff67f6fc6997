import type { Build } from "./programs.js";
import { type Measured, median, quantile } from "./turns.js";

/** One line of a table, which compares ours with one other contestant. */
export interface Result {
  /** The bench row of the measurement, such as `list`. */
  row: string;
  /** The measured quantity, with its unit. */
  measure: string;
  against: string;
  ours: number;
  theirs: number;
  /** Ours divided by theirs, as the median of the ratios within a round. */
  ratio: number;
  /** The middle half of these ratios, or null if there was one round. */
  spread: readonly [number, number] | null;
  goal: string | null;
  met: boolean | null;
}

/** Options for running a row. */
export interface RowOptions {
  /** This checkout first, then the one to compare it with, if any. */
  readonly builds: readonly [Build, ...Build[]];
  /** Runs just enough to show that the row works. The figures mean nothing. */
  readonly isQuick: boolean;
}

/** Measures one thing. */
export type Row = (options: RowOptions) => Promise<Result[]>;

/** The target for a result. */
export interface Goal {
  readonly text: string;
  isMet(result: Pick<Result, "ours" | "ratio">): boolean;
}

export const ratioAtLeast = (least: number): Goal => ({
  text: `ratio ≥ ${least}`,
  isMet: ({ ratio }) => ratio >= least,
});
export const ratioAtMost = (most: number): Goal => ({ text: `ratio ≤ ${most}`, isMet: ({ ratio }) => ratio <= most });
export const oursAtMost = (most: number, unit = ""): Goal => ({
  text: `ours ≤ ${most} ${unit}`.trimEnd(),
  isMet: ({ ours }) => ours <= most,
});
export const oursAtLeast = (least: number): Goal => ({
  text: `ours ≥ ${least}`,
  isMet: ({ ours }) => ours >= least,
});

/** The goals of a comparison, by the name of the other contestant. */
export type Goals = Readonly<Record<string, Goal>>;

/** Compares the first contestant with each of the others, round by round. */
export function compare(
  { goals = {}, ...labels }: { readonly row: string; readonly measure: string; readonly goals?: Goals | undefined },
  [first, ...others]: readonly Measured<number>[],
): Result[] {
  return others.map(({ name, rounds }) => {
    const ratios = first?.rounds.map((value, round) => value / (rounds[round] ?? Number.NaN)) ?? [];
    const figures = { ours: median(first?.rounds ?? []), theirs: median(rounds), ratio: median(ratios) };
    const goal = goals[name];
    return {
      ...labels,
      against: name,
      ...figures,
      spread: ratios.length > 1 ? [quantile(ratios, 0.25), quantile(ratios, 0.75)] : null,
      goal: goal?.text ?? null,
      met: goal?.isMet(figures) ?? null,
    };
  });
}

/** Returns one figure, optionally next to another. */
export function single(
  { goal, ...labels }: { readonly row: string; readonly measure: string; readonly goal?: Goal },
  ours: number,
  against = "–",
  theirs = Number.NaN,
): Result[] {
  const measured = [ours, theirs].map((figure) => ({ name: against, rounds: [figure] }));
  return compare({ ...labels, goals: goal && { [against]: goal } }, measured);
}

/** Returns a Markdown table of results. */
export function table(results: readonly Result[]): string {
  const heads = ["measure", "against", "ours", "theirs", "ratio", "middle half", "goal", "met"];
  const rows = results.map(({ measure, against, ours, theirs, ratio, spread, goal, met }) => [
    measure,
    against,
    ...[ours, theirs, ratio].map(number),
    spread ? spread.map(number).join("–") : "–",
    goal ?? "–",
    met === null ? "–" : met ? "yes" : "no",
  ]);
  const widths = heads.map((head, column) => Math.max(head.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((text, column) => text.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  return [line(heads), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n");
}

function number(value: number): string {
  if (Number.isNaN(value)) return "–";
  return value >= 100 ? value.toFixed(0) : value.toFixed(2);
}
