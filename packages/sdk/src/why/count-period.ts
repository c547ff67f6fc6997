import type { EventLogWhere, EventReason, LogCountGroup, LogCounts, TextTest } from "@media-ops/contract";
import type { CountLogsRequest } from "../search.js";
import { timeKey } from "../time.js";
import { isAbsent } from "../where.js";
import type { WhyCause, WhyCounts } from "./why.js";

/** Counts the events of a period that meet a condition, by one or two fields. */
export type CountBy = (
  where: EventLogWhere,
  ...by: NonNullable<CountLogsRequest<"events">["by"]>
) => Promise<LogCounts>;

/** A cause before it is measured. */
export type CountedCause = Pick<WhyCause, "outcome" | "reason" | "mediaReason" | "count" | "where">;

/** The counts of a period. */
export interface Period {
  counts: WhyCounts;
  /** Those with the most failures or refusals first, by their names. */
  causes: Map<string, CountedCause>;
  /** Whether the whole period was counted. */
  complete: boolean;
  /** The time from which on all was counted, as `timeKey` writes it. */
  since: string | undefined;
}

/** Counts how connections fared, and why they failed or were refused. */
export async function countPeriod(countBy: CountBy, inChannel: EventLogWhere): Promise<Period> {
  const failed: EventLogWhere = { ...inChannel, type: { starts_with: "connection." }, outcome: { eq: "failed" } };
  const refused: EventLogWhere = { ...inChannel, outcome: { eq: "refused" } };
  const [all, failures, refusals] = await Promise.all([
    countBy(inChannel, "type", "outcome"),
    countBy(failed, "reason", "media_reason"),
    countBy(refused, "reason"),
  ]);
  const sum = (isCounted: (type: string, outcome: string) => boolean): number =>
    all.groups
      .filter(({ by: { type, outcome } }) => isCounted(String(type), String(outcome)))
      .reduce((total, { count }) => total + count, 0);
  const causes = [
    ...failures.groups.map((group) => causeOf("failed", failed, group)),
    ...refusals.groups.map((group) => causeOf("refused", refused, group)),
  ].sort((a, b) => b.count - a.count);
  return {
    counts: {
      connected: sum((type) => type === "connection.created"),
      ok: sum((type, outcome) => type === "connection.destroyed" && outcome === "ok"),
      failed: sum((type, outcome) => type.startsWith("connection.") && outcome === "failed"),
      refused: sum((_, outcome) => outcome === "refused"),
    },
    causes: new Map(causes.map((cause) => [nameOf(cause), cause])),
    complete: all.complete && failures.complete && refusals.complete,
    since: [all, failures, refusals]
      .flatMap(({ since }) => timeKey(since) ?? [])
      .sort()
      .at(-1),
  };
}

function causeOf(outcome: WhyCause["outcome"], where: EventLogWhere, { by, count }: LogCountGroup): CountedCause {
  const [reason, word] = [by.reason, by.media_reason];
  const is = (value: unknown): TextTest => (typeof value === "string" ? { eq: value } : isAbsent);
  return {
    outcome,
    // By contract.
    reason: (reason ?? undefined) as EventReason | undefined,
    mediaReason: typeof word === "string" ? word : undefined,
    count,
    where: { ...where, reason: is(reason), ...(outcome === "failed" && { media_reason: is(word) }) },
  };
}

const nameOf = ({ outcome, reason, mediaReason }: CountedCause): string => `${outcome} ${reason} ${mediaReason}`;
