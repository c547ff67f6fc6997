import { expect, it } from "vitest";
import type { CopyStep } from "./copy-database.js";
import { showProgress } from "./report.js";

/** Steps of a copy, each with the time of its report. */
type Told = readonly [ms: number, rows: number, state?: "under way" | "done", work?: CopyStep["work"]];

function shown({ isTTY, before = 0 }: { isTTY: boolean; before?: number }, steps: readonly Told[]): string {
  let [text, now] = ["", 0];
  const write = (written: string): void => {
    text += written;
  };
  const show = showProgress({ isTTY, write }, () => now);
  for (const [ms, rows, state, work = "copy"] of steps) {
    now = ms;
    show({ work, table: "log_entry", rows, total: 1_000_000, before, isDone: state === "done" });
  }
  return text;
}

it("on a terminal a line is overwritten a few times a second, and stays when its table is done", () => {
  const text = shown({ isTTY: true }, [
    [0, 0],
    [100, 1000],
    [1000, 10_000],
    [1100, 11_000],
    [100_000, 1_000_000, "done"],
    [100_000, 0, "under way", "check"],
  ]);
  expect(text.split("\r\u001B[K")).toEqual([
    "",
    "copying log_entry: 0 of 1,000,000 rows (0%)",
    "copying log_entry: 10,000 of 1,000,000 rows (1%), 10,000/s, 1 min 39 s left",
    "copying log_entry: 1,000,000 rows, 10,000/s\n",
    "checking log_entry: 0 of 1,000,000 rows (0%)",
  ]);
});

it("in a file a line is written every few seconds, and when a table is done", () => {
  const text = shown({ isTTY: false, before: 500_000 }, [
    [0, 500_000],
    [4999, 500_100],
    [5000, 500_500],
    [5100, 501_000],
    [10_000, 1_000_000, "done"],
    [10_001, 1_000_000, "done", "check"],
  ]);
  expect(text).toBe(
    [
      "copying log_entry: 500,500 of 1,000,000 rows (50%), 100/s, 1 h 23 min left",
      "copying log_entry: 1,000,000 rows, 50,000/s",
      "checking log_entry: 1,000,000 rows",
      "",
    ].join("\n"),
  );
});
