import type { Build } from "./programs.js";

/** A participant of a comparison, and one turn of it. */
export interface Contestant<Round> {
  readonly name: string;
  turn(): Promise<Round>;
}

/** The measurements of one contestant, turn by turn. */
export interface Measured<Round> {
  readonly name: string;
  readonly rounds: readonly Round[];
}

/**
 * Runs contestants in turns, in a different order each round and every second one backwards, so that other load on the
 * machine, and what the one before has left to do, affects all of them alike.
 *
 * @param warmUp The number of initial rounds that do not count.
 */
export async function takeTurns<Round>(
  contestants: readonly Contestant<Round>[],
  rounds: number,
  warmUp = 0,
): Promise<Measured<Round>[]> {
  const measured = contestants.map(({ name }) => ({ name, rounds: [] as Round[] }));
  for (let round = 0; round < warmUp + rounds; round++) {
    for (let step = 0; step < contestants.length; step++) {
      const at = (round + (round % 2 === 0 ? step : -step)) % contestants.length;
      const result = await contestants.at(at)?.turn();
      if (round >= warmUp && result !== undefined) measured.at(at)?.rounds.push(result);
    }
  }
  return measured;
}

/** Returns a turn that makes several calls and resolves to the microseconds per call. */
export const timed = (call: () => unknown, calls: number) => async (): Promise<number> => {
  const started = process.hrtime.bigint();
  for (let done = 0; done < calls; done++) await call();
  return Number(process.hrtime.bigint() - started) / 1000 / calls;
};

/** Reduces every round to one of its figures. */
export function figures<Round>(
  measured: readonly Measured<Round>[],
  figure: (round: Round) => number,
): Measured<number>[] {
  return measured.map(({ name, rounds }) => ({ name, rounds: rounds.map(figure) }));
}

/** Returns the value below which the given share of the values lies, or NaN if there are no values. */
export function quantile(values: readonly number[], share: number): number {
  return [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? Number.NaN;
}

const median = (values: readonly number[]): number => quantile(values, 0.5);

/** One line of a table, which compares ours with one other contestant. */
export interface Result {
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

/** A limit for our figure, or for its ratio to the other one. */
export const goal = (of: "ours" | "ratio", how: "≥" | "≤", limit: number, unit = ""): Goal => ({
  text: `${of} ${how} ${limit} ${unit}`.trimEnd(),
  isMet: ({ [of]: figure }) => (how === "≥" ? figure >= limit : figure <= limit),
});

/** What a result is called, and what it should be. */
export interface Labels {
  readonly measure: string;
  /** For our figure, or for its ratio to that of the last contestant. */
  readonly goal?: Goal | undefined;
}

// Stands for the other contestant if there is none.
const ALONE: Measured<number> = { name: "–", rounds: [] };

/** Compares the first contestant with each of the others, round by round. */
export function compare({ measure, goal }: Labels, [first = ALONE, ...others]: readonly Measured<number>[]): Result[] {
  return (others.length > 0 ? others : [ALONE]).map(({ name, rounds }, nth, all) => {
    const ratios = first.rounds.map((value, round) => value / (rounds[round] ?? Number.NaN));
    const measured = { ours: median(first.rounds), theirs: median(rounds), ratio: median(ratios) };
    const own = nth === all.length - 1 ? goal : undefined;
    return {
      measure,
      against: name,
      ...measured,
      spread: rounds.length > 1 ? [quantile(ratios, 0.25), quantile(ratios, 0.75)] : null,
      goal: own?.text ?? null,
      met: own?.isMet(measured) ?? null,
    };
  });
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

/** Writes progress to standard error, because standard output is for the figures. */
export function show(text: string): void {
  process.stderr.write(`${text}\n`);
}
