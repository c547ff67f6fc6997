/** Random draws that are the same for the same seed. */
export interface Random {
  /** From 0 up to, but without, 1. */
  next(): number;
  /** A whole number between these, inclusive. */
  int(min: number, max: number): number;
  /** True with this probability. */
  chance(probability: number): boolean;
  pick<T>(choices: readonly [T, ...T[]]): T;
  /** An exponentially distributed time with this mean. */
  wait(mean: number): number;
}

/** A generator (mulberry32). */
export function createRandom(seed: number): Random {
  let state = seed | 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    int: (min, max) => min + Math.floor(next() * (max - min + 1)),
    chance: (probability) => next() < probability,
    pick: (choices) => choices[Math.floor(next() * choices.length)] ?? choices[0],
    wait: (mean) => -Math.log(1 - next()) * mean,
  };
}

/** What a client may do in a channel. */
type Role = "sendrecv" | "sendonly" | "recvonly";

/** A client in a channel of the demo project. */
export interface Visitor {
  /** The channel's name, without the project. */
  readonly channel: string;
  readonly role: Role;
  readonly clientId: string;
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

export function drawVisitor(random: Random): Visitor {
  const role = random.pick(roles);
  return { channel: random.pick(channels), role, clientId: `${random.pick(devices[role])}-${random.int(1, 60)}` };
}

/** The paths of the five listings. */
export const listings = [
  "/orgs/list-session-logs",
  "/orgs/list-connection-logs",
  "/orgs/list-api-logs",
  "/orgs/list-media-api-logs",
  "/orgs/list-webhook-logs",
] as const;
