const HIDDEN = "[redacted]";

/** How one kind of secret is recognized. Both patterns have the flag that is named. */
export interface SecretPattern {
  /** What stands before a secret and stays visible; global. */
  readonly start: RegExp;
  /** One piece of the secret; sticky. */
  readonly piece: RegExp;
  /**
   * Whether the pieces are a secret and not ordinary text. A secret stays one with more text before it: the search goes
   * on behind the run.
   * @default always
   */
  readonly isSecret?: (run: string) => boolean;
}

/**
 * Replaces secrets of any length. It takes piece after piece in a loop, because a single pattern for all of them runs out
 * of stack in a text of a few megabytes.
 */
export function hideRuns(text: string, { start, piece, isSecret = () => true }: SecretPattern): string {
  let result = "";
  let copied = 0;
  start.lastIndex = 0;
  while (start.test(text)) {
    const from = start.lastIndex;
    const to = endOfRun(text, from, piece);
    start.lastIndex = to;
    if (to === from || !isSecret(text.slice(from, to))) continue;
    result += text.slice(copied, from) + HIDDEN;
    copied = to;
  }
  return copied === 0 ? text : result + text.slice(copied);
}

function endOfRun(text: string, from: number, piece: RegExp): number {
  let end = from;
  piece.lastIndex = end;
  while (piece.test(text)) end = piece.lastIndex;
  return end;
}
