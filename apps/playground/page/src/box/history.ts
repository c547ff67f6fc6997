/** The sent lines, the newest last. */
export type History = readonly string[];

const MOST = 50;

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

export function readHistory(): History {
  try {
    const read: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? "[]");
    return Array.isArray(read) ? read.filter((line) => typeof line === "string") : [];
  } catch {
    return [];
  }
}

export function writeHistory(history: History): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(history));
  } catch {
    // Storage may be disabled.
  }
}
