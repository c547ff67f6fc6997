import { setTimeout as wait } from "node:timers/promises";
import type { LogKind, MediaClient } from "@media-ops/sdk";
import type { WebClient } from "@slack/web-api";
import type { Logger } from "pino";
import { type Connection, NotConnectedError } from "../connections/connections.js";
import type { Served } from "../slack/people.js";
import { describeIncident } from "./detector.js";
import { Follower, type Found, type Obstacle, type WatchPace } from "./follower.js";
import { pausedText } from "./message.js";
import { Reporter } from "./reporter.js";
import { isLoudAt } from "./rule.js";
import { LeaseLostError, NOT_SHOWN, type RunStore, type SavedFollower, type StoredIncident } from "./run-store.js";
import { isSilence, type Silence, silenceIncidents } from "./silence.js";
import type { TargetSender } from "./target.js";
import type { Watch, WatchStore } from "./watch-store.js";

/** Options of {@link TeamRun}. */
export interface TeamRunOptions {
  readonly served: Served;
  /** The process that runs it. */
  readonly owner: string;
  readonly store: WatchStore;
  readonly runs: RunStore;
  readonly slack: WebClient;
  readonly targets: TargetSender;
  readonly pace: WatchPace;
  readonly log: Logger;
  now(): number;
  connections(): Promise<readonly Connection[]>;
  clientOf(connection: Connection): Promise<MediaClient>;
  /** Sends a person a message in their direct conversation with the bot. */
  notify(userId: string, text: string): Promise<void>;
  /** Another process runs the workspace now. */
  onLost(): void;
}

/** Why a watch is paused if the key of its project is refused; connecting the project again resumes it. */
const KEY_REFUSED = "The service refuses the project's API key. Connecting the project again resumes the watch.";

const MISSING = "This service doesn't have the log that it watches.";
const NOT_CONNECTED = "The project is no longer connected. Connecting it again resumes the watch.";

/** The pauses that end when the project is connected again. */
export const CONNECTION_PAUSES = [KEY_REFUSED, NOT_CONNECTED] as const;

const SETTLE_MS = 10;
// A shorter silence is a restart, or a moment of the network.
const BLIND_MS = 2 * 60_000;

/** Runs the watches of one workspace: follows each watched log once, and reports what the watches find. */
export class TeamRun {
  readonly #options: TeamRunOptions;
  readonly #reporter: Reporter;
  #watches: ReadonlyMap<string, Watch> = new Map();
  readonly #followers = new Map<string, Follower>();
  #saved: SavedFollower[];
  #connections: readonly Connection[] = [];
  #isStopped = false;
  #ticking: NodeJS.Timeout | undefined;
  #pausing: Promise<void> = Promise.resolve();

  private constructor(options: TeamRunOptions, saved: SavedFollower[], incidents: StoredIncident[]) {
    const { runs, slack, log, now, targets } = options;
    this.#options = options;
    this.#saved = saved;
    this.#reporter = new Reporter(
      {
        slack,
        log,
        now,
        channelMs: options.pace.channelMs,
        watch: (id) => this.#watches.get(id),
        isCurrent: ({ watchId, beganAt, projectId, kind }) =>
          this.#followerOf(projectId, kind)?.currentOf(watchId) === beganAt,
        isDropped: ({ watchId, beganAt, projectId, kind }) =>
          this.#followerOf(projectId, kind)?.hasDropped(watchId, beganAt) === true,
        save: (found) => this.#write((query) => runs.saveShown(this.#teamId, found, query)),
        onPlaceGone: (watch, code) => this.#pause([watch], placeGone(code)),
        sendOutside: (found, watch) => targets.send(found, watch),
        saveSent: (found) => this.#write((query) => runs.saveSent(this.#teamId, found, query)),
      },
      incidents,
    );
  }

  /** Goes on where the last process ended. */
  static async start(options: TeamRunOptions): Promise<TeamRun> {
    const { runs, served } = options;
    const [saved, incidents] = await Promise.all([runs.followers(served.teamId), runs.openIncidents(served.teamId)]);
    const run = new TeamRun(options, saved, incidents);
    await run.reload();
    if (!run.#isStopped) run.#ticking = setInterval(() => run.#tick(), options.pace.tickMs).unref();
    return run;
  }

  get #teamId(): string {
    return this.#options.served.teamId;
  }

  /** Reads the watches and connections again, after a person changed something. */
  async reload(): Promise<void> {
    const { store, runs, connections } = this.#options;
    const [watches, connected, incidents] = await Promise.all([
      store.all(this.#teamId),
      connections(),
      runs.openIncidents(this.#teamId),
    ]);
    if (this.#isStopped) return;
    this.#watches = new Map(watches.map((watch) => [watch.id, watch]));
    this.#connections = connected;
    // Of an incident, only this is changed by other processes.
    for (const found of incidents) {
      const { takenBy, takenAt } = found;
      this.#reporter.change(found, { takenBy, takenAt });
    }
    await this.#follow(watches.filter(({ paused }) => paused === undefined));
    this.#tick();
  }

  /** Reports what is due. */
  #tick(): void {
    if (this.#isStopped) return;
    for (const found of this.#reporter.all) this.#noteBlindness(found);
    this.#noteSilences();
    this.#reporter.tick();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#ticking);
    await Promise.all([...this.#followers.values()].map((follower) => follower.stop()));
    this.#followers.clear();
    await this.#reporter.settled();
  }

  /** Resolves once what was logged before now is in Slack. */
  async settled(): Promise<void> {
    await Promise.all([...this.#followers.values()].map((follower) => follower.readAgain()));
    while (!this.#isStopped && !this.#reporter.isIdle) {
      this.#tick();
      await wait(SETTLE_MS);
    }
  }

  /** Starts and stops followers, so that each log with a watch has one. */
  async #follow(watches: readonly Watch[]): Promise<void> {
    const needed = new Map<string, { connection: Connection; kind: LogKind; watches: Watch[] }>();
    const lost: Watch[] = [];
    for (const watch of watches) {
      const { in: projectId, kind } = watch.command;
      const connection = this.#connections.find((one) => one.projectId === projectId);
      if (!connection) {
        lost.push(watch);
        continue;
      }
      const key = followerKey(connection, kind);
      const others = needed.get(key)?.watches ?? [];
      needed.set(key, { connection, kind, watches: [...others, watch] });
    }
    for (const [key, follower] of this.#followers) {
      if (needed.has(key)) continue;
      this.#followers.delete(key);
      await follower.stop();
      this.#saved = await this.#options.runs.followers(this.#teamId);
    }
    for (const [key, { connection, kind, watches: own }] of needed) {
      const running = this.#followers.get(key);
      if (running) running.setWatches(own);
      else this.#followers.set(key, this.#newFollower(connection, kind, own));
    }
    if (lost.length > 0) await this.#pause(lost, NOT_CONNECTED);
    await this.#forgetUnwatched();
  }

  /** Deletes what is stored of logs that no watch needs any more; a paused one goes on where it ended. */
  async #forgetUnwatched(): Promise<void> {
    const watches = [...this.#watches.values()];
    const isWatched = ({ projectId, kind }: SavedFollower): boolean =>
      watches.some(({ command }) => command.in === projectId && command.kind === kind);
    const unwatched = this.#saved.filter((saved) => !isWatched(saved));
    for (const { projectId, kind } of unwatched) await this.#options.runs.dropFollower(this.#teamId, projectId, kind);
    this.#saved = this.#saved.filter(isWatched);
  }

  #newFollower(connection: Connection, kind: LogKind, watches: readonly Watch[]): Follower {
    const { pace, now, log, clientOf } = this.#options;
    const { projectId } = connection;
    const saved = this.#saved.find((one) => one.projectId === projectId && one.kind === kind);
    return new Follower(
      {
        projectId,
        kind,
        pace,
        now,
        client: () => clientOf(connection),
        save: (follower, found) => this.#save(follower, found),
        onObstacle: (obstacle) => this.#onObstacle(projectId, kind, obstacle),
        onFault: (err) => this.#onFault(err, () => log.warn({ err, projectId, kind }, "failed to follow a log")),
      },
      watches,
      saved,
    );
  }

  #followerOf(projectId: string, kind: LogKind): Follower | undefined {
    const connection = this.#connections.find((one) => one.projectId === projectId);
    return connection && this.#followers.get(followerKey(connection, kind));
  }

  /** Stores how far a log was read together with what its watches found, then reports that. */
  async #save(follower: SavedFollower, found: readonly Found[]): Promise<void> {
    const { runs } = this.#options;
    const incidents = found.map((one) => this.#incidentOf(one));
    await this.#write(async (query) => {
      await runs.saveFollower(this.#teamId, follower, query);
      for (const incident of incidents) await runs.saveIncident(this.#teamId, incident, query);
    });
    for (const incident of incidents) {
      const isKnown = this.#reporter.get(incident.watchId, incident.beganAt) !== undefined;
      if (isKnown) this.#reporter.change(incident, { incident: incident.incident });
      else this.#reporter.put(incident);
    }
    if (incidents.length > 0) this.#tick();
  }

  #incidentOf({ watch, rule, memory, lookedUntil }: Found): StoredIncident {
    const { began } = memory.incident;
    const known = this.#reporter.get(watch.id, began);
    const incident = describeIncident(rule, memory, lookedUntil);
    if (known) return { ...known, incident };
    return {
      watchId: watch.id,
      beganAt: began,
      placeId: watch.placeId,
      projectId: watch.command.in,
      kind: rule.kind,
      incident,
      ...NOT_SHOWN,
    };
  }

  /** An incident of which nothing is known because the service doesn't answer is neither going on nor over. */
  #noteBlindness(found: StoredIncident): void {
    const { incident, projectId, kind } = found;
    const since = this.#followerOf(projectId, kind)?.blindSince;
    const isBlind = since !== undefined && this.#options.now() - since >= BLIND_MS && incident.ended === undefined;
    if (isBlind === (incident.blindSince !== undefined)) return;
    const { blindSince: _, ...seen } = incident;
    this.#reporter.change(found, { incident: isBlind ? { ...seen, blindSince: since } : seen });
  }

  /** Posts to channels, and to URLs outside Slack, that their watches see nothing, and that they see again. */
  #noteSilences(): void {
    const now = this.#options.now();
    const silences = this.#silences(now);
    const open = this.#reporter.all.filter((found) => isSilence(found) && found.incident.ended === undefined);
    for (const found of open) {
      if (silences.some(({ projectId }) => projectId === found.projectId)) continue;
      const followers = [...this.#followers.values()].filter(({ projectId }) => projectId === found.projectId);
      if (followers.length === 0) {
        // No watch looks any more, so it isn't known whether it answers again.
        void this.#reporter.close(found).catch(() => {});
        continue;
      }
      // After a restart, it isn't known before each was answered.
      if (!followers.every(({ isAnswered }) => isAnswered)) continue;
      this.#keepSilence(this.#reporter.change(found, { incident: { ...found.incident, ended: now } }));
    }
    const watches = [...this.#watches.values()].filter((watch) => watch.paused === undefined && isLoudAt(watch, now));
    for (const silence of silences) {
      for (const found of silenceIncidents(silence, watches)) {
        if (open.some(({ watchId }) => watchId === found.watchId)) continue;
        this.#reporter.put(found);
        this.#keepSilence(found);
      }
    }
  }

  #silences(now: number): Silence[] {
    const silences = new Map<string, number>();
    for (const follower of this.#followers.values()) {
      const { blindSince: since, projectId } = follower;
      if (since === undefined || now - since < BLIND_MS) continue;
      silences.set(projectId, Math.min(since, silences.get(projectId) ?? since));
    }
    return [...silences].map(([projectId, since]) => ({ projectId, since }));
  }

  #keepSilence(found: StoredIncident): void {
    const { runs, log } = this.#options;
    void this.#write((query) => runs.saveIncident(this.#teamId, found, query)).catch((err: unknown) =>
      log.warn({ err, project: found.projectId }, "failed to store that a service doesn't answer"),
    );
  }

  async #onObstacle(projectId: string, kind: LogKind, obstacle: Obstacle): Promise<void> {
    const watches = [...this.#watches.values()].filter(
      ({ command, paused }) =>
        paused === undefined && command.in === projectId && (obstacle === "key" || command.kind === kind),
    );
    await this.#pause(watches, obstacle === "key" ? KEY_REFUSED : MISSING);
  }

  /** Pauses watches, and notifies each of their owners once: several logs may have the same obstacle. */
  #pause(watches: readonly Watch[], reason: string): Promise<void> {
    const paused = this.#pausing.then(() => this.#pauseNow(watches, reason));
    this.#pausing = paused.catch(() => {});
    return paused;
  }

  async #pauseNow(watches: readonly Watch[], reason: string): Promise<void> {
    const { store, served, notify, log } = this.#options;
    const paused: Watch[] = [];
    for (const watch of watches) {
      if (await store.pause(served, watch.id, reason)) paused.push(watch);
    }
    for (const owner of new Set(paused.map(({ createdBy }) => createdBy))) {
      const theirs = paused.filter(({ createdBy }) => createdBy === owner);
      await notify(owner, pausedText(theirs, reason)).catch((err: unknown) =>
        log.warn({ err, owner }, "failed to notify a person that their watches are paused"),
      );
    }
  }

  #onFault(error: unknown, report: () => void): void {
    if (error instanceof LeaseLostError) this.#options.onLost();
    else if (error instanceof NotConnectedError) void this.reload().catch(() => {});
    else report();
  }

  async #write(work: Parameters<RunStore["write"]>[2]): Promise<void> {
    const { runs, owner, onLost } = this.#options;
    try {
      await runs.write(this.#teamId, owner, work);
    } catch (error) {
      if (error instanceof LeaseLostError) onLost();
      throw error;
    }
  }
}

/** A connection that was made anew has another key. */
const followerKey = ({ projectId, baseUrl, connectedAt }: Connection, kind: LogKind): string =>
  JSON.stringify([projectId, kind, baseUrl, connectedAt]);

function placeGone(code: string): string {
  return code === "is_archived"
    ? "The channel is archived."
    : `The bot can't post in the channel (${code}). Invite it there: /invite, then its name.`;
}
