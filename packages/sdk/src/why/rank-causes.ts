import type { WhyCause } from "./why.js";

/** A cause, and how many clients it affected. */
export interface MeasuredCause {
  cause: WhyCause;
  /** A client without an id counts for each connection that failed, and once for all that were refused. */
  affected: number;
  /** The same of the period before; 0 if that is not known. */
  affectedBefore: number;
}

/**
 * Puts the most likely cause of trouble first: the one that affects the most clients beyond those of the period before,
 * since one client that tries again and again can cause thousands of refusals.
 */
export function rankCauses(causes: readonly MeasuredCause[]): WhyCause[] {
  const rankOf = ({ cause: { count, before = 0 }, affected, affectedBefore }: MeasuredCause): readonly number[] => [
    affected - affectedBefore,
    count - before,
    count,
  ];
  const compare = (a: readonly number[], b: readonly number[]): number =>
    a.map((rank, at) => (b[at] ?? 0) - rank).find((difference) => difference !== 0) ?? 0;
  return [...causes].sort((a, b) => compare(rankOf(a), rankOf(b))).map(({ cause }) => cause);
}
