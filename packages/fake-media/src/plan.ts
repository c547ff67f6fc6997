import type { Role } from "./options.js";
import { type Random, randomFor } from "./random.js";

/** The number of clients that connect, and the duration of their stay. */
export interface PlanOptions {
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
}

/** A planned attempt to connect. */
export interface Visit {
  /** The start, in milliseconds since the beginning; whole in traffic. */
  readonly at: number;
  readonly channelId: string;
  readonly role: Role;
  readonly staysMs: number;
  readonly nodeName?: string;
  readonly clientId?: string;
}

const names = ["lobby", "stage", "class", "studio", "meeting", "arena", "clinic", "garden"] as const;
const roles = ["sendrecv", "sendrecv", "sendonly", "recvonly", "recvonly", "recvonly"] as const;

/** The channel with a number: the same for traffic and for held connections. */
export function channelOf(index: number, projects: readonly string[] = ["demo"]): string {
  return `${names[index % names.length]}-${index + 1}@${projects[index % projects.length]}`;
}

/** The client with a number: its role, and its node and id if there are such. */
export function clientOf(seed: number, client: number, { nodes = [], clients = 0 }: PlanOptions) {
  const nodeName = pickOne(randomFor(seed, "node", client), nodes);
  return {
    role: randomFor(seed, "role", client).pick(roles),
    ...(nodeName !== undefined && { nodeName }),
    ...(clients > 0 && { clientId: `client-${randomFor(seed, "client-id", client).int(1, clients)}` }),
  };
}

/** One of a list at random; undefined if it is empty. */
export function pickOne<T>(random: Random, [first, ...others]: readonly T[]): T | undefined {
  return first === undefined ? undefined : random.pick([first, ...others]);
}

/** All visits in order; the same for the same seed. */
export function* planTraffic(seed: number, options: PlanOptions): Generator<Visit, void> {
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
