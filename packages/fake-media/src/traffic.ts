import type { MediaSums } from "./courier.js";
import type { FakeMedia } from "./fake-media.js";
import type { Refusal } from "./intake.js";
import type { AdmittedClient, ConnectedClient } from "./node.js";
import type { ConnectOptions, Role } from "./options.js";
import { type Random, randomFor } from "./random.js";

/** The number of clients that connect, and the duration of their stay. */
interface PlanOptions {
  /** The duration in milliseconds; all clients have disconnected at the end. @default 60000 */
  for?: number;
  /** The average number of new connections per second. @default 10 */
  rate?: number;
  /** The number of channels; some are busier than others. @default 20 */
  channels?: number;
  /** The projects of the channels, assigned round-robin. @default ["demo"] */
  projects?: readonly string[];
  /** The average duration of a client's stay. @default 20000 */
  staysMs?: number;
  /** The nodes to which clients connect, one at random for each. @default the node of the media server */
  nodes?: readonly string[];
  /** The number of clients with an id, `client-1` and so on; one of them at random connects each time. @default 0: no client has an id */
  clients?: number;
  /** The incidents in it; other clients are the same with and without them. @default none */
  incidents?: readonly Incident[];
}

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
interface TurnOutage extends IncidentTime {
  readonly kind: "turn-outage";
  /** One of the traffic's nodes. */
  readonly nodeName: string;
  /** How long after its admission a client fails; up to half a second more. @default 20000 */
  readonly timeoutMs?: number;
}

/** A client tries again and again with a token that is not valid any more. */
interface ExpiredToken extends IncidentTime {
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
interface ChannelFull extends IncidentTime {
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

/** A planned attempt to connect. */
interface Visit extends Pick<ConnectOptions, "channelId" | "nodeName" | "clientId" | "idFrom"> {
  /** The start, in milliseconds since the beginning; whole in traffic. */
  readonly at: number;
  readonly role: Role;
  readonly staysMs: number;
  /** Returns its token. @default that of the media server */
  readonly accessToken?: () => string;
  /** The incident, by its position, that brings this client. */
  readonly incident?: number;
  /** The outage, by its position, that lets its connection fail, and how long after its admission. */
  readonly failure?: { readonly incident: number; readonly afterMs: number };
}

const TIMEOUT_MS = 20_000;
const TIMEOUT_JITTER_MS = 500;
// Only then are the guests who take the seats surely in, in real time, too.
const LATE_FROM = 0.1;
const names = ["lobby", "stage", "class", "studio", "meeting", "arena", "clinic", "garden"] as const;
const roles = ["sendrecv", "sendrecv", "sendonly", "recvonly", "recvonly", "recvonly"] as const;

/** The channel with a number: the same for traffic and for held connections. */
function channelOf(index: number, projects: readonly string[] = ["demo"]): string {
  return `${names[index % names.length]}-${index + 1}@${projects[index % projects.length]}`;
}

/** The client with a number: its role, and its node and id if there are such. */
function clientOf(seed: number, client: number, { nodes, clients = 0 }: PlanOptions) {
  return {
    role: randomFor(seed, "role", client).pick(roles),
    ...nodeOf(randomFor(seed, "node", client), nodes),
    ...(clients > 0 && { clientId: `client-${randomFor(seed, "client-id", client).int(1, clients)}` }),
  };
}

function nodeOf(random: Random, [first, ...others]: readonly string[] = []): Pick<Visit, "nodeName"> {
  return first === undefined ? {} : { nodeName: random.pick([first, ...others]) };
}

/** Whether an incident lies within traffic of a duration, the failure of its last client included. */
export function isWithin(incident: Incident, total: number): boolean {
  const { at, for: duration } = incident;
  const lasts = incident.kind === "turn-outage" ? (incident.timeoutMs ?? TIMEOUT_MS) + TIMEOUT_JITTER_MS : 0;
  return at >= 0 && duration > 0 && at + duration + lasts <= total;
}

/** @throws {RangeError} if an incident does not lie within the traffic, or on none of its nodes. */
function checkIncidents(incidents: readonly Incident[], total: number, nodes: readonly string[]): void {
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

/**
 * The script of the traffic: all visits in order, those of incidents included; the same for the same seed.
 *
 * @param nodeName The node of clients without their own.
 */
export function* planTraffic(seed: number, options: PlanOptions, nodeName?: string): Generator<Visit, void> {
  const { incidents = [] } = options;
  const planted = incidents
    .flatMap((incident, index) => {
      return visitsOf(seed, incident, `incident-${index}`, options).map((visit) => ({ ...visit, incident: index }));
    })
    .sort((one, other) => one.at - other.at);
  let next = 0;
  for (const visit of everydayVisits(seed, options)) {
    for (let early = planted[next]; early && early.at < visit.at; early = planted[++next]) {
      yield withFate(seed, early, incidents, nodeName);
    }
    yield withFate(seed, visit, incidents, nodeName);
  }
  for (const visit of planted.slice(next)) yield withFate(seed, visit, incidents, nodeName);
}

/** The visits without incidents. */
function* everydayVisits(seed: number, options: PlanOptions): Generator<Visit, void> {
  const { for: total = 60_000, rate = 10, channels = 20, projects, staysMs = 20_000 } = options;
  const random = randomFor(seed, "traffic");
  // Exponential, as for independent clients.
  const draw = (mean: number): number => -Math.log(1 - random.next()) * mean;
  let moment = draw(1000 / rate);
  for (let client = 0; moment < total; client++) {
    const at = Math.floor(moment);
    // Squared, so that the first channels are crowded and the last ones often empty.
    const channelId = channelOf(Math.floor(random.next() ** 2 * channels), projects);
    const stay = Math.min(Math.ceil(draw(staysMs)), Math.ceil(total) - at);
    yield { at, channelId, staysMs: stay, ...clientOf(seed, client, options) };
    moment += draw(1000 / rate);
  }
}

/** A visit with its failure, if it is to a node whose TURN server is down. */
function withFate(seed: number, visit: Visit, incidents: readonly Incident[], standardNode?: string): Visit {
  const { at, channelId, nodeName = standardNode } = visit;
  for (const [incident, outage] of incidents.entries()) {
    if (outage.kind !== "turn-outage" || outage.nodeName !== nodeName) continue;
    if (at < outage.at || at >= outage.at + outage.for) continue;
    const jitter = randomFor(seed, "timeout", at, channelId).int(0, TIMEOUT_JITTER_MS);
    return { ...visit, failure: { incident, afterMs: (outage.timeoutMs ?? TIMEOUT_MS) + jitter } };
  }
  return visit;
}

/** The visits that an incident adds to the traffic. */
function visitsOf(seed: number, incident: Incident, name: string, { nodes }: PlanOptions): Visit[] {
  if (incident.kind === "turn-outage") return [];
  const { at: from, for: duration, channelId, accessToken } = incident;
  const visits: Visit[] = [];
  const add = (clientId: string, after: number, idFrom: string): void => {
    const staysMs = duration - after;
    if (staysMs <= 0) return;
    const node = nodeOf(randomFor(seed, name, "node", clientId), nodes);
    visits.push({ at: from + after, channelId, role: "sendrecv", staysMs, ...node, clientId, accessToken, idFrom });
  };
  if (incident.kind === "expired-token") {
    const { clientId, everyMs = 100 } = incident;
    for (let nth = 0; nth * everyMs < duration; nth++) add(clientId, nth * everyMs, `${name} ${nth}`);
    return visits;
  }
  const { seats, lateClients = 3, tries = 4, everyMs = 2000 } = incident;
  const room = Math.max(0, duration * (1 - LATE_FROM) - tries * everyMs);
  for (let guest = 1; guest <= seats + lateClients; guest++) {
    const clientId = `guest-${guest}`;
    const isLate = guest > seats;
    const first = isLate ? Math.floor(duration * LATE_FROM + randomFor(seed, name, clientId).next() * room) : 0;
    for (let nth = 0; nth < (isLate ? tries : 1); nth++) {
      add(clientId, first + nth * everyMs, `${name} ${clientId} ${nth}`);
    }
  }
  return visits;
}

/** The result of a client's attempt to connect. */
export type Attempt = Pick<AdmittedClient, "allowed"> | Refusal;

/** The traffic, and what happens to it. */
export interface TrafficOptions extends PlanOptions {
  /** How often each connection sends `connection.updated`. @default 60000 */
  updateEveryMs?: number;
  /** Ends it early: all clients disconnect, and their events are sent. */
  signal?: AbortSignal;
  /** Called after each client's attempt to connect. */
  onConnect?: (client: Attempt) => void;
}

/** What an incident caused. */
interface IncidentSums {
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

/** The totals of the media server, and what each incident caused, in the order of the option. */
export type TrafficSums = Readonly<MediaSums> & { readonly incidents: readonly Readonly<IncidentSums>[] };

const UPDATE_EVERY_MS = 60_000;
const ICE_TIMEOUT = "ICE-TIMEOUT";

/**
 * Lets clients connect and disconnect. At the end all of them have disconnected, and everything has been sent. To end
 * it early, use the signal; the media server must not be closed before it has ended.
 *
 * @example const { connections } = await runTraffic(media, { rate: 50, for: 60_000 });
 */
export async function runTraffic(media: FakeMedia, options: TrafficOptions = {}): Promise<TrafficSums> {
  const { for: total = 60_000, updateEveryMs = UPDATE_EVERY_MS, incidents = [], signal, onConnect } = options;
  const { timeline, seed } = media;
  checkIncidents(incidents, total, options.nodes ?? [media.nodeName]);
  const caused = incidents.map(({ kind }): IncidentSums => {
    return { kind, failed: 0, refused: 0, byReason: {}, byClient: {}, byNode: {}, byChannel: {} };
  });
  const script = planTraffic(seed, options, media.nodeName);
  const began = timeline.time();
  const present = new Set<Pick<ConnectedClient, "disconnect">>();
  /** Clients that are expected, connecting or connected. */
  let visitors = 0;
  let isCutShort = false;
  let isExpecting = false;
  let resolveAllGone = (): void => {};
  const allGone = new Promise<void>((resolve) => {
    resolveAllGone = resolve;
  });

  /** Schedules an action at a time since the beginning. */
  function at(ms: number, run: () => Promise<void>): void {
    timeline.after(began + ms - timeline.time(), run);
  }

  function expectNext(): void {
    const { value: visit } = script.next();
    isExpecting = visit !== undefined;
    if (!visit) return;
    visitors++;
    at(visit.at, async () => {
      if (isCutShort) return;
      expectNext();
      await receive(visit);
    });
  }

  async function receive({ accessToken, incident, failure, ...visit }: Visit): Promise<void> {
    const admission = await media.admit({ ...visit, ...(accessToken && { accessToken: accessToken() }) });
    onConnect?.(admission);
    if (!admission.allowed) {
      if (incident !== undefined) count(incident, "refused", visit, admission.reason);
      return gone();
    }
    if (failure) {
      return failLater(failure.afterMs, async () => {
        count(failure.incident, "failed", visit, ICE_TIMEOUT);
        await admission.fail(ICE_TIMEOUT);
      });
    }
    const client = await admission.connect();
    if (!client.allowed) return gone();
    present.add(client);
    if (isCutShort) await leave(client);
    else stay(client, visit.at + updateEveryMs, visit.at + visit.staysMs);
  }

  function count(incident: number, outcome: "failed" | "refused", visit: Visit, reason: string): void {
    const sums = caused[incident];
    if (!sums) return;
    const { nodeName = media.nodeName, channelId, clientId } = visit;
    const add = (by: Record<string, number>, name: string): void => {
      by[name] = (by[name] ?? 0) + 1;
    };
    sums[outcome]++;
    add(sums.byReason, reason);
    add(sums.byNode, nodeName);
    add(sums.byChannel, channelId);
    if (clientId !== undefined) add(sums.byClient, clientId);
  }

  /** Lets a client wait for its failure. It gives up if the traffic ends before. */
  async function failLater(ms: number, fail: () => Promise<void>): Promise<void> {
    const waiting = { disconnect: async () => {} };
    present.add(waiting);
    if (isCutShort) return leave(waiting);
    timeline.after(ms, async () => {
      if (!present.delete(waiting)) return;
      await fail();
      gone();
    });
  }

  function stay(client: ConnectedClient, nextUpdate: number, leaves: number): void {
    if (nextUpdate >= leaves) {
      at(leaves, () => leave(client));
      return;
    }
    at(nextUpdate, async () => {
      // The next update does not wait for the response, so that updates stay on schedule.
      stay(client, nextUpdate + updateEveryMs, leaves);
      await client.update();
    });
  }

  async function leave(client: Pick<ConnectedClient, "disconnect">): Promise<void> {
    if (!present.delete(client)) return;
    await client.disconnect();
    gone();
  }

  function gone(): void {
    visitors--;
    if (visitors === 0) resolveAllGone();
  }

  expectNext();
  if (visitors === 0) resolveAllGone();
  await media.pass(total, signal);
  if (signal?.aborted) {
    isCutShort = true;
    if (isExpecting) gone();
    await Promise.all([...present].map(leave));
  }
  await allGone;
  await media.settle();
  return { ...media.sums, incidents: caused };
}

type HoldOptions = Pick<TrafficOptions, "channels" | "projects" | "nodes" | "clients" | "signal" | "onConnect"> & {
  connections: number;
};

// So that few clients are still connecting when the signal aborts.
const MOST_AT_A_TIME = 1000;

/**
 * Opens connections concurrently, and holds them; each sends `connection.updated` once a minute. `release` disconnects
 * all of them, and waits until everything has been sent.
 *
 * @example
 * const held = await holdConnections(media, { connections: 10_000 });
 * await held.release();
 */
export async function holdConnections(media: FakeMedia, options: HoldOptions) {
  const { connections, channels = 20, projects, signal, onConnect } = options;
  const clients: ConnectedClient[] = [];

  function keepUpdating(client: ConnectedClient): void {
    media.timeline.after(UPDATE_EVERY_MS, async () => {
      if (!client.isConnected) return;
      keepUpdating(client);
      await client.update();
    });
  }

  async function open(index: number): Promise<void> {
    if (signal?.aborted) return;
    const channelId = channelOf(index % channels, projects);
    const client = await media.connect({ channelId, ...clientOf(media.seed, index, options) });
    onConnect?.(client);
    if (!client.allowed) return;
    clients.push(client);
    keepUpdating(client);
  }

  let next = 0;
  await Promise.all(
    Array.from({ length: Math.min(MOST_AT_A_TIME, connections) }, async () => {
      while (next < connections) await open(next++);
    }),
  );
  return {
    clients,
    async release(): Promise<void> {
      await Promise.all(clients.map((client) => client.disconnect()));
      await media.settle();
    },
  };
}
