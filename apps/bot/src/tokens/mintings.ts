import { randomUUID } from "node:crypto";
import type { Storage } from "../storage/open-storage.js";

/** That an access token was made, by whom and what it allows: all but the token. */
export interface Minting {
  readonly teamId: string;
  readonly userId: string;
  /** The conversation in Slack where it was asked for. */
  readonly placeId: string;
  /** Times are in ms since 1970. */
  readonly at: number;
  readonly projectId: string;
  readonly jti: string;
  /** The media channel; absent where the token is for every channel. */
  readonly channelId?: string | undefined;
  /** Absent where it is bound to no role. */
  readonly role?: string | undefined;
  readonly startsAt?: number | undefined;
  readonly endsAt?: number | undefined;
  readonly maxConnections?: number | undefined;
  /** What whoever asked has written. */
  readonly reason?: string | undefined;
}

/** Which mintings are asked for. */
interface MintingsWanted {
  /** @default those of everyone */
  readonly userId?: string | undefined;
  readonly limit: number;
}

/** The record of all access tokens that were made. */
export interface Mintings {
  record(minting: Minting): Promise<void>;
  /** The newest first. */
  latest(teamId: string, wanted: MintingsWanted): Promise<Minting[]>;
}

export function createMintings({ query }: Storage): Mintings {
  return {
    async record(minting) {
      await query
        .insertInto("minting")
        .values({
          team_id: minting.teamId,
          at: minting.at,
          minting_id: randomUUID(),
          jti: minting.jti,
          user_id: minting.userId,
          place_id: minting.placeId,
          project_id: minting.projectId,
          channel_id: minting.channelId ?? null,
          role: minting.role ?? null,
          starts_at: storable(minting.startsAt),
          ends_at: storable(minting.endsAt),
          max_connections: minting.maxConnections ?? null,
          reason: minting.reason ?? null,
        })
        .execute();
    },

    async latest(teamId, { userId, limit }) {
      const rows = await query
        .selectFrom("minting")
        .selectAll()
        .where("team_id", "=", teamId)
        .$if(userId !== undefined, (all) => all.where("user_id", "=", userId ?? ""))
        .orderBy("at", "desc")
        // The same way, so that an index gives them in this order.
        .orderBy("minting_id", "desc")
        .limit(limit)
        .execute();
      return rows.map((row) => ({
        teamId: row.team_id,
        userId: row.user_id,
        placeId: row.place_id,
        at: row.at,
        projectId: row.project_id,
        jti: row.jti,
        channelId: row.channel_id ?? undefined,
        role: row.role ?? undefined,
        startsAt: row.starts_at ?? undefined,
        endsAt: row.ends_at ?? undefined,
        maxConnections: row.max_connections ?? undefined,
        reason: row.reason ?? undefined,
      }));
    },
  };
}

/** A token may name any time, such as a year that has more digits than a database takes. */
function storable(time: number | undefined): number | null {
  if (time === undefined) return null;
  return Math.round(Math.min(Math.max(time, Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER));
}
