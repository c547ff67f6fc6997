import type { EventLogWhere, EventReason, LogCountGroup, LogCounts, TextTest } from "@media-ops/contract";
import { type CallOptions, type CountLogsRequest, type MediaClient, timeKey } from "@media-ops/sdk";
import { HOUR, KEPT } from "./entries/index.js";
import {
  check,
  createReader,
  isAbsent,
  type LogsClient,
  millisecondsAt,
  type RangeKeys,
  rangeOf,
  type TimeRange,
  toWire,
} from "./log-reader.js";
import type { Tally } from "./summary.js";
import { traceField } from "./trace.js";

/** Which connections to explain. */
export interface WhyRequest extends TimeRange {
  /** The project identifier. @default the project that owns the API key */
  project_id?: string | undefined;
  /** The name or id of a channel. @default all channels */
  channel?: string | undefined;
}

/** How connections fared in a period. */
export interface WhyCounts {
  /** Connections that were made. */
  connected: number;
  /** Connections that ended well. */
  ok: number;
  /** Connections that could not be made, broke, or vanished with their node. */
  failed: number;
  /** Refused attempts to connect. */
  refused: number;
}

/** A value of a field, and how many failures or refusals have it. */
export type WhyShare = Tally;

/** One reason for which connections failed or were refused. */
export interface WhyCause {
  outcome: "failed" | "refused";
  /** Undefined if the media server gave no reason. */
  reason: EventReason | undefined;
  /** The media server's own word. */
  mediaReason: string | undefined;
  count: number;
  /** How many there were in the period before; undefined if that is not known. */
  before: number | undefined;
  /** What the newest of them says beyond its reason, such as "5 of 5". */
  detail: string | undefined;
  /** The clients with the most, at most ten; those without an id of their own are left out. */
  clients: WhyShare[];
  /** How many clients there are. */
  clientCount: number;
  /** The nodes with the most, at most ten. */
  nodes: WhyShare[];
  /** The channels with the most, at most ten. */
  channels: WhyShare[];
  /** The condition that lists its entries. */
  where: EventLogWhere;
}

/** Why connections failed or were refused. */
export interface Why {
  /** The start of the period that was counted. Later than asked for if not all of it was. */
  since: string;
  /** Its excluded end. */
  until: string;
  /** Whether the whole requested period was counted. If not, its older part is missing. */
  complete: boolean;
  counts: WhyCounts;
  /** The period of the same length before; undefined if it is not known. */
  before: WhyCounts | undefined;
  /** The most likely cause first. Of more than 20, those with the most failures or refusals. */
  causes: WhyCause[];
}

const MAX_GROUPS = 1000;
const MAX_SHARES = 10;
// Each takes five calls. There are fewer, unless the media server has many words for the same.
const MAX_CAUSES = 20;

/**
 * Explains why connections failed or were refused: counts by reason, against the period before, with the most likely
 * cause first. A service without an event log is a `MediaNotFoundError`.
 *
 * @example const { causes } = await askWhy(client, { channel: "lobby", since: "2026-04-01T09:00:00Z" });
 */
export async function askWhy(
  client: LogsClient & Pick<MediaClient, "now">,
  request: WhyRequest = {},
  options: CallOptions = {},
): Promise<Why> {
  const { period, before } = periodsOf(request, client.now());
  const { project_id, channel } = request;
  check(
    channel === undefined || (typeof channel === "string" && channel !== ""),
    `channel must be the name or the id of a channel, not "${channel}".`,
  );
  const inChannel: EventLogWhere = channel === undefined ? {} : { [traceField("channel", channel)]: { eq: channel } };
  const reader = createReader(client, project_id, options);
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
  const keyAt = (ms: number): string | undefined => timeKey(new Date(ms));
  const msAt = (key: string | undefined): number => millisecondsAt(key) ?? now;
  const asked = rangeOf(request);
  const until = asked.until ?? keyAt(now);
  const since = asked.since ?? keyAt(msAt(until) - HOUR);
  const start = 2 * msAt(since) - msAt(until);
  const period = rangeOf(toWire({ since, until }));
  return { period, before: start < now - KEPT ? undefined : { since: keyAt(start), until: since } };
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

/** Counts the events of a period that meet a condition, by one or two fields. */
type CountBy = (where: EventLogWhere, ...by: NonNullable<CountLogsRequest<"events">["by"]>) => Promise<LogCounts>;

/** A cause before it is measured. */
type CountedCause = Pick<WhyCause, "outcome" | "reason" | "mediaReason" | "count" | "where">;

/**
 * Counts how connections fared, and why they failed or were refused: those causes with the most first. `since` is the time
 * from which on all was counted, as `timeKey` writes it.
 */
async function countPeriod(countBy: CountBy, inChannel: EventLogWhere) {
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
