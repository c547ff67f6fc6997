import { randomUUID } from "node:crypto";
import { escapeMrkdwn, formatDigest } from "@media-ops/formatters/slack";
import { askDigest, type LogService } from "@media-ops/reports";
import type { WebClient } from "@slack/web-api";
import type { Updateable } from "kysely";
import type { Logger } from "pino";
import { notify } from "../audit/post.js";
import type { Connection, Connections, ReadBudget, ServiceCaller } from "../connections/connections.js";
import { projectLabel, strong } from "../projects/words.js";
import { chartMessage, type Draft, inPlace, postDraft } from "../slack/answer.js";
import { refusalOf } from "../slack/client.js";
import type { Served } from "../slack/people.js";
import { changesAny, type Storage } from "../storage/open-storage.js";
import { type Entity, fromRow, type Tables, toRow } from "../storage/tables.js";
import { minuteOf, type WatchStore } from "./watch-store.js";

/**
 * A project's figures of the last day, posted to a channel at a minute of every day; `paused` says why none was posted
 * the last time.
 */
export type Digest = Entity<Omit<Tables["digest"], "team_id">>;

const DAY_MINUTES = 24 * 60;
const MINUTE_MS = 60_000;

/** The next time after now at which a clock in the time zone shows a minute of the day. */
export function nextTime(minute: number, timeZone: string, now: number): number {
  const left = (minute - minuteOf(now, timeZone) + DAY_MINUTES) % DAY_MINUTES || DAY_MINUTES;
  const guess = Math.floor(now / MINUTE_MS) * MINUTE_MS + left * MINUTE_MS;
  // Clocks may be set forward or back in between.
  const off = ((minute - minuteOf(guess, timeZone) + 1.5 * DAY_MINUTES) % DAY_MINUTES) - DAY_MINUTES / 2;
  return guess + off * MINUTE_MS;
}

// After a failure a digest is tried again; one that is late by hours is left out.
const RETRY_MS = 60_000;
const LATEST_MS = 6 * 60 * 60_000;
// The counts of a large project take a while, and no person awaits them.
const ANSWER_MS = 60_000;

interface DigestsOptions {
  readonly storage: Storage;
  readonly watches: WatchStore;
  readonly connections: Connections;
  /** Opens the logs of a project. */
  logsOf(connection: Connection, caller: ServiceCaller): Promise<LogService>;
  readonly reads: ReadBudget;
  readonly log: Logger;
  now(): number;
}

/** The daily digests of all workspaces. */
export class Digests {
  readonly #options: DigestsOptions;
  readonly #query;
  /** When a digest that failed is tried again. */
  readonly #retryAt = new Map<string, number>();

  constructor(options: DigestsOptions) {
    this.#options = options;
    this.#query = options.storage.query;
  }

  async all(teamId: string): Promise<Digest[]> {
    const rows = await this.#query.selectFrom("digest").selectAll().where("team_id", "=", teamId).execute();
    return rows.map(({ team_id: _, ...row }) => fromRow(row));
  }

  /** Sets the time of a digest, or adds it. */
  async set(served: Served, digest: Omit<Digest, "nextAt" | "paused">): Promise<Digest> {
    const nextAt = nextTime(digest.minute, digest.timeZone, this.#options.now());
    const set = { ...digest, nextAt, paused: undefined };
    const row = toRow({ ...set, teamId: served.teamId });
    await this.#query
      .insertInto("digest")
      .values(row)
      .onConflict((conflict) => conflict.columns(["team_id", "place_id", "project_id"]).doUpdateSet(row))
      .execute();
    await this.#options.watches.touch(served);
    return set;
  }

  /** Ends a digest; false if there is none. */
  end(teamId: string, { placeId, projectId }: Pick<Digest, "placeId" | "projectId">): Promise<boolean> {
    return changesAny(
      this.#query
        .deleteFrom("digest")
        .where((row) => row.and({ team_id: teamId, place_id: placeId, project_id: projectId }))
        .returning("project_id"),
    );
  }

  /** Posts the digests of a workspace that are due. Called by the one process that runs the workspace. */
  async postDue({ teamId }: Served, slack: WebClient): Promise<void> {
    const { now, log } = this.#options;
    const due = (await this.all(teamId)).filter(({ nextAt }) => nextAt <= now());
    for (const digest of due) {
      const key = JSON.stringify([teamId, digest.placeId, digest.projectId]);
      if ((this.#retryAt.get(key) ?? 0) > now()) continue;
      // Stored before it is posted: a digest that is lost in a crash does less harm than one that comes twice.
      const nextAt = nextTime(digest.minute, digest.timeZone, now());
      const isLate = now() - digest.nextAt > LATEST_MS;
      if (!(await this.#change(teamId, digest, { next_at: nextAt, paused: null })) || isLate) continue;
      const moved = { ...digest, nextAt };
      try {
        const missing = await this.#post(teamId, digest, slack);
        this.#retryAt.delete(key);
        if (missing !== undefined) await this.#missed(teamId, moved, missing, slack);
      } catch (error) {
        log.warn({ err: error, teamId, project: digest.projectId }, "a digest was not posted");
        const code = refusalOf(error)?.code;
        if (code !== undefined) await this.#missed(teamId, moved, `Slack refused it (${code}).`, slack);
        else {
          this.#retryAt.set(key, now() + RETRY_MS);
          await this.#change(teamId, moved, { next_at: digest.nextAt, paused: digest.paused ?? null });
        }
      }
    }
  }

  /** Draws a digest of a project now. */
  async draw(connection: Connection, turnOf: string, timeZone: string): Promise<Draft> {
    const { logsOf, reads, now } = this.#options;
    const { teamId, projectId } = connection;
    const allowance = reads.open(teamId);
    try {
      const caller = { turnOf, allowance, answerBy: now() + ANSWER_MS, aside: <T>(wait: () => Promise<T>) => wait() };
      const reader = await logsOf(connection, caller);
      const digest = await askDigest(reader, { now: now(), timeZone, project_id: projectId });
      const title = `The last 24 hours of ${projectLabel(projectId)}`;
      const { blocks, text } = formatDigest(digest, { title, now: now(), timeZone });
      return chartMessage(blocks, text);
    } finally {
      allowance.end();
    }
  }

  /** Returns why there is no digest; undefined if it was posted. */
  async #post(teamId: string, { placeId, projectId, timeZone }: Digest, slack: WebClient): Promise<string | undefined> {
    const { connections, log } = this.#options;
    const connection = (await connections.all(teamId)).find((one) => one.projectId === projectId);
    if (!connection) return "The project is no longer connected.";
    await postDraft(slack, placeId, await this.draw(connection, `digest ${randomUUID()}`, timeZone), log);
  }

  /** Stores why a digest was not posted, which the list of digests shows. Its owner gets a message, unless of the same. */
  async #missed(teamId: string, digest: Digest, reason: string, slack: WebClient): Promise<void> {
    const { placeId, projectId, createdBy, paused } = digest;
    await this.#change(teamId, digest, { paused: reason });
    if (paused === reason) return;
    const what = `The digest of ${strong(projectId)} ${inPlace(placeId)} was not posted`;
    const text = `${what}: ${escapeMrkdwn(reason)}\nIt is tried again every day; the digests of a channel end with \`at:off\`.`;
    const { log } = this.#options;
    await notify(createdBy, text, { slack, log }, "failed to notify a person that their digest was not posted");
  }

  /** Changes a digest; false if somebody else did meanwhile. */
  #change(teamId: string, { placeId, projectId, nextAt }: Digest, row: Updateable<Tables["digest"]>): Promise<boolean> {
    return changesAny(
      this.#query
        .updateTable("digest")
        .set(row)
        .where((row) => row.and({ team_id: teamId, place_id: placeId, project_id: projectId, next_at: nextAt }))
        .returning("project_id"),
    );
  }
}
