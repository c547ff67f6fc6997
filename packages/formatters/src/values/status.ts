/** How something went. */
export type Tone = "good" | "notice" | "bad" | "plain";

/** An HTTP status with a mark that says without colour how it went; 0 is no answer at all. */
export function formatStatus(status: number): { text: string; tone: Tone } {
  if (status === 0) return { text: "✗ no answer", tone: "bad" };
  if (status >= 500) return { text: `✗ ${status}`, tone: "bad" };
  if (status >= 400) return { text: `▲ ${status}`, tone: "bad" };
  if (status >= 300) return { text: `→ ${status}`, tone: "notice" };
  if (status >= 200) return { text: `✓ ${status}`, tone: "good" };
  return { text: String(status), tone: "plain" };
}

/**
 * Whether a status stands for a failure: refused, failed, or not answered.
 *
 * @param from The lowest status that does; 500 leaves out what was refused because of the caller's own mistake.
 */
export const isFailure = (status: number, from = 400): boolean => status === 0 || status >= from;
