import { store, stored } from "../state/stored.js";

/** The sent lines, newest last. */
export type History = readonly string[];

const MOST = 50;

/** Adds a sent line as the newest, and removes earlier duplicates. */
export function remember(history: History, line: string): History {
  return [...history.filter((other) => other !== line), line].slice(-MOST);
}

/**
 * Returns the line before or after the shown one, or undefined if there is none. After the newest line comes an empty
 * one.
 */
export function recall(history: History, shown: string, direction: "older" | "newer"): string | undefined {
  const at = history.lastIndexOf(shown);
  if (direction === "older") return history[at < 0 ? history.length - 1 : at - 1];
  if (at < 0) return undefined;
  return history[at + 1] ?? "";
}

const KEY = "lines";

/** Returns the lines that were sent in this browser tab. */
export function readHistory(): History {
  return JSON.parse(stored("sessionStorage", KEY) ?? "[]");
}

/** Stores the lines until the tab is closed. */
export function writeHistory(history: History): void {
  store("sessionStorage", KEY, JSON.stringify(history));
}
