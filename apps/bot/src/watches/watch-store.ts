import { randomBytes } from "node:crypto";
import { EventEmitter } from "node:events";
import type { Incident } from "@media-ops/formatters";
import type { LogKind } from "@media-ops/sdk";
import { type Kysely, type Selectable, sql, type Transaction, type Updateable } from "kysely";
import type { Served } from "../slack/people.js";
import { changesAny, type Storage } from "../storage/open-storage.js";
import type { Tables } from "../storage/tables.js";
import { readWatchCommand, type WatchCommand } from "./rule.js";

/** A watch of a workspace. */
export interface Watch {
  readonly id: string;
  readonly teamId: string;
  readonly command: WatchCommand;
  /** The command as text. */
  readonly text: string;
  /** The time zone of its quiet hours. */
  readonly timeZone: string;
  /** The conversation in Slack that it posts to. */
  readonly placeId: string;
  readonly createdBy: string;
  readonly createdAt: number;
  readonly mutedUntil: number | undefined;
  /** Why it doesn't look, as a sentence; undefined if it does. */
  readonly paused: string | undefined;
  /** The URL outside Slack that it posts to, encrypted. */
  readonly target: string | undefined;
  /** When its log was last read; undefined if it never was. */
  readonly lookedAt: number | undefined;
}

/** What can be changed of a watch. */
export type WatchChange = Partial<
  Pick<Watch, "text" | "timeZone" | "placeId" | "mutedUntil" | "paused" | "target"> & { command: WatchCommand }
>;

/** The purpose that a watch's target is encrypted for. */
export const targetPurpose = (teamId: string, watchId: string): string => `watch ${JSON.stringify([teamId, watchId])}`;

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

/** The watches of all workspaces, and the state of those that run them. */
export class WatchStore {
  readonly #query: Kysely<Tables>;
  readonly #now: () => number;
  /** Emits `change` after each change by a person in this process. */
  readonly events = new EventEmitter<{ change: [] }>();

  constructor({ query }: Storage, now: () => number) {
    this.#query = query;
    this.#now = now;
  }

  /** All watches of a workspace, oldest first. */
  async all(teamId: string): Promise<Watch[]> {
    const rows = await this.#query
      .selectFrom("watch")
      .leftJoin("watch_follower", (join) =>
        join
          .onRef("watch_follower.team_id", "=", "watch.team_id")
          .onRef("watch_follower.project_id", "=", "watch.project_id")
          .onRef("watch_follower.kind", "=", "watch.kind"),
      )
      .selectAll("watch")
      .select("watch_follower.saved_at as looked_at")
      .where("watch.team_id", "=", teamId)
      .orderBy("watch.created_at")
      .orderBy("watch.watch_id")
      .execute();
    return rows.flatMap((row) => watchOf(row) ?? []);
  }

  async one(teamId: string, watchId: string): Promise<Watch | undefined> {
    const all = await this.all(teamId);
    return all.find(({ id }) => id === watchId);
  }

  /** Adds watches of one person in one conversation; returns them. */
  async add(
    served: Served,
    watches: readonly Pick<Watch, "command" | "text" | "timeZone" | "placeId" | "createdBy">[],
  ): Promise<Watch[]> {
    const { teamId } = served;
    const added = watches.map((watch) => ({
      ...watch,
      id: randomBytes(6).toString("base64url"),
      teamId,
      createdAt: this.#now(),
      mutedUntil: undefined,
      paused: undefined,
      target: undefined,
      lookedAt: undefined,
    }));
    await this.#changing(served, async (transaction) => {
      for (const { id, command, text, timeZone, placeId, createdBy, createdAt } of added) {
        const row = { team_id: teamId, watch_id: id, project_id: command.in, kind: command.kind, command: text };
        const rest = { time_zone: timeZone, place_id: placeId, created_by: createdBy, created_at: createdAt };
        await transaction
          .insertInto("watch")
          .values({ ...row, ...rest })
          .execute();
      }
    });
    return added;
  }

  /** Changes a watch; false if it is gone. */
  change(served: Served, watchId: string, change: WatchChange): Promise<boolean> {
    const { command, text, timeZone, placeId } = change;
    const row = {
      ...(command && { project_id: command.in, kind: command.kind }),
      ...(text !== undefined && { command: text }),
      ...(timeZone !== undefined && { time_zone: timeZone }),
      ...(placeId !== undefined && { place_id: placeId }),
      ...("mutedUntil" in change && { muted_until: change.mutedUntil ?? null }),
      ...("paused" in change && { paused: change.paused ?? null }),
      ...("target" in change && { target: change.target ?? null }),
    };
    return this.#changing(served, (transaction) => changesAny(updateWatch(transaction, served, watchId).set(row)));
  }

  /** Pauses a watch that looks; false if it doesn't, or is gone. */
  pause(served: Served, watchId: string, reason: string): Promise<boolean> {
    return this.#changing(served, (transaction) =>
      changesAny(updateWatch(transaction, served, watchId).set({ paused: reason }).where("paused", "is", null)),
    );
  }

  /** Resumes the watches of a project that are paused for one of these reasons. */
  async resume(served: Served, projectId: string, reasons: readonly string[]): Promise<void> {
    if ((await this.all(served.teamId)).length === 0) return;
    await this.#changing(served, (transaction) =>
      transaction
        .updateTable("watch")
        .set({ paused: null })
        .where("team_id", "=", served.teamId)
        .where("project_id", "=", projectId)
        .where("paused", "in", [...reasons])
        .execute(),
    );
  }

  /** Removes a watch; false if it was gone already. */
  remove(served: Served, watchId: string): Promise<boolean> {
    return this.#changing(served, (transaction) =>
      changesAny(
        transaction
          .deleteFrom("watch")
          .where("team_id", "=", served.teamId)
          .where("watch_id", "=", watchId)
          .returning("watch_id"),
      ),
    );
  }

  /** Records who takes care of an incident; false if somebody did already. */
  take(served: Served, watchId: string, beganAt: number, userId: string): Promise<boolean> {
    return this.#changing(served, (transaction) =>
      changesAny(
        transaction
          .updateTable("watch_incident")
          .set({ taken_by: userId, taken_at: this.#now() })
          .where("team_id", "=", served.teamId)
          .where("watch_id", "=", watchId)
          .where("began_at", "=", beganAt)
          .where("taken_by", "is", null)
          .returning("watch_id"),
      ),
    );
  }

  /** The newest incident of each watch. */
  async newest(teamId: string): Promise<ReadonlyMap<string, StoredIncident>> {
    const newest = this.#query
      .selectFrom("watch_incident")
      .select((row) => ["watch_id as id", row.fn.max("began_at").as("at")])
      .where("team_id", "=", teamId)
      .groupBy("watch_id")
      .as("newest");
    const rows = await this.#query
      .selectFrom("watch_incident")
      .innerJoin(newest, (join) =>
        join.onRef("newest.id", "=", "watch_incident.watch_id").onRef("newest.at", "=", "watch_incident.began_at"),
      )
      .selectAll("watch_incident")
      .where("team_id", "=", teamId)
      .execute();
    return new Map(rows.map((row) => [row.watch_id, incidentOf(row)]));
  }

  /** Marks a workspace's settings as changed, so that the process that runs them reads them again. */
  touch(served: Served): Promise<void> {
    return this.#changing(served, () => Promise.resolve());
  }

  async #changing<T>(served: Served, change: (transaction: Transaction<Tables>) => Promise<T>): Promise<T> {
    const result = await this.#query.transaction().execute(async (transaction) => {
      // Always first, as in all other transactions of a workspace, to avoid deadlocks.
      await this.#touch(served, transaction);
      return change(transaction);
    });
    this.events.emit("change");
    return result;
  }

  async #touch(served: Served, query: Kysely<Tables>): Promise<void> {
    const { teamId } = served;
    await query
      .insertInto("watch_team")
      .values({ team_id: teamId, served: JSON.stringify(served), version: 1 })
      .onConflict((conflict) =>
        conflict
          .column("team_id")
          .doUpdateSet((row) => ({ served: row.ref("excluded.served"), version: row("watch_team.version", "+", 1) })),
      )
      .execute();
  }

  // What follows is written only by the process that runs the workspace.

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

  /** Deletes all that is stored of a workspace's watches, digests and questions. */
  forget(teamId: string): Promise<void> {
    return this.#query.transaction().execute(async (transaction) => {
      const tables = ["watch_team", "watch", "watch_follower", "watch_incident", "digest", "question"] as const;
      for (const table of tables) await transaction.deleteFrom(table).where("team_id", "=", teamId).execute();
    });
  }
}

/** An update of one watch, which returns it if it is there. */
const updateWatch = (query: Kysely<Tables>, { teamId }: Served, watchId: string) =>
  query.updateTable("watch").where("team_id", "=", teamId).where("watch_id", "=", watchId).returning("watch_id");

function watchOf(row: Selectable<Tables["watch"]> & { looked_at: number | null }): Watch | undefined {
  const command = readWatchCommand(row.command);
  // A newer bot may know more than this one.
  if (!command) return undefined;
  return {
    id: row.watch_id,
    teamId: row.team_id,
    command,
    text: row.command,
    timeZone: row.time_zone,
    placeId: row.place_id,
    createdBy: row.created_by,
    createdAt: row.created_at,
    mutedUntil: row.muted_until ?? undefined,
    paused: row.paused ?? undefined,
    target: row.target ?? undefined,
    lookedAt: row.looked_at ?? undefined,
  };
}

/** A stored incident. */
function incidentOf(row: Selectable<Tables["watch_incident"]>): StoredIncident {
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
