import { randomUUID } from "node:crypto";

/** Identifies a batch of entries: if its outcome is unknown, it is written again under the same name and kept once. */
export interface Batch {
  /** Writes its batches one after another: the next one only when the one before is written or given up. */
  readonly writer: string;
  /** Greater than that of the writer's batches before. */
  readonly number: number;
}

/** Names the batches of a new writer, one after another. */
export function batchNames(): () => Batch {
  const writer = randomUUID();
  let number = 0;
  return () => {
    number += 1;
    return { writer, number };
  };
}
