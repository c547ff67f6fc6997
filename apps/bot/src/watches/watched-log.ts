import { type LogKind, matches } from "@media-ops/sdk";
import { advance, FAILED, newMemory, observe, type SeenEntry, type WatchMemory } from "./detector.js";
import { exceeds, type Rule, ruleOf } from "./rule.js";
import type { SavedFollower, Watch } from "./watch-store.js";

interface Watched {
  readonly watch: Watch;
  readonly rule: Rule;
  readonly memory: WatchMemory;
}

/** A watch whose incident is new or changed. */
export interface Found extends Watched {
  readonly memory: WatchMemory & { readonly incident: NonNullable<WatchMemory["incident"]> };
  readonly lookedUntil: number;
}

/** What is stored of a log, beside its cursor. */
interface State {
  readonly since: number;
  readonly memories: Readonly<Record<string, WatchMemory>>;
}

/** What the watches of one log remember of it. It decides, and calls nothing. */
export class WatchedLog {
  readonly projectId: string;
  readonly kind: LogKind;
  /** Where the log is read on; undefined before the first answer. */
  cursor: string | undefined;
  /** The time of the oldest entry that is read: that of the first watch. Cursors belong to it. */
  readonly since: number;
  #watched = new Map<string, Watched>();
  readonly #dropped = new Set<string>();
  #found = new Map<string, Found>();

  /** @param saved where to go on. @default from now on */
  constructor(projectId: string, kind: LogKind, watches: readonly Watch[], saved: SavedFollower | undefined) {
    // Only `saved` writes it.
    const state = saved && (JSON.parse(saved.state) as State);
    this.projectId = projectId;
    this.kind = kind;
    this.cursor = saved?.cursor;
    this.since = state?.since ?? Math.min(...watches.map(({ createdAt }) => createdAt));
    this.#setWatches(watches, (id) => state?.memories[id]);
  }

  /** Sets the watches; one whose rule has changed begins anew. */
  setWatches(watches: readonly Watch[]): void {
    const known = this.#watched;
    this.#setWatches(watches, (id) => known.get(id)?.memory);
  }

  #setWatches(watches: readonly Watch[], memoryOf: (id: string) => WatchMemory | undefined): void {
    this.#watched = new Map(
      watches.map((watch) => {
        const known = memoryOf(watch.id);
        const isSame = known?.rule === watch.text;
        if (!isSame && known?.incident) this.#dropped.add(`${watch.id} ${known.incident.began}`);
        const memory = known && isSame ? known : newMemory(watch.text);
        return [watch.id, { watch, rule: ruleOf(watch.command), memory }];
      }),
    );
  }

  /** The beginning of a watch's incident that goes on, or may come back. */
  currentOf(watchId: string): number | undefined {
    return this.#watched.get(watchId)?.memory.incident?.began;
  }

  /** Whether a watch was changed while it had this incident, and so stopped tracking it. */
  hasDropped(watchId: string, beganAt: number): boolean {
    return this.#dropped.has(`${watchId} ${beganAt}`);
  }

  /** Adds an entry to the memory of each watch that it matches. */
  see(entry: object, now: number): void {
    for (const watched of this.#watched.values()) {
      const { watch, rule, memory } = watched;
      if (!matches(rule.where, entry)) continue;
      const seen = seenBy(rule, entry, now);
      // A watch isn't concerned with entries from before it.
      if (seen.at < watch.createdAt) continue;
      if (seen.at > (memory.at ?? 0)) this.#advance(watched, seen.at);
      observe(rule, memory, seen);
    }
  }

  /** Compares the windows with the limits after an answer that had all entries up to a time, or a part of them. */
  compare(caughtUpTo: number | undefined, now: number): void {
    for (const watched of this.#watched.values()) {
      const { memory } = watched;
      const last = memory.slices.at(-1);
      const to = Math.max(memory.at ?? 0, caughtUpTo ?? 0, last ? Math.min(now, last.last ?? last.at) : 0);
      this.#advance(watched, to);
      if (memory.incident?.endedAt === undefined) this.#note(watched, to);
    }
  }

  /** What was found and isn't stored yet. */
  get found(): readonly Found[] {
    return [...this.#found.values()];
  }

  /** How far the log was read, to store it together with what was found. */
  saved(): SavedFollower {
    const memories = Object.fromEntries([...this.#watched].map(([id, { memory }]) => [id, memory]));
    const state: State = { since: this.since, memories };
    return { projectId: this.projectId, kind: this.kind, cursor: this.cursor, state: JSON.stringify(state) };
  }

  /** What was found is stored. */
  keptFound(): void {
    this.#found = new Map();
  }

  #advance(watched: Watched, to: number): void {
    advance(watched.rule, watched.memory, to, (change) => {
      if (change !== "closed") this.#note(watched, to);
    });
  }

  #note(watched: Watched, lookedUntil: number): void {
    if (!watched.memory.incident) return;
    // A copy, because an incident may be over, and the next one begin, before it is stored.
    const { incident, ...rest } = structuredClone(watched.memory);
    if (!incident) return;
    const memory = { ...rest, incident };
    this.#found.set(`${watched.watch.id} ${incident.began}`, { ...watched, memory, lookedUntil });
  }
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
  const isFailure = matches({ failed: true }, entry);
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
    isBad: measure === "count" || (measure === "failed" ? isFailure : isSlow),
    ...(measure.startsWith("p") && { elapsedMs }),
    groups: { ...Object.fromEntries(groups), [FAILED]: String(isFailure) },
  };
}
