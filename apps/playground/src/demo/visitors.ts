import type { Random, Role } from "@media-ops/fake-media";

/** Returns true with the given probability. */
export const chance = (random: Random, probability: number): boolean => random.next() < probability;

/** Returns an exponentially distributed time with the given mean. */
export const waitFor = (random: Random, mean: number): number => -Math.log(1 - random.next()) * mean;

/** A client in a channel of the demo project. */
export interface Visitor {
  readonly channel: string;
  readonly role: Role;
  readonly clientId: string;
  readonly nodeName: string;
}

/** Busier channels occur more often. */
export const channels = [
  ...(["lobby", "lobby", "lobby", "stage", "stage"] as const),
  ...(["class", "class", "studio", "clinic"] as const),
] as const;
const roles = ["sendrecv", "sendrecv", "sendonly", "recvonly", "recvonly", "recvonly"] as const;
const devices: Readonly<Record<Role, readonly [string, ...string[]]>> = {
  sendrecv: ["laptop", "phone", "tablet"],
  sendonly: ["camera", "mixer"],
  recvonly: ["phone", "laptop", "tv"],
};

/** The nodes of the media server. */
export const nodes = ["node-1", "node-2", "node-3"] as const;

/** Returns a random client. */
export function drawVisitor(random: Random): Visitor {
  const role = random.pick(roles);
  return {
    channel: random.pick(channels),
    role,
    clientId: `${random.pick(devices[role])}-${random.int(1, 60)}`,
    nodeName: random.pick(nodes),
  };
}

/** A screen that nobody looks after: it tries again and again with a token that has expired. */
export const stuckClient: Visitor = { channel: "lobby", role: "recvonly", clientId: "tv-61", nodeName: "node-3" };

/** The time between two attempts of the stuck client. */
export const STUCK_EVERY_MS = 10_000;

/** The paths of the six listings. */
export const listings = [
  "/orgs/list-session-logs",
  "/orgs/list-connection-logs",
  "/orgs/list-api-logs",
  "/orgs/list-media-api-logs",
  "/orgs/list-webhook-logs",
  "/orgs/list-event-logs",
] as const;
