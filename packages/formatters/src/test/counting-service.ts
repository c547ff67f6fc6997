import type { LogCounts, LogKind } from "@media-ops/contract";
import { type CountQuestion, type ListQuestion, type LogService, summarize } from "@media-ops/reports";
import { fieldOf } from "@media-ops/reports/entries";

/** The questions of a test, and how the service answers them. */
export interface CountingService extends LogService {
  readonly asked: readonly (CountQuestion | ListQuestion)[];
}

interface ServiceOptions {
  /** The time before which it does not search. @default it searches everything */
  reach?: number;
  /** The number of entries that it lists at most. @default all */
  most?: number;
  /** Whether it counts. @default true */
  counts?: boolean;
  /** A log that it does not have, as a service from before that log. @default none */
  lacks?: LogKind;
}

const timeOf = (entry: unknown): number => Date.parse(String(fieldOf(entry, "timestamp")));

/** A service that holds entries of one log in memory, newest first, and knows the conditions of the tests only. */
export function countingService(entries: readonly unknown[], options: ServiceOptions = {}): CountingService {
  const { reach = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY, counts = true, lacks } = options;
  const asked: (CountQuestion | ListQuestion)[] = [];
  const matching = ({ since = "1970-01-01T00:00:00Z", until = "9999-01-01T00:00:00Z", where }: ListQuestion) =>
    entries.filter((entry) => {
      const [time, status] = [timeOf(entry), Number(fieldOf(entry, "status"))];
      const isFrom = String(fieldOf(entry, "url")).includes("from=");
      const failsFrom = fieldOf(where, "status") ? 500 : 400;
      const outcome = fieldOf(entry, "outcome");
      const wantedOutcome = fieldOf(fieldOf(where, "outcome"), "eq");
      const isFailed = outcome === undefined ? status === 0 || status >= failsFrom : outcome !== "ok";
      const wanted = fieldOf(where, "failed") ?? (fieldOf(where, "status") !== undefined || undefined);
      return (
        time >= Math.max(Date.parse(since), reach) &&
        time < Date.parse(until) &&
        (wanted === undefined || wanted === isFailed) &&
        (wantedOutcome === undefined || wantedOutcome === outcome) &&
        (fieldOf(where, "from") === undefined || !isFrom)
      );
    });
  const reaches = ({ since }: ListQuestion): boolean => Date.parse(since ?? "1970-01-01T00:00:00Z") >= reach;

  return {
    asked,
    async count(kind, question) {
      asked.push(question);
      if (!counts) throw Object.assign(new Error("no counts"), { code: "NotFound" });
      if (kind === lacks) throw Object.assign(new Error("no such kind"), { code: "BadRequest" });
      return countsOf(kind, matching(question), question, reaches(question) ? undefined : reach);
    },
    async list(kind, question) {
      asked.push(question);
      if (kind === lacks) throw Object.assign(new Error("no such log"), { code: "NotFound" });
      const found = matching(question);
      const inOrder = question.order === "oldest" ? [...found].reverse() : found;
      const data = inOrder.slice(0, Math.min(question.limit ?? 1000, most));
      const isWhole = reaches(question) && data.length === found.length;
      const searchedTo = new Date(data.length < found.length ? timeOf(data.at(-1)) : reach);
      return { data, complete: isWhole, ...(!isWhole && { searchedTo: searchedTo.toISOString() }) };
    },
  };
}

function countsOf(kind: LogKind, entries: readonly unknown[], question: CountQuestion, reach?: number): LogCounts {
  const { since = "1970-01-01T00:00:00Z", until = "2026-11-21T14:05:30Z", by, every, offset = 0 } = question;
  const total = (some: readonly unknown[]) => {
    const { count, failures, elapsed, bytes } = summarize(kind, some);
    const minutes = some.map((entry) => fieldOf(entry, "duration_min")).filter((one) => typeof one === "number");
    const bytesIn = (name: string): number => bytes.find(({ field }) => field === name)?.total ?? 0;
    return {
      entries: some.length,
      count,
      ...(failures && { failed: failures.count }),
      ...(elapsed && { elapsed_ms: elapsed }),
      ...(minutes.length > 0 && { minutes: minutes.reduce((sum, one) => sum + one, 0) }),
      ...(bytes.length > 0 && {
        received_bytes: bytesIn("total_received_bytes"),
        sent_bytes: bytesIn("total_sent_bytes"),
      }),
    };
  };
  const { groups } = summarize(kind, entries, { by });
  const starts = new Map<number, unknown[]>();
  for (const entry of every ? entries : []) {
    const start = Math.floor((timeOf(entry) / 1000 + offset) / (every ?? 1)) * (every ?? 1) - offset;
    starts.set(start, [...(starts.get(start) ?? []), entry]);
  }
  return {
    since: new Date(Math.max(Date.parse(since), reach ?? Number.NEGATIVE_INFINITY)).toISOString(),
    until: new Date(until).toISOString(),
    complete: reach === undefined,
    total: total(entries),
    groups: (groups?.all ?? []).map(({ by, count, failed, elapsed }) => ({
      by,
      entries: count,
      count,
      ...(failed !== undefined && { failed }),
      ...(elapsed && { elapsed_ms: elapsed }),
    })),
    omitted_groups: groups?.omitted ?? 0,
    periods: [...starts].map(([start, some]) => ({ start: new Date(start * 1000).toISOString(), ...total(some) })),
  };
}
