import { randomBytes } from "node:crypto";
import { EventEmitter } from "node:events";
import { type DailySpan, type LogWhere, type Threshold, whereOf } from "@media-ops/commands";
import type { Incident } from "@media-ops/formatters";
import type { LogKind } from "@media-ops/sdk";
import { type Kysely, sql, type Transaction, type Updateable } from "kysely";
import { type CommandNamed, language } from "../language.js";
import type { Served } from "../slack/people.js";
import { changesAny, type Storage } from "../storage/open-storage.js";
import { type Entity, fromRow, type Tables, toRow } from "../storage/tables.js";

interface Volume {
  readonly command: WatchCommand;
  readonly timeZone: string;
  readonly mutedUntil?: number | undefined;
  readonly paused?: string | undefined;
}

/** The command of a watch, with its project. */
export type WatchCommand = CommandNamed<"watch"> & { readonly in: string };

/** What a watch looks for. */
export interface Rule {
  readonly kind: LogKind;
  readonly where: LogWhere;
  readonly measure: Threshold["measure"];
  readonly limit: number;
  readonly orEqual: boolean;
  readonly overMs: number;
}

/** A single entry is enough, unless the command says otherwise. */
const ANY: Threshold = { measure: "count", limit: 0, orEqual: false };

const OVER_MS = 5 * 60_000;

/** The rule of a command. */
export function ruleOf({ kind, filters, when = ANY, over = OVER_MS, in: project }: WatchCommand): Rule {
  return { kind, where: whereOf(kind, filters, project), ...when, overMs: over };
}

/** Whether a value is beyond the limit. */
export const exceeds = ({ limit, orEqual }: Rule, value: number): boolean => (orEqual ? value >= limit : value > limit);

/** Parses the stored text of a watch's command; undefined if this bot doesn't know it. */
export function readWatchCommand(text: string): WatchCommand | undefined {
  // No part of a watch depends on the current time.
  const read = language.parse(text, { now: 0 });
  if (!read.ok || read.command.name !== "watch" || read.command.in === undefined) return undefined;
  return { ...read.command, in: read.command.in };
}

/** Whether a time is within the quiet hours of a watch, in the time zone of the person who set them. */
export function isQuiet(quiet: DailySpan | undefined, timeZone: string, time: number): boolean {
  if (!quiet) return false;
  const minute = minuteOf(time, timeZone);
  const { from, to } = quiet;
  return from < to ? minute >= from && minute < to : minute >= from || minute < to;
}

/** Whether a watch may speak at a time. */
export const isLoudAt = ({ command, timeZone, mutedUntil, paused }: Volume, time: number): boolean =>
  paused === undefined && (mutedUntil ?? 0) <= time && !isQuiet(command.quiet, timeZone, time);

/** The minute of the day in a time zone. */
export function minuteOf(time: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat("en", { timeZone, hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  const [hour = 0, minute = 0] = parts.format(time).split(":").map(Number);
  return hour * 60 + minute;
}

type Row<Name extends keyof Tables> = Entity<Tables[Name]>;

/** A watch of a workspace. `paused` says why it doesn't look, as a sentence; `target` is encrypted. */
export interface Watch extends Omit<Row<"watch">, "watchId" | "projectId" | "kind" | "command"> {
  readonly id: string;
  readonly command: WatchCommand;
  readonly text: string;
  /** When its log was last read; undefined if it never was. */
  readonly lookedAt?: number | undefined;
}

/** What can be changed of a watch. */
export type WatchChange = Partial<
  Pick<Watch, "text" | "timeZone" | "placeId" | "mutedUntil" | "paused" | "target" | "command">
>;

/** The purpose that a watch's target is encrypted for. */
export const targetPurpose = (teamId: string, watchId: string): string => `watch ${JSON.stringify([teamId, watchId])}`;

/** A workspace with watches or digests. Its version changes with each change by a person. */
export interface WatchTeam extends Omit<Row<"watch_team">, "teamId" | "served"> {
  readonly served: Served;
}

/**
 * An incident of a watch, with what Slack shows of it: `postingAt` is when the message began to be posted, if it isn't
 * known whether it was; `shown` the hash of what it shows; `sent` what was sent to the URL outside Slack.
 */
export interface StoredIncident
  extends Omit<Row<"watch_incident">, "teamId" | "kind" | "incident" | "isOpen" | "noted"> {
  readonly kind: LogKind;
  readonly incident: Incident;
  /** Whether something may be left to show. */
  readonly isOpen: boolean;
  /** The incident as the last note in its thread had it. */
  readonly noted?: Incident | undefined;
}

/** How far a log was read for its watches. */
export type SavedFollower = Omit<Row<"watch_follower">, "teamId" | "savedAt">;

/** A project's figures of a day, posted daily at a minute; `paused` says why none was posted the last time. */
export type Digest = Entity<Omit<Tables["digest"], "team_id">>;

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

  /** All watches of a workspace, oldest first; without those of a newer bot, which may know more than this one. */
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
    return rows.flatMap(({ watch_id: id, command: text, ...row }) => {
      const command = readWatchCommand(text);
      return command ? [{ ...fromRow(row), id, text, command }] : [];
    });
  }

  async one(teamId: string, watchId: string): Promise<Watch | undefined> {
    return (await this.all(teamId)).find(({ id }) => id === watchId);
  }

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
    }));
    await this.#changing(served, async (transaction) => {
      for (const { id: watchId, command, text, timeZone, placeId, createdBy, createdAt } of added) {
        const { in: projectId, kind } = command;
        const row = { teamId, watchId, projectId, kind, command: text, timeZone, placeId, createdBy, createdAt };
        await transaction.insertInto("watch").values(toRow(row)).execute();
      }
    });
    return added;
  }

  change(served: Served, watchId: string, { command, text, ...change }: WatchChange): Promise<boolean> {
    const row = {
      ...toRow(change),
      ...(command && { project_id: command.in, kind: command.kind }),
      ...(text !== undefined && { command: text }),
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
        .where((row) => row.and({ team_id: served.teamId, project_id: projectId }))
        .where("paused", "in", [...reasons])
        .execute(),
    );
  }

  remove(served: Served, watchId: string): Promise<boolean> {
    return this.#changing(served, (transaction) =>
      changesAny(
        transaction
          .deleteFrom("watch")
          .where((row) => row.and({ team_id: served.teamId, watch_id: watchId }))
          .returning("watch_id"),
      ),
    );
  }

  /** Records who takes care of an incident; false if somebody did already. */
  take(served: Served, watchId: string, beganAt: number, userId: string): Promise<boolean> {
    return this.#changing(served, (transaction) =>
      changesAny(
        updateIncident(transaction, served.teamId, { watchId, beganAt })
          .set({ taken_by: userId, taken_at: this.#now() })
          .where("taken_by", "is", null)
          .returning("watch_id"),
      ),
    );
  }

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
      await transaction
        .insertInto("watch_team")
        .values({ team_id: served.teamId, served: JSON.stringify(served), version: 1 })
        .onConflict((conflict) =>
          conflict.column("team_id").doUpdateSet((row) => ({
            served: row.ref("excluded.served"),
            version: row("watch_team.version", "+", 1),
          })),
        )
        .execute();
      return change(transaction);
    });
    this.events.emit("change");
    return result;
  }

  // What follows is written only by the process that runs the workspace.

  async teams(): Promise<WatchTeam[]> {
    const rows = await this.#query.selectFrom("watch_team").selectAll().execute();
    // Only `touch` writes it.
    return rows.map((row) => ({ ...fromRow(row), served: JSON.parse(row.served) as Served }));
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
        .where((row) => row.and({ team_id: teamId, owner }))
        .returning("team_id"),
    );
  }

  /** Gives workspaces back, so that another process can run them at once. */
  async release(owner: string): Promise<void> {
    await this.#query.updateTable("watch_team").set({ owner: null, until: null }).where("owner", "=", owner).execute();
  }

  /** Writes in one transaction what was found, and prolongs the lease; without it, throws {@link LeaseLostError}. */
  write<T>(teamId: string, owner: string, work: (transaction: Transaction<Tables>) => Promise<T>): Promise<T> {
    return this.#query.transaction().execute(async (transaction) => {
      if (await this.renew(teamId, owner, transaction)) return work(transaction);
      throw new LeaseLostError(`Another process runs the watches of ${teamId}.`);
    });
  }

  async followers(teamId: string): Promise<SavedFollower[]> {
    const rows = await this.#query
      .selectFrom("watch_follower")
      .select(["project_id", "kind", "cursor", "state"])
      .where("team_id", "=", teamId)
      .execute();
    return rows.map(fromRow);
  }

  async saveFollower(teamId: string, follower: SavedFollower, query: Kysely<Tables>): Promise<void> {
    const row = toRow({ ...follower, savedAt: this.#now() });
    await query
      .insertInto("watch_follower")
      .values({ team_id: teamId, ...row })
      .onConflict((conflict) => conflict.columns(["team_id", "project_id", "kind"]).doUpdateSet(row))
      .execute();
  }

  async dropFollower(teamId: string, { projectId, kind }: SavedFollower): Promise<void> {
    await this.#query
      .deleteFrom("watch_follower")
      .where((row) => row.and({ team_id: teamId, project_id: projectId, kind }))
      .execute();
  }

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
    await query
      .insertInto("watch_incident")
      .values({ ...toRow({ teamId, watchId, beganAt, placeId, projectId, kind }), ...seen })
      .onConflict((conflict) => conflict.columns(["team_id", "watch_id", "began_at"]).doUpdateSet(seen))
      .execute();
  }

  /** Stores what Slack shows of an incident, or what was sent outside Slack: both happen at the same time. */
  async saveShown(
    teamId: string,
    found: Pick<StoredIncident, "watchId" | "beganAt">,
    { noted, isOpen, ...shown }: ShownChange,
    query: Kysely<Tables>,
  ): Promise<void> {
    const row = {
      ...toRow(shown),
      ...(noted && { noted: JSON.stringify(noted) }),
      ...(isOpen !== undefined && { is_open: isOpen ? 1 : 0 }),
    };
    await updateIncident(query, teamId, found).set(row).execute();
  }

  async digests(teamId: string): Promise<Digest[]> {
    const rows = await this.#query.selectFrom("digest").selectAll().where("team_id", "=", teamId).execute();
    return rows.map(({ team_id: _, ...row }) => fromRow(row));
  }

  async setDigest(served: Served, digest: Digest): Promise<void> {
    const row = toRow(digest);
    await this.#changing(served, (transaction) =>
      transaction
        .insertInto("digest")
        .values({ team_id: served.teamId, ...row })
        .onConflict((conflict) => conflict.columns(["team_id", "place_id", "project_id"]).doUpdateSet(row))
        .execute(),
    );
  }

  endDigest(teamId: string, { placeId, projectId }: Pick<Digest, "placeId" | "projectId">): Promise<boolean> {
    const digest = this.#query.deleteFrom("digest").returning("project_id");
    return changesAny(digest.where((row) => row.and({ team_id: teamId, place_id: placeId, project_id: projectId })));
  }

  /** Changes a digest; false if somebody else did meanwhile. */
  changeDigest(teamId: string, { placeId, projectId, nextAt }: Digest, row: Updateable<Tables["digest"]>) {
    const digest = this.#query.updateTable("digest").set(row).returning("project_id");
    const key = { team_id: teamId, place_id: placeId, project_id: projectId };
    return changesAny(digest.where((row) => row.and({ ...key, next_at: nextAt })));
  }
}

/** A change of what Slack, or a URL outside Slack, shows of an incident. */
export type ShownChange = Partial<
  Pick<StoredIncident, "messageTs" | "postingAt" | "shown" | "shownAt" | "noted" | "isOpen" | "sent">
>;

const updateWatch = (query: Kysely<Tables>, { teamId }: Served, watchId: string) =>
  query.updateTable("watch").where("team_id", "=", teamId).where("watch_id", "=", watchId).returning("watch_id");

const updateIncident = (
  query: Kysely<Tables>,
  teamId: string,
  { watchId, beganAt }: Pick<StoredIncident, "watchId" | "beganAt">,
) =>
  query
    .updateTable("watch_incident")
    .where((row) => row.and({ team_id: teamId, watch_id: watchId }))
    .where("began_at", "=", beganAt);

function incidentOf(row: Tables["watch_incident"]): StoredIncident {
  // Only this store writes them.
  const read = (text: string): Incident => JSON.parse(text) as Incident;
  return {
    ...fromRow(row),
    kind: row.kind as LogKind,
    incident: read(row.incident),
    isOpen: row.is_open === 1,
    noted: row.noted === null ? undefined : read(row.noted),
  };
}
