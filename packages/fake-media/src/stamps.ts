/** A moment as the media server writes it. */
export interface Stamp {
  /** RFC 3339, six digits of a second. */
  readonly text: string;
  /** Whole seconds since 1970. */
  readonly seconds: number;
}

/**
 * Stamps moments. No two are the same, and a later one is always later: the clock gives milliseconds, and more than one
 * thing happens in each.
 */
export function createStamps(now: () => number): () => Stamp {
  let last = 0;
  return () => {
    last = Math.max(Math.floor(now() * 1000), last + 1);
    const date = new Date(Math.floor(last / 1000));
    const text = date.toISOString().replace("Z", `${String(last % 1000).padStart(3, "0")}Z`);
    return { text, seconds: Math.floor(last / 1_000_000) };
  };
}
