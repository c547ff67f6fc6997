import type { Incident } from "@media-ops/formatters";
import type { LogKind } from "@media-ops/sdk";
import { type Kysely, type Selectable, sql, type Transaction, type Updateable } from "kysely";
import type { Served } from "../slack/people.js";
import type { Storage } from "../storage/open-storage.js";
import { changesAny } from "../storage/open-storage.js";
import type { Tables } from "../storage/tables.js";

/** An incident that was just found: Slack shows nothing of it yet. */
export const NOT_SHOWN = {
  isOpen: true,
  messageTs: undefined,
  postingAt: undefined,
  shown: undefined,
  shownAt: undefined,
  noted: undefined,
  takenBy: undefined,
  takenAt: undefined,
  sent: undefined,
} as const satisfies Partial<StoredIncident>;

/** A workspace with watches or digests. */
export interface WatchTeam {
  readonly served: Served;
  /** Changes with each change by a person. */
  readonly version: number;
  readonly owner: string | undefined;
  readonly until: number | undefined;
}

/** An incident of a watch, with what Slack shows of it. */
export interface StoredIncident {
  readonly watchId: string;
  readonly beganAt: number;
  readonly placeId: string;
  readonly projectId: string;
  readonly kind: LogKind;
  readonly incident: Incident;
  /** Whether something may be left to show. */
  readonly isOpen: boolean;
  readonly messageTs: string | undefined;
  /** When the message began to be posted, if it isn't known whether it was. */
  readonly postingAt: number | undefined;
  /** The hash of what the message shows, and since when. */
  readonly shown: string | undefined;
  readonly shownAt: number | undefined;
  /** The incident as the last note in its thread had it. */
  readonly noted: Incident | undefined;
  readonly takenBy: string | undefined;
  readonly takenAt: number | undefined;
  /** What was sent to the URL outside Slack. */
  readonly sent: string | undefined;
}

/** How far a log was read for its watches. */
export interface SavedFollower {
  readonly projectId: string;
  readonly kind: string;
  readonly cursor: string | undefined;
  readonly state: string;
}

/** This process no longer runs a workspace's watches: another one does. */
export class LeaseLostError extends Error {
  override readonly name = "LeaseLostError";
}

/** How long a process that has died keeps a workspace's watches. */
export const LEASE_MS = 8000;

/** The state of watches: written only by the process that runs their workspace. */
export class RunStore {
  readonly #query: Kysely<Tables>;
  readonly #now: () => number;

  constructor({ query }: Storage, now: () => number) {
    this.#query = query;
    this.#now = now;
  }

  /** All workspaces with watches or digests. */
  async teams(): Promise<WatchTeam[]> {
    const rows = await this.#query.selectFrom("watch_team").selectAll().execute();
    return rows.map(({ served, version, owner, until }) => {
      // Only `touch` writes it.
      return { served: JSON.parse(served) as Served, version, owner: owner ?? undefined, until: until ?? undefined };
    });
  }

  /** Takes a workspace's watches over from a process that has them until a time; false if that still has them. */
  claim(teamId: string, owner: string, former: Pick<WatchTeam, "owner" | "until">): Promise<boolean> {
    return changesAny(
      this.#query
        .updateTable("watch_team")
        .set({ owner, until: this.#now() + LEASE_MS })
        .where("team_id", "=", teamId)
        .where("owner", former.owner === undefined ? "is" : "=", former.owner ?? null)
        .where("until", former.until === undefined ? "is" : "=", former.until ?? null)
        .returning("team_id"),
    );
  }

  /** Prolongs the lease of a workspace; false if another process runs it. */
  renew(teamId: string, owner: string, query: Kysely<Tables> = this.#query): Promise<boolean> {
    return changesAny(
      query
        .updateTable("watch_team")
        .set({ until: this.#now() + LEASE_MS })
        .where("team_id", "=", teamId)
        .where("owner", "=", owner)
        .returning("team_id"),
    );
  }

  /** Gives workspaces back, so that another process can run them at once. */
  async release(owner: string): Promise<void> {
    await this.#query.updateTable("watch_team").set({ owner: null, until: null }).where("owner", "=", owner).execute();
  }

  /**
   * Writes in one transaction what the process that runs a workspace found, and prolongs its lease.
   *
   * @throws {LeaseLostError} if another process runs it; then nothing is written.
   */
  write<T>(teamId: string, owner: string, work: (transaction: Transaction<Tables>) => Promise<T>): Promise<T> {
    return this.#query.transaction().execute(async (transaction) => {
      if (await this.renew(teamId, owner, transaction)) return work(transaction);
      throw new LeaseLostError(`Another process runs the watches of ${teamId}.`);
    });
  }

  async followers(teamId: string): Promise<SavedFollower[]> {
    const rows = await this.#query.selectFrom("watch_follower").selectAll().where("team_id", "=", teamId).execute();
    return rows.map(({ project_id, kind, cursor, state }) => {
      return { projectId: project_id, kind, cursor: cursor ?? undefined, state };
    });
  }

  async saveFollower(
    teamId: string,
    { projectId, kind, cursor, state }: SavedFollower,
    query: Kysely<Tables>,
  ): Promise<void> {
    const row = { cursor: cursor ?? null, state, saved_at: this.#now() };
    await query
      .insertInto("watch_follower")
      .values({ team_id: teamId, project_id: projectId, kind, ...row })
      .onConflict((conflict) => conflict.columns(["team_id", "project_id", "kind"]).doUpdateSet(row))
      .execute();
  }

  /** Forgets a log that no watch needs any more. */
  async dropFollower(teamId: string, projectId: string, kind: string): Promise<void> {
    await this.#query
      .deleteFrom("watch_follower")
      .where("team_id", "=", teamId)
      .where("project_id", "=", projectId)
      .where("kind", "=", kind)
      .execute();
  }

  /** The incidents of a workspace of which something may be left to show. */
  async openIncidents(teamId: string): Promise<StoredIncident[]> {
    const rows = await this.#query
      .selectFrom("watch_incident")
      .selectAll()
      .where("team_id", "=", teamId)
      // Written into the statement: PostgreSQL doesn't use the index of these for a parameter.
      .where("is_open", "=", sql.lit(1))
      .execute();
    return rows.map(incidentOf);
  }

  /** Stores an incident as its watch sees it, without what Slack shows. */
  async saveIncident(teamId: string, found: StoredIncident, query: Kysely<Tables>): Promise<void> {
    const { watchId, beganAt, placeId, projectId, kind, incident, isOpen } = found;
    const seen = { incident: JSON.stringify(incident), is_open: isOpen ? 1 : 0 };
    const row = { watch_id: watchId, began_at: beganAt, place_id: placeId, project_id: projectId, kind };
    await query
      .insertInto("watch_incident")
      .values({ team_id: teamId, ...row, ...seen })
      .onConflict((conflict) => conflict.columns(["team_id", "watch_id", "began_at"]).doUpdateSet(seen))
      .execute();
  }

  /** Stores what Slack shows of an incident. */
  async saveShown(teamId: string, found: StoredIncident, query: Kysely<Tables>): Promise<void> {
    const { messageTs, postingAt, shown, shownAt, noted, isOpen } = found;
    await this.#update(
      teamId,
      found,
      {
        message_ts: messageTs ?? null,
        posting_at: postingAt ?? null,
        shown: shown ?? null,
        shown_at: shownAt ?? null,
        noted: noted ? JSON.stringify(noted) : null,
        is_open: isOpen ? 1 : 0,
      },
      query,
    );
  }

  /** Stores what was sent outside Slack: apart from what Slack shows, because both happen at the same time. */
  saveSent(teamId: string, found: StoredIncident, query: Kysely<Tables>): Promise<void> {
    return this.#update(teamId, found, { sent: found.sent ?? null }, query);
  }

  async #update(
    teamId: string,
    { watchId, beganAt }: StoredIncident,
    row: Updateable<Tables["watch_incident"]>,
    query: Kysely<Tables>,
  ): Promise<void> {
    await query
      .updateTable("watch_incident")
      .set(row)
      .where("team_id", "=", teamId)
      .where("watch_id", "=", watchId)
      .where("began_at", "=", beganAt)
      .execute();
  }
}

/** A stored incident. */
export function incidentOf(row: Selectable<Tables["watch_incident"]>): StoredIncident {
  // Only this store writes them.
  const read = (text: string): Incident => JSON.parse(text) as Incident;
  return {
    watchId: row.watch_id,
    beganAt: row.began_at,
    placeId: row.place_id,
    projectId: row.project_id,
    kind: row.kind as LogKind,
    incident: read(row.incident),
    isOpen: row.is_open === 1,
    messageTs: row.message_ts ?? undefined,
    postingAt: row.posting_at ?? undefined,
    shown: row.shown ?? undefined,
    shownAt: row.shown_at ?? undefined,
    noted: row.noted === null ? undefined : read(row.noted),
    takenBy: row.taken_by ?? undefined,
    takenAt: row.taken_at ?? undefined,
    sent: row.sent ?? undefined,
  };
}
