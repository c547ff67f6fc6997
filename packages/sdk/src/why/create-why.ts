import type { EventLogWhere, LogCounts } from "@media-ops/contract";
import type { MediaClient } from "../client.js";
import { createReader } from "../log-reader.js";
import { type CallOptions, check, checkRequest } from "../options.js";
import { type RangeKeys, rangeOf, toWire, WINDOW_MS } from "../search.js";
import { parseTimestamp, timeKey } from "../time.js";
import { fieldOf } from "../trace/subject.js";
import { type CountBy, type CountedCause, countPeriod } from "./count-period.js";
import type { Why, WhyCause, WhyRequest, WhyShare } from "./why.js";

const HOUR_MS = 3_600_000;
const MAX_GROUPS = 1000;
const MAX_SHARES = 10;
// Each takes five calls. There are fewer, unless the media server has many words for the same.
const MAX_CAUSES = 20;

/**
 * Explains why connections failed or were refused: counts by reason, against the period before, with the most likely
 * cause first. A service without an event log is a `MediaNotFoundError`.
 *
 * @example const { causes } = await why(client, { channel: "lobby", since: "2026-04-01T09:00:00Z" });
 */
export async function why(
  client: Pick<MediaClient, "logs" | "now">,
  request: WhyRequest = {},
  options: CallOptions = {},
): Promise<Why> {
  const { period, before } = periodsOf(request, client.now());
  const { project_id, channel } = request;
  check(
    channel === undefined || (typeof channel === "string" && channel !== ""),
    `channel must be the name or the id of a channel, not "${channel}".`,
  );
  const inChannel: EventLogWhere = channel === undefined ? {} : { [fieldOf("channel", channel)]: { eq: channel } };
  const reader = createReader(client.logs, project_id, options);
  const countIn =
    (range: RangeKeys): CountBy =>
    async (where, ...by) => {
      const asked = { project_id, ...toWire(range), where, by, top: MAX_GROUPS };
      return client.logs.count("events", asked, options);
    };

  const [current, earlier] = await Promise.all([
    countPeriod(countIn(period), inChannel),
    before && countPeriod(countIn(before), inChannel),
  ]);
  const known = earlier?.complete ? earlier : undefined;
  const measure = async ([name, cause]: [string, CountedCause]): Promise<MeasuredCause> => {
    const { where, outcome } = cause;
    const countBefore = known && (known.causes.get(name)?.count ?? 0);
    const [clients, nodes, channels, clientsBefore, newest] = await Promise.all([
      countIn(period)(where, "client_id"),
      countIn(period)(where, "node_name"),
      countIn(period)(where, "channel_id"),
      before && countBefore ? countIn(before)(where, "client_id") : undefined,
      reader.first("events", { ...period, where, limit: 1 }),
    ]);
    return {
      cause: {
        ...cause,
        before: countBefore,
        detail: newest.entries[0]?.detail,
        clients: sharesOf(clients, "client_id"),
        clientCount: namedIn(clients),
        nodes: sharesOf(nodes, "node_name"),
        channels: sharesOf(channels, "channel_id"),
      },
      affected: affectedBy(outcome, clients),
      affectedBefore: clientsBefore ? affectedBy(outcome, clientsBefore) : 0,
    };
  };
  return {
    since: `${(!current.complete && current.since) || period.since}Z`,
    until: `${period.until}Z`,
    complete: current.complete,
    counts: current.counts,
    before: known?.counts,
    causes: rankCauses(await Promise.all([...current.causes].slice(0, MAX_CAUSES).map(measure))),
  };
}

/** The period to explain, and that of the same length before; undefined if its start is no longer in the log. */
function periodsOf(request: WhyRequest, now: number): { period: RangeKeys; before: RangeKeys | undefined } {
  checkRequest(request);
  const keyAt = (ms: number): string | undefined => timeKey(new Date(ms));
  const msAt = (key: string | undefined): number => parseTimestamp(`${key}Z`)?.epochMilliseconds ?? now;
  const asked = rangeOf({ since: request.since, until: request.until });
  const until = asked.until ?? keyAt(now);
  const since = asked.since ?? keyAt(msAt(until) - HOUR_MS);
  const start = 2 * msAt(since) - msAt(until);
  const period = rangeOf(toWire({ since, until }));
  return { period, before: start < now - WINDOW_MS ? undefined : { since: keyAt(start), until: since } };
}

function sharesOf({ groups }: LogCounts, field: string): WhyShare[] {
  return groups
    .flatMap(({ by: { [field]: name }, count }) => (typeof name === "string" ? { name, count } : []))
    .slice(0, MAX_SHARES);
}

const namedIn = ({ groups, omitted_groups }: LogCounts): number =>
  groups.filter(({ by }) => typeof by.client_id === "string").length + omitted_groups;

/** How many clients a cause affects. Refusals of clients without an id are likely to be of one that tries again. */
function affectedBy(outcome: "failed" | "refused", clients: LogCounts): number {
  const unnamed = clients.groups.find(({ by }) => typeof by.client_id !== "string")?.count ?? 0;
  return namedIn(clients) + (outcome === "failed" ? unnamed : Math.min(unnamed, 1));
}

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
