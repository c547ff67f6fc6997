import type { Random } from "./random.js";

/** What a client may do in a channel. */
type Role = "sendrecv" | "sendonly" | "recvonly";

/** A client that comes to a channel. */
export interface Visitor {
  /** The channel's name, without the project. */
  readonly channel: string;
  readonly role: Role;
  readonly clientId: string;
}

/** Some are busier than others. */
export const channels = ["lobby", "stage", "class", "studio", "clinic"] as const;

const crowd = ["lobby", "lobby", "lobby", "stage", "stage", "class", "class", "studio", "clinic"] as const;
const roles = ["sendrecv", "sendrecv", "sendonly", "recvonly", "recvonly", "recvonly"] as const;
const devices: Readonly<Record<Role, readonly [string, ...string[]]>> = {
  sendrecv: ["laptop", "phone", "tablet"],
  sendonly: ["camera", "mixer"],
  recvonly: ["phone", "laptop", "tv"],
};

export function drawVisitor(random: Random, channel: string = random.pick(crowd)): Visitor {
  const role = random.pick(roles);
  return { channel, role, clientId: `${random.pick(devices[role])}-${random.int(1, 60)}` };
}
