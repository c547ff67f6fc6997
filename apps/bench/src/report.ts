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
  /** What the ratio should be, or null where it is only told. */
  goal: string | null;
  met: boolean | null;
  note: string;
}

export function table(results: readonly Result[]): string {
  const heads = ["name", "measure", "against", "ours", "theirs", "ratio", "goal", "met", "note"] as const;
  const rows = results.map((result) => heads.map((head) => cell(result[head])));
  const widths = heads.map((head, column) => Math.max(head.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((text, column) => text.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  return [line(heads), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n");
}

function cell(value: string | number | boolean | null): string {
  if (value === null || Number.isNaN(value)) return "–";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "string") return value;
  return value >= 100 ? value.toFixed(0) : value.toFixed(2);
}
