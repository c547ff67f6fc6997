import { setTimeout as wait } from "node:timers/promises";
import {
  type LogKind,
  type LogWhere,
  MediaApiError,
  type MediaClient,
  MediaError,
  MediaForbiddenError,
  MediaUnauthorizedError,
  matches,
} from "@media-ops/sdk";
import { isLacking } from "../projects/open-project.js";
import { advance, type Change, FAILED, newMemory, observe, type SeenEntry, type WatchMemory } from "./detector.js";
import { exceeds, type Rule, ruleOf } from "./rule.js";
import type { SavedFollower } from "./run-store.js";
import type { Watch } from "./watch-store.js";

/** How fast logs are followed and incidents reported. */
export interface WatchPace {
  /** How long the service holds a call. Only then it is certain that nothing was written, and that an incident is over. */
  readonly waitSeconds: number;
  /** The pause after entries, so that a busy log costs one call a second. */
  readonly collectMs: number;
  /** The pause between the calls for a log whose calls are not held. */
  readonly pollMs: number;
  /** The pause after a failure. */
  readonly retryMs: number;
  /** The pause between two calls to Slack for one channel. */
  readonly channelMs: number;
  /** How often it is looked for what is due in Slack. An incident is there within three seconds of its entry. */
  readonly tickMs: number;
}

export const USUAL_PACE: WatchPace = {
  waitSeconds: 10,
  collectMs: 500,
  pollMs: 2000,
  retryMs: 5000,
  channelMs: 1000,
  tickMs: 250,
};

/** Why a log can't be followed until a person does something. */
export type Obstacle = "key" | "missing";

/** A log that is followed for its watches, and who receives what they find. */
export interface FollowerOptions {
  readonly projectId: string;
  readonly kind: LogKind;
  readonly pace: WatchPace;
  now(): number;
  client(): Promise<MediaClient>;
  /** Stores how far the log was read, together with what was found. */
  save(follower: SavedFollower, found: readonly Found[]): Promise<void>;
  onObstacle(obstacle: Obstacle): Promise<void>;
  onFault(error: unknown): void;
}

interface Watched {
  readonly watch: Watch;
  readonly rule: Rule;
}

/** A watch whose incident is new or changed. */
export interface Found extends Watched {
  readonly memory: WatchMemory & { readonly incident: NonNullable<WatchMemory["incident"]> };
  readonly lookedUntil: number;
}

// What happens without an incident is stored less often: after a crash it is read once more.
const SAVE_MS = 5000;

// The sessions of a project are short lists, and a service holds few calls of one key.
const POLLED: readonly LogKind[] = ["sessions"];
// As many as one answer has.
const MOST_BEFORE = 1000;

/** What is stored of a follower, beside its cursor. */
interface FollowerState {
  readonly since: number;
  readonly memories: Readonly<Record<string, WatchMemory>>;
}

/** Follows one log of a project for all of its watches. */
export class Follower {
  readonly #options: FollowerOptions;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  #watches: readonly Watched[] = [];
  #memories: Map<string, WatchMemory>;
  #cursor: string | undefined;
  /** The time of the oldest entry that is read: that of the first watch. Cursors belong to it. */
  readonly #since: number;
  #savedAt = 0;
  #onRead: (() => void)[] = [];
  readonly #dropped = new Set<string>();
  #wake = (): void => {};
  #pageFound = new Map<string, Found>();
  /** Since when the service has not answered; undefined if it does, or was not asked yet. */
  #blindSince: number | undefined;
  #isAnswered = false;

  /** @param saved where to go on. @default from now on */
  constructor(options: FollowerOptions, watches: readonly Watch[], saved: SavedFollower | undefined) {
    this.#options = options;
    // Only `#answered` writes it.
    const state = saved && (JSON.parse(saved.state) as FollowerState);
    this.#cursor = saved?.cursor;
    this.#since = state?.since ?? Math.min(...watches.map(({ createdAt }) => createdAt));
    this.#memories = new Map(Object.entries(state?.memories ?? {}));
    this.setWatches(watches);
    this.#running = this.#run();
  }

  get projectId(): string {
    return this.#options.projectId;
  }

  get blindSince(): number | undefined {
    return this.#blindSince;
  }

  /** Whether the service answered the last call. */
  get isAnswered(): boolean {
    return this.#isAnswered;
  }

  /** The beginning of a watch's incident that goes on, or may come back. */
  currentOf(watchId: string): number | undefined {
    return this.#memories.get(watchId)?.incident?.began;
  }

  /** Whether a watch was changed while it had this incident, so that nobody looks any more how it goes on. */
  hasDropped(watchId: string, beganAt: number): boolean {
    return this.#dropped.has(`${watchId} ${beganAt}`);
  }

  /** Resolves once the log was read again, from now on. */
  async readAgain(): Promise<void> {
    // The answer to a call that is under way may have been given before now.
    for (let answers = 0; answers < 2; answers++) {
      const read = new Promise<void>((resolve) => this.#onRead.push(resolve));
      this.#wake();
      await read;
    }
  }

  async #rest(ms: number): Promise<void> {
    if (this.#onRead.length > 0 || this.#stop.signal.aborted) return;
    const woken = new AbortController();
    this.#wake = () => woken.abort();
    await pause(ms, woken.signal);
  }

  setWatches(watches: readonly Watch[]): void {
    this.#watches = watches.map((watch) => ({ watch, rule: ruleOf(watch.command) }));
    const known = this.#memories;
    this.#memories = new Map(
      watches.map(({ id, text }) => {
        const memory = known.get(id);
        if (memory?.rule === text) return [id, memory];
        if (memory?.incident) this.#dropped.add(`${id} ${memory.incident.began}`);
        return [id, newMemory(text)];
      }),
    );
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    this.#wake();
    await this.#running;
    for (const resolve of this.#onRead.splice(0)) resolve();
  }

  async #run(): Promise<void> {
    const { pace, onObstacle, onFault } = this.#options;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        await this.#follow();
      } catch (error) {
        if (signal.aborted) return;
        const obstacle = obstacleIn(error);
        if (obstacle) return await onObstacle(obstacle).catch(onFault);
        if (error instanceof MediaError) this.#notAnswered();
        onFault(error);
        await pause(pace.retryMs, signal);
      }
    }
  }

  async #follow(): Promise<void> {
    const { kind, pace, now, client, onFault } = this.#options;
    const isPolled = POLLED.includes(kind) || pace.waitSeconds === 0;
    const intervalMs = isPolled ? Math.min(pace.pollMs, pace.retryMs) : pace.retryMs;
    const media = await client();
    let hasEntries = false;
    const followed = media.logs.follow(kind, {
      where: whereOf(kind),
      since: new Date(this.#since),
      // What was written between the watch and the first call.
      ...(this.#cursor === undefined ? { backlog: MOST_BEFORE } : { cursor: this.#cursor }),
      waitSeconds: isPolled ? 0 : pace.waitSeconds,
      intervalMs,
      signal: this.#stop.signal,
      onError: (error) => {
        this.#notAnswered();
        onFault(error);
      },
      onAnswer: async ({ cursor, askedAt, isCaughtUp }) => {
        this.#blindSince = undefined;
        this.#isAnswered = true;
        await this.#answered(cursor, isCaughtUp ? askedAt : undefined);
        for (const resolve of this.#onRead.splice(0)) resolve();
        const restMs = isPolled ? pace.pollMs - intervalMs : hasEntries ? pace.collectMs : 0;
        hasEntries = false;
        await this.#rest(restMs);
      },
    });
    for await (const { entry } of followed) {
      hasEntries = true;
      this.#see(entry, now());
    }
  }

  #notAnswered(): void {
    this.#blindSince ??= this.#options.now();
    this.#isAnswered = false;
  }

  #see(entry: object, now: number): void {
    for (const { watch, rule } of this.#watches) {
      if (!matches(rule.where, entry)) continue;
      const seen = seenBy(rule, entry, now);
      const memory = this.#memories.get(watch.id);
      // Entries from before the watch are no concern of its own.
      if (!memory || seen.at < watch.createdAt) continue;
      if (seen.at > (memory.at ?? 0)) this.#advance({ watch, rule }, memory, seen.at);
      observe(rule, memory, seen);
    }
  }

  /** Compares with the limits once all entries of an answer are seen, and stores how far the log was read. */
  async #answered(cursor: string | undefined, caughtUpTo: number | undefined): Promise<void> {
    const { projectId, kind, now, save } = this.#options;
    const isFirst = this.#cursor === undefined;
    for (const watched of this.#watches) {
      const memory = this.#memories.get(watched.watch.id);
      if (!memory) continue;
      const last = memory.slices.at(-1);
      const to = Math.max(memory.at ?? 0, caughtUpTo ?? 0, last ? Math.min(now(), last.last ?? last.at) : 0);
      this.#advance(watched, memory, to);
      const { incident } = memory;
      if (incident && incident.endedAt === undefined) this.#note(watched, { ...memory, incident }, to);
    }
    this.#cursor = cursor;
    const found = [...this.#pageFound.values()];
    if (found.length === 0 && !isFirst && now() - this.#savedAt < SAVE_MS) return;
    const state: FollowerState = { since: this.#since, memories: Object.fromEntries(this.#memories) };
    await save({ projectId, kind, cursor, state: JSON.stringify(state) }, found);
    this.#pageFound = new Map();
    this.#savedAt = now();
  }

  #advance(watched: Watched, memory: WatchMemory, to: number): void {
    advance(watched.rule, memory, to, (change: Change) => {
      const { incident } = memory;
      if (incident && change !== "closed") this.#note(watched, { ...memory, incident }, to);
    });
  }

  #note({ watch, rule }: Watched, memory: Found["memory"], lookedUntil: number): void {
    // A copy, because an incident may be over, and the next one begin, before it is stored.
    this.#pageFound.set(`${watch.id} ${memory.incident.began}`, {
      watch,
      rule,
      memory: structuredClone(memory),
      lookedUntil,
    });
  }
}

/** The calls of tools, such as the bot's own, would otherwise be most of what an idle API log has. */
function whereOf(kind: LogKind): LogWhere | undefined {
  return kind === "api" ? { from: { not: { like: "*" } } } : undefined;
}

function obstacleIn(error: unknown): Obstacle | undefined {
  if (error instanceof MediaUnauthorizedError || error instanceof MediaForbiddenError) return "key";
  return error instanceof MediaApiError && isLacking(error) ? "missing" : undefined;
}

/** The fields by which what a watch counts is grouped. */
const groupFields: Readonly<Record<LogKind, readonly string[]>> = {
  sessions: ["channel_id"],
  connections: ["channel_id", "client_id"],
  api: ["status", "url"],
  "media-api": ["status", "media_target", "channel_id"],
  webhooks: ["status", "url", "type"],
  events: ["reason", "client_id", "node_name", "channel_id"],
};

// Longer names are cut: they are shown on one line, and stored with every step.
const LONGEST_NAME = 200;

/** An entry as a rule sees it. A time in the future is that of a wrong clock. */
function seenBy(rule: Rule, entry: object, now: number): SeenEntry {
  const { kind, measure } = rule;
  const fields: Readonly<Record<string, unknown>> = { ...entry };
  const { count, elapsed_time_ms: elapsed, timestamp } = fields;
  const time = typeof timestamp === "string" ? Date.parse(timestamp) : Number.NaN;
  const elapsedMs = typeof elapsed === "number" ? elapsed : undefined;
  const isSlow = elapsedMs !== undefined && exceeds(rule, elapsedMs);
  const groups = groupFields[kind].flatMap((field) => {
    const value = fields[field];
    return typeof value === "string" || typeof value === "number"
      ? [[field, String(value).slice(0, LONGEST_NAME)]]
      : [];
  });
  return {
    at: Number.isNaN(time) ? now : Math.min(time, now),
    weight: typeof count === "number" && count > 0 ? count : 1,
    isBad: measure === "count" || (measure === "failed" ? matches({ failed: true }, entry) : isSlow),
    ...(measure.startsWith("p") && { elapsedMs }),
    groups: { ...Object.fromEntries(groups), [FAILED]: String(matches({ failed: true }, entry)) },
  };
}

/** Waits; an abort ends the wait at once. */
const pause = (ms: number, signal: AbortSignal): Promise<void> => wait(ms, undefined, { signal }).catch(() => {});
