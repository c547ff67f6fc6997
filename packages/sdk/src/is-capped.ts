/** The most entries that one answer holds; the contract sets it. */
export const MAX_ENTRIES = 1000;

/** Whether an answer is full, so that older entries of the last 30 days may be missing from it. */
export function isCapped(entries: readonly unknown[]): boolean {
  return entries.length >= MAX_ENTRIES;
}
