import type { LogKind } from "@media-ops/contract";
import { type SummarizeOptions, type Summary, summarize } from "@media-ops/reports";
import type { SummaryOptions } from "../summary.js";

type Period = Pick<SummarizeOptions, "since" | "until" | "searchedTo" | "by">;

/** A printer of summaries as one of entries, which it summarizes in the same zone. */
export function ofEntries<Options extends SummaryOptions, Printed>(
  print: (summary: Summary, options: Options) => Printed,
): (kind: LogKind, entries: readonly unknown[], options: Options & Period) => Printed {
  return (kind, entries, options) => {
    const { since, until, searchedTo, by, timeZone } = options;
    return print(summarize(kind, entries, { since, until, searchedTo, by, timeZone }), options);
  };
}
