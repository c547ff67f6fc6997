import { randomUUID } from "node:crypto";
import type { Selectable } from "kysely";
import type { Storage } from "../storage/open-storage.js";
import type { Tables } from "../storage/tables.js";

/** The record of an access token: who made it and what it allows, without the token. */
export interface Minting {
  readonly teamId: string;
  readonly userId: string;
  /** The conversation in Slack in which it was requested. */
  readonly placeId: string;
  /** Times are in ms since 1970. */
  readonly at: number;
  readonly projectId: string;
  readonly jti: string;
  /** The media channel; undefined if the token is for every channel. */
  readonly channelId?: string | undefined;
  /** Undefined if the token has no role. */
  readonly role?: string | undefined;
  readonly startsAt?: number | undefined;
  readonly endsAt?: number | undefined;
  readonly maxConnections?: number | undefined;
  /** The reason that the person entered. */
  readonly reason?: string | undefined;
}

/** The records of all access tokens. */
export class Mintings {
  readonly #query;

  constructor({ query }: Storage) {
    this.#query = query;
  }

  /** Adds a record. */
  async record(minting: Minting): Promise<void> {
    const row = {
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
    };
    await this.#query.insertInto("minting").values(row).execute();
  }

  /** The newest records of a workspace, or of one person in it; the newest first. */
  async latest(
    teamId: string,
    { userId, limit }: { readonly userId?: string; readonly limit: number },
  ): Promise<Minting[]> {
    const rows = await this.#query
      .selectFrom("minting")
      .selectAll()
      .where("team_id", "=", teamId)
      .$if(userId !== undefined, (all) => all.where("user_id", "=", userId ?? ""))
      .orderBy("at", "desc")
      // The same direction as above, so that an index provides this order.
      .orderBy("minting_id", "desc")
      .limit(limit)
      .execute();
    return rows.map(mintingOf);
  }
}

const mintingOf = (row: Selectable<Tables["minting"]>): Minting => ({
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
});

/** A token may name any time, such as a year with more digits than a database accepts. */
function storable(time: number | undefined): number | null {
  if (time === undefined) return null;
  return Math.round(Math.min(Math.max(time, Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER));
}
