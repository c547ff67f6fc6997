import { quantile } from "./measure.js";

/** One comparison. */
export interface Result {
  name: string;
  /** What is measured, with its unit. */
  measure: string;
  /** What it is measured against. */
  against: string;
  ours: number;
  theirs: number;
  /** Ours by theirs. */
  ratio: number;
  /** What the ratio, or ours, should be, or null where it is only told. */
  goal: string | null;
  met: boolean | null;
  note: string;
}

/** What a comparison should come to. */
export interface Goal {
  readonly text: string;
  isMet(result: Pick<Result, "ours" | "theirs" | "ratio">): boolean;
}

export const ratioAtLeast = (least: number): Goal => ({ text: `≥ ${least}`, isMet: ({ ratio }) => ratio >= least });
export const ratioAtMost = (most: number): Goal => ({ text: `≤ ${most}`, isMet: ({ ratio }) => ratio <= most });
export const ratioBelow = (bound: number): Goal => ({ text: `< ${bound}`, isMet: ({ ratio }) => ratio < bound });
export const oursAtMost = (most: number, unit: string): Goal => ({
  text: `ours ≤ ${most} ${unit}`,
  isMet: ({ ours }) => ours <= most,
});
export const longerByAtMost = (most: number, unit: string): Goal => ({
  text: `≤ ${most} ${unit} longer`,
  isMet: ({ ours, theirs }) => ours - theirs <= most,
});

/** What is told of a comparison. */
export interface Telling {
  readonly name: string;
  readonly measure: string;
  readonly against: string;
  readonly goal?: Goal | undefined;
  readonly note?: string | undefined;
  /** What is told where the goal is missed. */
  readonly inTheWay?: string | undefined;
}

/** A comparison by rounds: the medians of both, and the median and the middle half of the ratios within a round. */
export function compare(telling: Telling, ours: readonly number[], theirs: readonly number[]): Result {
  const ratios = ours.map((value, round) => value / (theirs[round] ?? Number.NaN));
  const spread = `middle half of ${ratios.length} rounds ${quantile(ratios, 0.25).toFixed(2)}–${quantile(ratios, 0.75).toFixed(2)}`;
  return judge(
    { ...telling, note: joined(telling.note, spread) },
    { ours: quantile(ours, 0.5), theirs: quantile(theirs, 0.5), ratio: quantile(ratios, 0.5) },
  );
}

/** A comparison of two figures, or one figure that stands alone. */
export function tell(telling: Telling, ours: number, theirs = Number.NaN): Result {
  return judge(telling, { ours, theirs, ratio: ours / theirs });
}

function judge(
  { name, measure, against, goal, note = "", inTheWay }: Telling,
  figures: Pick<Result, "ours" | "theirs" | "ratio">,
): Result {
  const met = goal ? goal.isMet(figures) : null;
  const told = met === false && inTheWay ? joined(note, `in the way: ${inTheWay}`) : note;
  return { name, measure, against, ...figures, goal: goal?.text ?? null, met, note: told };
}

function joined(...notes: readonly (string | undefined)[]): string {
  return notes.filter(Boolean).join("; ");
}

const columns = ["measure", "against", "ours", "theirs", "ratio", "goal", "met", "note"] as const;

/** The comparisons of one measurement, as a table in Markdown. */
export function table(results: readonly Result[]): string {
  const rows = results.map((result) => columns.map((column) => cell(result[column])));
  const widths = columns.map((head, column) => Math.max(head.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((text, column) => text.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  return [line(columns), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n");
}

/** A document, in which the table under each measurement's heading is that of these results. */
export function withTables(markdown: string, results: readonly Result[]): string {
  return markdown
    .split(/(?<=\n)(?=## )/)
    .map((section) => {
      const own = results.filter(({ name }) => section.startsWith(`## ${name}\n`));
      if (own.length === 0) return section;
      const lines = section.trimEnd().split("\n");
      const text = lines.filter((line) => !line.startsWith("|")).join("\n");
      return `${text.trimEnd()}\n\n${table(own)}\n\n`;
    })
    .join("")
    .replace(/\n+$/, "\n");
}

function cell(value: string | number | boolean | null): string {
  if (value === null || Number.isNaN(value)) return "–";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "string") return value;
  return value >= 100 ? value.toFixed(0) : value.toFixed(2);
}
