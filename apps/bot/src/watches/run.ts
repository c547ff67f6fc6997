import { setTimeout as wait } from "node:timers/promises";
import { escapeMrkdwn } from "@media-ops/formatters/slack";
import { type LogKind, MediaApiError, MediaError, MediaForbiddenError, MediaUnauthorizedError } from "@media-ops/sdk";
import { ErrorCode, type WebClient } from "@slack/web-api";
import type { Logger } from "pino";
import { notify } from "../audit/audited.js";
import { type Connection, NotConnectedError } from "../connections/connections.js";
import { isLacking } from "../projects/open-project.js";
import type { BotParts } from "../request.js";
import { postDraft, sendDraft } from "../slack/answer.js";
import { isClosedPlace, refusalOf } from "../slack/client.js";
import type { Served } from "../slack/people.js";
import { describeIncident, type Found, WatchedLog } from "./detector.js";
import {
  blockIdOf,
  DELETED,
  fingerprintOf,
  IN_FLIGHT_MS,
  incidentDraft,
  isDueOutside,
  isSilence,
  nextStep,
  pausedText,
  type Sight,
  type Step,
  sentKey,
  silencedWatch,
  silenceIncidents,
} from "./message.js";
import type { TargetSender } from "./target.js";
import {
  isLoudAt,
  LeaseLostError,
  readWatchCommand,
  type SavedFollower,
  type ShownChange,
  type StoredIncident,
  type Watch,
  type WatchStore,
} from "./watch-store.js";

// Slack allows 50 a minute in a workspace; some are left for the answers to people.
const EDITS_A_MINUTE = 40;
const MINUTE_MS = 60_000;
// After a failure that is nobody's fault.
const AFTER_FAILURE_MS = 5000;

/** The limit of Slack's that a call counts against. */
export type SlackCall = "post" | "edit";

/** When the next call to Slack may be made, for each channel of one workspace. Times are of a monotonic clock. */
export class SlackPace {
  readonly #channelMs: number;
  readonly #nextAt = new Map<string, number>();
  readonly #busy = new Set<string>();
  #edits: number[] = [];
  #editsFrom = 0;

  /** @param channelMs the pause in a channel, after edits and notes as well, so that a channel never flickers. */
  constructor(channelMs: number) {
    this.#channelMs = channelMs;
  }

  isFree(channel: string, call: SlackCall): boolean {
    const now = performance.now();
    if (this.#busy.has(channel) || now < (this.#nextAt.get(channel) ?? 0)) return false;
    if (call === "post") return true;
    this.#edits = this.#edits.filter((at) => at > now - MINUTE_MS);
    return now >= this.#editsFrom && this.#edits.length < EDITS_A_MINUTE;
  }

  /** Makes a call; no other is made in the channel meanwhile, and for a pause after it. */
  async run<T>(channel: string, call: SlackCall, send: () => Promise<T>): Promise<T> {
    this.#busy.add(channel);
    if (call === "edit") this.#edits.push(performance.now());
    try {
      return await send();
    } finally {
      this.#busy.delete(channel);
      this.#wait(channel, this.#channelMs);
    }
  }

  limited(channel: string, call: SlackCall, retryAfterS: number): void {
    this.#wait(channel, retryAfterS * 1000);
    if (call === "edit") this.#editsFrom = Math.max(this.#editsFrom, performance.now() + retryAfterS * 1000);
  }

  failed(channel: string): void {
    this.#wait(channel, AFTER_FAILURE_MS);
  }

  #wait(channel: string, ms: number): void {
    this.#nextAt.set(channel, Math.max(this.#nextAt.get(channel) ?? 0, performance.now() + ms));
  }
}

/** How fast logs are followed and incidents reported: what suits people and services. */
export const USUAL_PACE = {
  /** How long the service holds a call. Only then it is certain that nothing was written, and that an incident is over. */
  waitSeconds: 10,
  /** The pause after entries, so that a busy log costs one call a second. */
  collectMs: 500,
  /** The pause between the calls for a log whose calls are not held. */
  pollMs: 2000,
  retryMs: 5000,
  /** The pause between two calls to Slack for one channel. */
  channelMs: 1000,
  /** How often the run checks what is due in Slack. An incident is there within three seconds of its entry. */
  tickMs: 250,
};

export type WatchPace = Readonly<typeof USUAL_PACE>;

/** What all watches share. */
export interface WatchParts extends Pick<BotParts, "watches" | "connections" | "clients" | "log" | "now"> {
  readonly targets: TargetSender;
  readonly pace: WatchPace;
}

/** The workspace of a {@link TeamRun}, and the process that runs it; `onLost` is called when another one does. */
interface Team {
  readonly served: Served;
  readonly owner: string;
  readonly slack: WebClient;
  onLost(): void;
}

interface Followed {
  readonly connection: Connection;
  readonly log: WatchedLog;
  readonly stop: AbortController;
  /** Since when the service has not answered; undefined if it does, or was not asked yet. */
  blindSince: number | undefined;
  isAnswered: boolean;
  savedAt: number;
  /** How many answers it had. */
  reads: number;
  /** Ends the pause before the next call. */
  woken: AbortController;
  running: Promise<void>;
}

const KEY_REFUSED = "The service refuses the project's API key. Connecting the project again resumes the watch.";
const MISSING = "This service doesn't have the log that it watches.";
const NOT_CONNECTED = "The project is no longer connected. Connecting it again resumes the watch.";

/** The pauses that end when the project is connected again. */
export const CONNECTION_PAUSES = [KEY_REFUSED, NOT_CONNECTED] as const;

// What happens without an incident is stored less often: after a crash it is read once more.
const SAVE_MS = 5000;
// The sessions of a project are short lists, and a service holds few calls of one key.
const POLLED: readonly LogKind[] = ["sessions"];
// As many as one answer has.
const MOST_BEFORE = 1000;
// A shorter silence is a restart, or a moment of the network.
const BLIND_MS = 2 * 60_000;
// More than a channel has within the time of a crash.
const SEARCHED = 100;
const SETTLE_MS = 10;
// Slack's errors if a message was deleted, or can't be edited any more.
const FIXED = new Set(["message_not_found", "cant_update_message", "edit_window_closed", "thread_not_found"]);

type Key = Pick<StoredIncident, "watchId" | "beganAt">;

/**
 * Runs the watches of one workspace. Each watched log is followed once: its entries are compared with the limits, and
 * what was found is stored together with how far the log was read. A tick then brings Slack, and the URLs outside Slack,
 * in line with the incidents. The two wait for each other nowhere.
 */
export class TeamRun {
  readonly #parts: WatchParts;
  readonly #team: Team;
  readonly #teamId: string;
  readonly #log: Logger;
  readonly #pace: SlackPace;
  #watches: ReadonlyMap<string, Watch> = new Map();
  #connections: readonly Connection[] = [];
  #saved: SavedFollower[] = [];
  readonly #followed = new Map<string, Followed>();
  readonly #incidents = new Map<string, StoredIncident>();
  /** The calls that are under way: for each incident at most one to Slack and one outside. */
  readonly #calls = new Map<string, Promise<void>>();
  #isStopped = false;
  #ticking: NodeJS.Timeout | undefined;
  #pausing: Promise<void> = Promise.resolve();

  constructor(parts: WatchParts, team: Team) {
    this.#parts = parts;
    this.#team = team;
    this.#teamId = team.served.teamId;
    this.#log = parts.log.child({ teamId: this.#teamId });
    this.#pace = new SlackPace(parts.pace.channelMs);
  }

  async start(): Promise<void> {
    const { watches, pace } = this.#parts;
    this.#saved = await watches.followers(this.#teamId);
    for (const found of await watches.openIncidents(this.#teamId)) this.#incidents.set(keyOf(found), found);
    await this.reload();
    if (!this.#isStopped) this.#ticking = setInterval(() => this.#tick(), pace.tickMs).unref();
  }

  async reload(): Promise<void> {
    const { watches: store, connections } = this.#parts;
    const [watches, connected, incidents] = await Promise.all([
      store.all(this.#teamId),
      connections.all(this.#teamId),
      store.openIncidents(this.#teamId),
    ]);
    if (this.#isStopped) return;
    this.#watches = new Map(watches.map((watch) => [watch.id, watch]));
    this.#connections = connected;
    // Of an incident, only this is changed by other processes.
    for (const { takenBy, takenAt, ...found } of incidents) this.#change(found, { takenBy, takenAt });
    await this.#followWatched();
    this.#tick();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#ticking);
    await Promise.all([...this.#followed.values()].map(stopFollowing));
    this.#followed.clear();
    await Promise.all(this.#calls.values());
  }

  /** Resolves once what was logged before now is in Slack. */
  async settled(): Promise<void> {
    // The answer to a call that is under way may have been given before now.
    const due = [...this.#followed.values()].map((followed) => ({ followed, reads: followed.reads + 2 }));
    for (const { followed, reads } of due) {
      while (followed.reads < reads && !followed.stop.signal.aborted) {
        followed.woken.abort();
        await wait(SETTLE_MS);
      }
    }
    const isLeft = (found: StoredIncident): boolean => {
      const sight = this.#sightOf(found);
      return isDueOutside(found, sight) || nextStep(found, sight) !== undefined;
    };
    while (!this.#isStopped && (this.#calls.size > 0 || [...this.#incidents.values()].some(isLeft))) {
      this.#tick();
      await wait(SETTLE_MS);
    }
  }

  // 1. Follow: each log with a watch is read once.

  async #followWatched(): Promise<void> {
    const needed = new Map<string, { connection: Connection; kind: LogKind; watches: Watch[] }>();
    const lost: Watch[] = [];
    for (const watch of this.#watches.values()) {
      if (watch.paused !== undefined) continue;
      const { in: projectId, kind } = watch.command;
      const connection = this.#connectionOf(projectId);
      if (!connection) {
        lost.push(watch);
        continue;
      }
      const key = followedKey(connection, kind);
      const others = needed.get(key)?.watches ?? [];
      needed.set(key, { connection, kind, watches: [...others, watch] });
    }
    for (const [key, followed] of this.#followed) {
      if (needed.has(key)) continue;
      this.#followed.delete(key);
      await stopFollowing(followed);
      this.#saved = await this.#parts.watches.followers(this.#teamId);
    }
    for (const [key, { connection, kind, watches }] of needed) {
      const running = this.#followed.get(key);
      if (running) running.log.setWatches(watches);
      else this.#followed.set(key, this.#follow(connection, kind, watches));
    }
    if (lost.length > 0) await this.#pause(lost, NOT_CONNECTED);
    // What is stored of logs that no watch needs any more is deleted; a paused one goes on where it ended.
    const isWatched = (saved: SavedFollower) => [...this.#watches.values()].some((watch) => isOf(watch, saved));
    for (const saved of this.#saved) {
      if (!isWatched(saved)) await this.#parts.watches.dropFollower(this.#teamId, saved);
    }
    this.#saved = this.#saved.filter(isWatched);
  }

  #connectionOf(projectId: string): Connection | undefined {
    return this.#connections.find((one) => one.projectId === projectId);
  }

  #follow(connection: Connection, kind: LogKind, watches: readonly Watch[]): Followed {
    const { projectId } = connection;
    const saved = this.#saved.find((one) => one.projectId === projectId && one.kind === kind);
    const followed: Followed = {
      connection,
      log: new WatchedLog(projectId, kind, watches, saved),
      stop: new AbortController(),
      ...{ blindSince: undefined, isAnswered: false, savedAt: 0, reads: 0, woken: new AbortController() },
      running: Promise.resolve(),
    };
    followed.running = this.#keepReading(followed);
    return followed;
  }

  async #keepReading(followed: Followed): Promise<void> {
    const { log, stop } = followed;
    while (!stop.signal.aborted) {
      try {
        await this.#read(followed);
      } catch (error) {
        if (stop.signal.aborted) return;
        const reason = obstacleIn(error);
        if (reason !== undefined) {
          const concerned = [...this.#watches.values()].filter((watch) =>
            reason === KEY_REFUSED ? watch.command.in === log.projectId : isOf(watch, log),
          );
          return await this.#pause(concerned, reason).catch((fault) => this.#onFault(fault, log));
        }
        if (error instanceof MediaError) this.#notAnswered(followed);
        this.#onFault(error, log);
        await rest(this.#parts.pace.retryMs, stop.signal);
      }
    }
  }

  async #read(followed: Followed): Promise<void> {
    const { pace, clients, now } = this.#parts;
    const { log, stop, connection } = followed;
    const { kind, cursor } = log;
    const isPolled = POLLED.includes(kind) || pace.waitSeconds === 0;
    const intervalMs = isPolled ? Math.min(pace.pollMs, pace.retryMs) : pace.retryMs;
    const media = await clients.following(connection);
    let hasEntries = false;
    const entries = media.logs.follow(kind, {
      // The calls of tools, such as the bot's own, would otherwise be most of what an idle API log has.
      where: kind === "api" ? { from: { not: { like: "*" } } } : undefined,
      since: new Date(log.since),
      // What was written between the watch and the first call.
      ...(cursor === undefined ? { backlog: MOST_BEFORE } : { cursor }),
      waitSeconds: isPolled ? 0 : pace.waitSeconds,
      intervalMs,
      signal: stop.signal,
      onError: (error) => {
        this.#notAnswered(followed);
        this.#onFault(error, log);
      },
      onAnswer: async ({ cursor, askedAt, isCaughtUp }) => {
        followed.blindSince = undefined;
        followed.isAnswered = true;
        log.compare(isCaughtUp ? askedAt : undefined, now());
        await this.#keep(followed, cursor);
        followed.reads += 1;
        const restMs = isPolled ? pace.pollMs - intervalMs : hasEntries ? pace.collectMs : 0;
        hasEntries = false;
        if (stop.signal.aborted) return;
        followed.woken = new AbortController();
        await rest(restMs, followed.woken.signal);
      },
    });
    for await (const { entry } of entries) {
      hasEntries = true;
      log.see(entry, now());
    }
  }

  #notAnswered(followed: Followed): void {
    followed.blindSince ??= this.#parts.now();
    followed.isAnswered = false;
  }

  #onFault(error: unknown, { projectId, kind }: WatchedLog): void {
    if (error instanceof LeaseLostError) this.#team.onLost();
    else if (error instanceof NotConnectedError) void this.reload().catch(() => {});
    else this.#log.warn({ err: error, projectId, kind }, "failed to follow a log");
  }

  // 2. Keep: how far a log was read is stored together with what its watches found.

  async #keep(followed: Followed, cursor: string | undefined): Promise<void> {
    const { watches, now } = this.#parts;
    const { log } = followed;
    const isFirst = log.cursor === undefined;
    log.cursor = cursor;
    if (log.found.length === 0 && !isFirst && now() - followed.savedAt < SAVE_MS) return;
    const incidents = log.found.map((found) => this.#incidentOf(found));
    await this.#write(async (query) => {
      await watches.saveFollower(this.#teamId, log.saved(), query);
      for (const incident of incidents) await watches.saveIncident(this.#teamId, incident, query);
    });
    for (const found of incidents) {
      if (this.#incidents.has(keyOf(found))) this.#change(found, { incident: found.incident });
      else this.#incidents.set(keyOf(found), found);
    }
    log.keptFound();
    followed.savedAt = now();
    if (incidents.length > 0) this.#tick();
  }

  #incidentOf({ watch, rule, memory, lookedUntil }: Found): StoredIncident {
    const { id: watchId, placeId, command } = watch;
    const { began: beganAt } = memory.incident;
    const incident = describeIncident(rule, memory, lookedUntil);
    const known = this.#incidents.get(keyOf({ watchId, beganAt }));
    if (known) return { ...known, incident };
    return { watchId, beganAt, placeId, projectId: command.in, kind: rule.kind, incident, isOpen: true };
  }

  #change(found: Key, changes: Partial<StoredIncident>): void {
    const known = this.#incidents.get(keyOf(found));
    if (known) this.#incidents.set(keyOf(found), { ...known, ...changes });
  }

  async #write(work: Parameters<WatchStore["write"]>[2]): Promise<void> {
    try {
      await this.#parts.watches.write(this.#teamId, this.#team.owner, work);
    } catch (error) {
      if (error instanceof LeaseLostError) this.#team.onLost();
      throw error;
    }
  }

  // 3. Show: what Slack and the URLs outside Slack show is brought in line with the incidents.

  #tick(): void {
    if (this.#isStopped) return;
    for (const found of this.#incidents.values()) this.#noteBlindness(found);
    this.#noteSilences();
    // What nobody has seen yet comes first, then what is over.
    const urgency = ({ messageTs, incident }: StoredIncident): number =>
      messageTs === undefined ? 0 : incident.ended === undefined ? 2 : 1;
    for (const found of [...this.#incidents.values()].sort((a, b) => urgency(a) - urgency(b))) {
      const sight = this.#sightOf(found);
      const { watch } = sight;
      if (watch && isDueOutside(found, sight)) this.#begin("outside", found, () => this.#send(found, watch));
      const step = nextStep(found, sight);
      const call = step && callOf(step);
      if (!step || (call && !this.#pace.isFree(found.placeId, call))) continue;
      this.#begin("slack", found, () =>
        call
          ? this.#pace.run(found.placeId, call, () => this.#do(step, found, sight))
          : this.#shows(found, { isOpen: false }),
      );
    }
  }

  #sightOf(found: StoredIncident): Sight {
    const { watchId, beganAt, projectId } = found;
    const log = this.#followedOf(found)?.log;
    const isDropped = log?.hasDropped(watchId, beganAt) === true;
    return {
      watch: isDropped ? undefined : this.#watches.get(silencedWatch(found) ?? watchId),
      isCurrent: log?.currentOf(watchId) === beganAt,
      isFollowed: this.#followedIn(projectId).length > 0,
      now: this.#parts.now(),
    };
  }

  #followedOf({ projectId, kind }: StoredIncident): Followed | undefined {
    const connection = this.#connectionOf(projectId);
    return connection && this.#followed.get(followedKey(connection, kind));
  }

  #followedIn(projectId: string): Followed[] {
    return [...this.#followed.values()].filter(({ connection }) => connection.projectId === projectId);
  }

  /** An incident of which nothing is known because the service doesn't answer is neither going on nor over. */
  #noteBlindness(found: StoredIncident): void {
    const { incident } = found;
    const since = this.#followedOf(found)?.blindSince;
    const isBlind = since !== undefined && this.#parts.now() - since >= BLIND_MS && incident.ended === undefined;
    if (isBlind === (incident.blindSince !== undefined)) return;
    const { blindSince: _, ...seen } = incident;
    this.#change(found, { incident: isBlind ? { ...seen, blindSince: since } : seen });
  }

  /** Finds channels, and URLs outside Slack, whose watches see nothing, and those whose watches see again. */
  #noteSilences(): void {
    const now = this.#parts.now();
    const silent = new Map<string, number>();
    for (const { blindSince: since, connection } of this.#followed.values()) {
      if (since === undefined || now - since < BLIND_MS) continue;
      silent.set(connection.projectId, Math.min(since, silent.get(connection.projectId) ?? since));
    }
    const open = [...this.#incidents.values()].filter((one) => isSilence(one) && one.incident.ended === undefined);
    for (const found of open) {
      const followed = this.#followedIn(found.projectId);
      // After a restart, it isn't known before each was answered.
      const isKnown = followed.length > 0 && followed.every(({ isAnswered }) => isAnswered);
      if (silent.has(found.projectId) || !isKnown) continue;
      this.#keepSilence({ ...found, incident: { ...found.incident, ended: now } });
    }
    const watches = [...this.#watches.values()].filter((watch) => isLoudAt(watch, now));
    for (const [projectId, since] of silent) {
      for (const found of silenceIncidents({ projectId, since }, watches)) {
        if (!open.some(({ watchId }) => watchId === found.watchId)) this.#keepSilence(found);
      }
    }
  }

  #keepSilence(found: StoredIncident): void {
    this.#incidents.set(keyOf(found), found);
    void this.#write((query) => this.#parts.watches.saveIncident(this.#teamId, found, query)).catch((err: unknown) =>
      this.#log.warn({ err, project: found.projectId }, "failed to store that a service doesn't answer"),
    );
  }

  #begin(kind: "slack" | "outside", found: StoredIncident, call: () => Promise<void>): void {
    const key = `${kind} ${keyOf(found)}`;
    if (this.#calls.has(key)) return;
    const running = call()
      .catch((error: unknown) => {
        if (kind === "slack") this.#pace.failed(found.placeId);
        this.#log.error({ err: error, watch: found.watchId }, "failed to report an incident; it is retried");
      })
      .finally(() => this.#calls.delete(key));
    this.#calls.set(key, running);
  }

  /** Stores what is shown of an incident. One that isn't open any more stays as it is. */
  async #shows(found: Key, changes: ShownChange): Promise<void> {
    this.#change(found, changes);
    await this.#write((query) => this.#parts.watches.saveShown(this.#teamId, found, changes, query));
    if (changes.isOpen === false) this.#incidents.delete(keyOf(found));
  }

  async #send(found: StoredIncident, watch: Watch): Promise<void> {
    const sent = sentKey(found.incident);
    if (await this.#parts.targets.send(found, watch)) await this.#shows(found, { sent });
  }

  async #do(step: Step, found: StoredIncident, sight: Sight): Promise<void> {
    if (step.do === "note") await this.#note(found, step.note);
    else if (step.do === "find") await this.#find(found);
    else await this.#draw(step.do === "edit" ? "edit" : "post", found, sight);
  }

  async #draw(call: SlackCall, found: StoredIncident, { watch, now }: Sight): Promise<void> {
    const { slack } = this.#team;
    const { placeId: channel, messageTs } = found;
    // Of a watch that was stopped, the message has what is known of it.
    const command =
      this.#watches.get(found.watchId)?.command ?? readWatchCommand(`watch ${found.kind} in:${found.projectId}`);
    if (!command) return;
    const draft = incidentDraft(found, command, { watch, now });
    const { state, content } = fingerprintOf(found, { watch, now });
    if (call === "post") await this.#shows(found, { postingAt: now, noted: found.incident });
    const edit = (ts: string) =>
      sendDraft(draft, (message) => slack.chat.update({ blocks: [], ...message, channel, ts }), this.#log);
    let ts: string | undefined;
    try {
      ({ ts } = await (messageTs === undefined ? postDraft(slack, channel, draft, this.#log) : edit(messageTs)));
    } catch (error) {
      // Without an answer from Slack, nobody knows whether the message is there.
      if (!isAnswer(error)) throw error;
      if (call === "post") await this.#shows(found, { postingAt: undefined });
      return this.#refused(error, found, watch, call);
    }
    const shown = `${state}.${content}`;
    await this.#shows(found, { messageTs: messageTs ?? ts, postingAt: undefined, shown, shownAt: now });
  }

  /** Looks for a message that may have been posted before a process died, so that it isn't posted twice. */
  async #find(found: StoredIncident): Promise<void> {
    const { placeId: channel, postingAt = 0, watchId, beganAt } = found;
    const own = blockIdOf(watchId, beganAt);
    const oldest = String((postingAt - IN_FLIGHT_MS) / 1000);
    let messageTs: string | undefined;
    try {
      const { messages = [] } = await this.#team.slack.conversations.history({ channel, oldest, limit: SEARCHED });
      messageTs = messages.find(({ blocks }) => blocks?.some((block) => block.block_id === own))?.ts;
    } catch (error) {
      if (!isAnswer(error) || isLimited(error)) throw error;
      const words = "can't look for a message that may have been posted; it is posted again";
      this.#log.warn({ err: error, watch: watchId }, words);
    }
    await this.#shows(found, { messageTs, postingAt: undefined });
  }

  /** Adds a note to the thread. Stored first: of two notes, a lost one does less harm than a repeated one. */
  async #note(found: StoredIncident, note: string): Promise<void> {
    const { placeId: channel, messageTs = "" } = found;
    await this.#shows(found, { noted: found.incident });
    const message = { channel, thread_ts: messageTs, text: escapeMrkdwn(note), unfurl_links: false };
    try {
      await this.#team.slack.chat.postMessage(message);
    } catch (error) {
      this.#log.warn({ err: error, watch: found.watchId }, "failed to add a note to the thread of an incident");
      if (isLimited(error)) this.#pace.limited(channel, "post", error.retryAfter);
    }
  }

  /** Slack refused a call: waits as it asks, or gives up. */
  async #refused(error: unknown, found: StoredIncident, watch: Watch | undefined, call: SlackCall) {
    if (isLimited(error)) return this.#pace.limited(found.placeId, call, error.retryAfter);
    const code = refusalOf(error)?.code ?? "";
    this.#log.warn({ err: error, watch: found.watchId, code }, "Slack refused the message of an incident");
    // Somebody deleted it: the incident goes on without a message, instead of with a new one.
    if (FIXED.has(code)) return this.#shows(found, { shown: DELETED });
    if (!isClosedPlace(error)) return this.#pace.failed(found.placeId);
    await this.#shows(found, { isOpen: false });
    if (!watch) return;
    const isArchived = code === "is_archived";
    const how = `The bot can't post in the channel (${code}). Invite it there: /invite, then its name.`;
    await this.#pause([watch], isArchived ? "The channel is archived." : how);
  }

  // What stops a watch until a person does something.

  /** Pauses watches, and notifies each of their owners once: several logs may have the same obstacle. */
  #pause(watches: readonly Watch[], reason: string): Promise<void> {
    const paused = this.#pausing.then(() => this.#pauseNow(watches, reason));
    this.#pausing = paused.catch(() => {});
    return paused;
  }

  async #pauseNow(watches: readonly Watch[], reason: string): Promise<void> {
    const { served, slack } = this.#team;
    const paused: Watch[] = [];
    for (const watch of watches) {
      if (await this.#parts.watches.pause(served, watch.id, reason)) paused.push(watch);
    }
    for (const owner of new Set(paused.map(({ createdBy }) => createdBy))) {
      const theirs = paused.filter(({ createdBy }) => createdBy === owner);
      const words = "failed to notify a person that their watches are paused";
      await notify(owner, pausedText(theirs, reason), { slack, log: this.#log }, words);
    }
  }
}

const keyOf = ({ watchId, beganAt }: Key): string => `${watchId} ${beganAt}`;

const followedKey = ({ projectId, baseUrl, connectedAt }: Connection, kind: LogKind): string =>
  JSON.stringify([projectId, kind, baseUrl, connectedAt]);

const isOf = ({ command }: Watch, log: Pick<SavedFollower, "projectId" | "kind">): boolean =>
  command.in === log.projectId && command.kind === log.kind;

async function stopFollowing(followed: Followed): Promise<void> {
  followed.stop.abort();
  followed.woken.abort();
  await followed.running;
}

/** Why a log can't be followed until a person does something; undefined if it can be tried again. */
function obstacleIn(error: unknown): string | undefined {
  if (error instanceof MediaUnauthorizedError || error instanceof MediaForbiddenError) return KEY_REFUSED;
  return error instanceof MediaApiError && isLacking(error) ? MISSING : undefined;
}

const callOf = (step: Step): SlackCall | undefined =>
  step.do === "close" ? undefined : step.do === "edit" ? "edit" : "post";

/** Whether Slack answered, so that it is known that nothing was posted. */
const isAnswer = (error: unknown): boolean => refusalOf(error) !== undefined || isLimited(error);

function isLimited(error: unknown): error is { retryAfter: number } {
  return error instanceof Error && "code" in error && error.code === ErrorCode.RateLimitedError;
}

/** Waits; an abort ends the wait at once. */
const rest = (ms: number, signal: AbortSignal): Promise<void> => wait(ms, undefined, { signal }).catch(() => {});
