import type { TokenClaims } from "./claims.js";
import { REVOKED } from "./errors.js";
import { splitChannelId } from "./formats.js";
import type { RevocationList } from "./revocations.js";

/** A client that wants to connect, with the members of the media server's auth webhook. */
export interface ConnectionAttempt {
  channel_id: string;
  role: string;
  /** The current number of connections in the channel. */
  channel_connections: number;
}

/** Options of {@link decideAdmission}. */
export interface DecideAdmissionOptions {
  /**
   * The project that owns the key which verified the token: the channel must belong to it.
   * @default channels of any project
   */
  project_id?: string | undefined;
  /** What the project has revoked. @default nothing */
  revocations?: RevocationList | undefined;
}

/** The rule that refused an attempt. */
export type AdmissionRule =
  | "other-project"
  | "other-channel"
  | "revoked"
  | "other-role"
  | "no-connections"
  | "channel-full";

/** A client that may not connect, and why. The reason holds no secret. */
export interface RefusedAdmission {
  allowed: false;
  rule: AdmissionRule;
  reason: string;
  /** For `channel-full`: how many connections the channel has, and how many the token allows. */
  seats?: { taken: number; limit: number } | undefined;
}

/** Whether a client may connect, and if not, why. */
export type Admission = { allowed: true } | RefusedAdmission;

/**
 * Decides whether a token allows a client to connect.
 *
 * @param claims The claims that {@link verifyToken} returned.
 */
export function decideAdmission(
  claims: TokenClaims,
  attempt: ConnectionAttempt,
  { project_id, revocations }: DecideAdmissionOptions = {},
): Admission {
  const { channel_id, role, max_channel_connections: most } = claims;
  const connections = attempt.channel_connections;

  if (project_id !== undefined && splitChannelId(attempt.channel_id)?.projectId !== project_id) {
    return refused("other-project", "The channel does not belong to the token's project.");
  }
  if (channel_id !== undefined && channel_id !== attempt.channel_id) {
    return refused("other-channel", "The token is for another channel.");
  }
  if (revocations?.find(claims, attempt.channel_id)) return refused("revoked", REVOKED);
  if (role !== undefined && role !== attempt.role) {
    return refused("other-role", `The token is for the role ${role} only.`);
  }
  if (most === 0) {
    return refused("no-connections", "The token allows no connection at all: its max_channel_connections is 0.");
  }
  // Not "connections >= most", which would admit a client without a number.
  if (most !== undefined && !(connections < most)) {
    const allowed = most === 1 ? "1 connection" : `${most} connections`;
    const reason = `The token allows ${allowed} in the channel, which has ${connections}.`;
    return { ...refused("channel-full", reason), seats: { taken: connections, limit: most } };
  }
  return { allowed: true };
}

function refused(rule: AdmissionRule, reason: string): RefusedAdmission {
  return { allowed: false, rule, reason };
}
