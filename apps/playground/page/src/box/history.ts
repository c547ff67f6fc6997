import { store, stored } from "../state/stored.js";

/** The sent lines, the newest last. */
export type History = readonly string[];

const MOST = 50;

/** Adds a sent line as the newest. */
export function remember(history: History, line: string): History {
  return [...history.filter((other) => other !== line), line].slice(-MOST);
}

/** The line before or after the shown one; undefined if there is none. After the newest it is empty. */
export function recall(history: History, shown: string, direction: "older" | "newer"): string | undefined {
  const at = history.lastIndexOf(shown);
  if (direction === "older") return history[at < 0 ? history.length - 1 : at - 1];
  if (at < 0) return undefined;
  return history[at + 1] ?? "";
}

const KEY = "lines";

/** The lines that were sent in this browser tab. */
export function readHistory(): History {
  return JSON.parse(stored("sessionStorage", KEY) ?? "[]");
}

/** Stores them, until the tab is closed. */
export function writeHistory(history: History): void {
  store("sessionStorage", KEY, JSON.stringify(history));
}
