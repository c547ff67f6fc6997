import { randomBytes } from "node:crypto";
import { EventEmitter } from "node:events";
import type { Kysely, Selectable, Transaction } from "kysely";
import type { Served } from "../slack/people.js";
import type { Storage } from "../storage/open-storage.js";
import { changesAny } from "../storage/open-storage.js";
import type { Tables } from "../storage/tables.js";
import { readWatchCommand, type WatchCommand } from "./rule.js";
import { incidentOf, type StoredIncident } from "./run-store.js";

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
