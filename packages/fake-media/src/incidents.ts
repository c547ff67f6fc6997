import { type PlanOptions, pickOne, type Visit } from "./plan.js";
import { randomFor } from "./random.js";

/** An incident that is planted in traffic. */
export type Incident = TurnOutage | ExpiredToken | ChannelFull;

/** When an incident happens. */
interface IncidentTime {
  /** Its start, in milliseconds since the traffic began. */
  readonly at: number;
  /** Its duration in milliseconds; it ends with the traffic at the latest. */
  readonly for: number;
}

/** The TURN server of a node is down: clients are admitted there, but their connections fail with `ICE-TIMEOUT`. */
export interface TurnOutage extends IncidentTime {
  readonly kind: "turn-outage";
  /** One of the traffic's nodes. */
  readonly nodeName: string;
  /** How long after its admission a client fails; up to half a second more. @default 20000 */
  readonly timeoutMs?: number;
}

/** A client tries again and again with a token that is not valid any more. */
export interface ExpiredToken extends IncidentTime {
  readonly kind: "expired-token";
  /** `<channel_name>@<project_id>`. */
  readonly channelId: string;
  readonly clientId: string;
  /** Returns the token of an attempt. */
  readonly accessToken: () => string;
  /** The time between its attempts, in milliseconds. @default 100 */
  readonly everyMs?: number;
}

/**
 * A channel is full: `guest-1` and so on take all seats at once and stay until the end, and more guests, who come later,
 * try a few times. It is exact if no other client uses the channel.
 */
export interface ChannelFull extends IncidentTime {
  readonly kind: "channel-full";
  /** `<channel_name>@<project_id>`. */
  readonly channelId: string;
  /** The `max_channel_connections` of the tokens. */
  readonly seats: number;
  /** Returns the token of a client. */
  readonly accessToken: () => string;
  /** The number of clients that come too late. @default 3 */
  readonly lateClients?: number;
  /** How often each of them tries. @default 4 */
  readonly tries?: number;
  /** The time between the attempts of a client, in milliseconds. @default 2000 */
  readonly everyMs?: number;
}

/** What an incident caused. */
export interface IncidentSums {
  readonly kind: Incident["kind"];
  /** The connections that failed: for each, `connection.failed` was sent. */
  failed: number;
  /** The attempts that were refused. */
  refused: number;
  /** The failures and refusals by reason: that of the event, and the intake's. */
  readonly byReason: Record<string, number>;
  /** Those of clients with an id, by it. */
  readonly byClient: Record<string, number>;
  readonly byNode: Record<string, number>;
  readonly byChannel: Record<string, number>;
}

const TIMEOUT_MS = 20_000;
const TIMEOUT_JITTER_MS = 500;
// Only then are the guests who take the seats surely in, in real time, too.
const LATE_FROM = 0.1;

/** Whether an incident lies within traffic of a duration, the failure of its last client included. */
export function isWithin(incident: Incident, total: number): boolean {
  const { at, for: duration } = incident;
  const lasts = incident.kind === "turn-outage" ? (incident.timeoutMs ?? TIMEOUT_MS) + TIMEOUT_JITTER_MS : 0;
  return at >= 0 && duration > 0 && at + duration + lasts <= total;
}

/** @throws {RangeError} if an incident does not lie within the traffic, or on none of its nodes. */
export function checkIncidents(incidents: readonly Incident[], total: number, nodes: readonly string[]): void {
  for (const incident of incidents) {
    const { kind, at, for: duration } = incident;
    if (!isWithin(incident, total)) {
      const last = kind === "turn-outage" ? ", and the failure of its last client," : "";
      throw new RangeError(
        `${kind} is from ${at} to ${at + duration} ms. It${last} must lie within the traffic's ${total} ms.`,
      );
    }
    if (kind === "turn-outage" && !nodes.includes(incident.nodeName)) {
      throw new RangeError(`turn-outage is on ${incident.nodeName}, which is none of the nodes: ${nodes.join(", ")}.`);
    }
  }
}

/** Returns sums of nothing. */
export function noIncidentSums({ kind }: Incident): IncidentSums {
  return { kind, failed: 0, refused: 0, byReason: {}, byClient: {}, byNode: {}, byChannel: {} };
}

/** A failure or refusal that an incident caused. */
interface Damage {
  readonly outcome: "failed" | "refused";
  readonly reason: string;
  readonly clientId?: string | undefined;
  readonly nodeName: string;
  readonly channelId: string;
}

/** Counts a failure or refusal. */
export function countDamage(sums: IncidentSums, { outcome, reason, clientId, nodeName, channelId }: Damage): void {
  const count = (by: Record<string, number>, name: string): void => {
    by[name] = (by[name] ?? 0) + 1;
  };
  sums[outcome]++;
  count(sums.byReason, reason);
  count(sums.byNode, nodeName);
  count(sums.byChannel, channelId);
  if (clientId !== undefined) count(sums.byClient, clientId);
}

/** After how many milliseconds a client fails that connects to a node at a time; undefined if there is no outage. */
export function failsAfter(seed: number, outage: Incident, { at, channelId }: Visit, nodeName: string) {
  if (outage.kind !== "turn-outage" || outage.nodeName !== nodeName) return undefined;
  if (at < outage.at || at >= outage.at + outage.for) return undefined;
  const { timeoutMs = TIMEOUT_MS } = outage;
  return timeoutMs + randomFor(seed, "timeout", at, channelId).int(0, TIMEOUT_JITTER_MS);
}

/** A planned attempt of a client that an incident adds. */
export interface IncidentVisit extends Visit {
  readonly clientId: string;
  readonly accessToken: () => string;
  /** The attempt's name, which no other has. */
  readonly idFrom: string;
}

/** The visits that an incident adds to the traffic, in order. */
export function planIncident(seed: number, index: number, incident: Incident, { nodes = [] }: PlanOptions) {
  const name = `incident-${index}`;
  const nodeOf = (clientId: string) => {
    const nodeName = pickOne(randomFor(seed, name, "node", clientId), nodes);
    return nodeName === undefined ? {} : { nodeName };
  };
  switch (incident.kind) {
    case "turn-outage":
      return [].values();
    case "expired-token":
      return planRetries(incident, name, nodeOf(incident.clientId));
    case "channel-full":
      return planCrowd(seed, incident, name, nodeOf).values();
  }
}

function* planRetries(incident: ExpiredToken, name: string, node: Pick<Visit, "nodeName">): Generator<IncidentVisit> {
  const { at: from, for: duration, channelId, clientId, accessToken, everyMs = 100 } = incident;
  const role = "sendrecv";
  for (let nth = 0; nth * everyMs < duration; nth++) {
    const at = from + nth * everyMs;
    const staysMs = from + duration - at;
    yield { at, channelId, role, staysMs, ...node, clientId, accessToken, idFrom: `${name} ${nth}` };
  }
}

function planCrowd(
  seed: number,
  incident: ChannelFull,
  name: string,
  nodeOf: (clientId: string) => Pick<Visit, "nodeName">,
): IncidentVisit[] {
  const { at: from, for: duration, channelId, seats, accessToken } = incident;
  const { lateClients = 3, tries = 4, everyMs = 2000 } = incident;
  const visits: IncidentVisit[] = [];
  for (let guest = 1; guest <= seats + lateClients; guest++) {
    const clientId = `guest-${guest}`;
    const isLate = guest > seats;
    const room = Math.max(0, duration * (1 - LATE_FROM) - tries * everyMs);
    const first = isLate ? Math.floor(duration * LATE_FROM + randomFor(seed, name, clientId).next() * room) : 0;
    for (let nth = 0; nth < (isLate ? tries : 1); nth++) {
      const at = from + first + nth * everyMs;
      const staysMs = from + duration - at;
      if (staysMs <= 0) break;
      const idFrom = `${name} ${clientId} ${nth}`;
      visits.push({ at, channelId, role: "sendrecv", staysMs, ...nodeOf(clientId), clientId, accessToken, idFrom });
    }
  }
  return visits.sort((one, other) => one.at - other.at);
}
