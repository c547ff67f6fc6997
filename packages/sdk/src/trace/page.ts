import type { RangeKeys } from "../search.js";
import { justAfter } from "../time.js";
import type { TimedLine } from "./lines.js";
import type { TraceRequest } from "./trace.js";

/** The part of a request that says which lines are meant. */
export type PagePart = Partial<RangeKeys> & Pick<TraceRequest, "order" | "skip">;

/** A page, and the requests for what is on both sides of it. */
export interface TracePage {
  lines: readonly TimedLine[];
  older: PagePart | undefined;
  newer: PagePart | undefined;
}

/** Which lines make up a page. */
export interface PageRequest extends RangeKeys {
  order: "newest" | "oldest";
  limit: number;
  skip: number;
}

/** Cuts a page out of the lines that are known from one end of the range on, oldest first. */
export function pageOf(known: readonly TimedLine[], { since, until, order, limit, skip }: PageRequest): TracePage {
  const isNewest = order === "newest";
  const end = isNewest ? Math.max(known.length - skip, 0) : Math.min(skip + limit, known.length);
  const start = isNewest ? Math.max(end - limit, 0) : Math.min(skip, end);
  const [before, first] = [known[start - 1]?.at, known[start]?.at];
  const [last, after] = [known[end - 1]?.at, known[end]?.at];
  const lines = known.slice(start, end);
  const countOf = (at: string, some: readonly TimedLine[]): number => some.filter((line) => line.at === at).length;

  // Lines of one time that are on both pages are told apart by their number.
  const older: PagePart =
    first !== undefined && first === before
      ? { until: justAfter(first), skip: countOf(first, known.slice(start)) }
      : { until: first ?? since };
  const newer: PagePart =
    last !== undefined && last === after
      ? { since: last, skip: countOf(last, known.slice(0, end)) }
      : { since: after ?? until };
  if (isNewest) {
    return {
      lines,
      older: start > 0 ? { ...older, since, order: "newest" } : undefined,
      newer: until || end < known.length ? { ...newer, order: "oldest" } : undefined,
    };
  }
  return {
    lines,
    older: since || start > 0 ? { ...older, order: "newest" } : undefined,
    newer: end < known.length ? { ...newer, until, order: "oldest" } : undefined,
  };
}
