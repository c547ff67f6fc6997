import { randomBytes } from "node:crypto";
import { setTimeout as elapsed } from "node:timers/promises";
import type { App, Mishap, Patience, TranscriptEntry, World } from "./model.js";

export interface WorldOptions {
  app: App;
  now: () => number;
  /** @default that of the real Slack */
  patience?: Patience | undefined;
  /** How many entries of the transcript are kept. @default all */
  keeps?: number | undefined;
  /** How many messages of each conversation are kept. @default all */
  keepsMessages?: number | undefined;
  /** The counters of an earlier world. @default zero */
  counted?: Counters | undefined;
}

/** The counters behind ids and timestamps, which are never given twice. */
export interface Counters {
  readonly ids: number;
  /** In microseconds. */
  readonly lastTs: number;
}

export interface OwnedWorld extends World {
  counted(): Counters;
  stop(): Promise<void>;
}

const slacksPatience: Patience = {
  answerWithinMs: 3000,
  // A retry that is minutes away keeps no process alive.
  wait: (ms) => elapsed(ms, undefined, { ref: false }),
};

/** Makes an empty world. */
export function createWorld(options: WorldOptions): OwnedWorld {
  const { app, now, patience = slacksPatience, keeps, keepsMessages = Number.POSITIVE_INFINITY, counted } = options;
  const transcript: TranscriptEntry[] = [];
  const listeners = new Set<(entry: TranscriptEntry) => void>();
  const stops: (() => void | Promise<void>)[] = [];
  const stopping = new AbortController();
  let ids = counted?.ids ?? 0;
  let lastTs = counted?.lastTs ?? 0;

  return {
    app,
    now,
    patience,
    keepsMessages,
    url: "",
    teams: new Map(),
    transcript,
    triggers: new Map(),
    uploads: new Map(),
    deadTokens: new Map(),
    mishaps: new Map(),
    refusedBlocks: new Set(),
    stopped: stopping.signal,
    counted: () => ({ ids, lastTs }),
    record: (given) => {
      const entry = { at: now(), ...given };
      transcript.push(entry);
      if (keeps !== undefined && transcript.length > keeps) transcript.splice(0, transcript.length - keeps);
      for (const listener of [...listeners]) listener(entry);
    },
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    onStop: (listener) => void stops.push(listener),
    stop: async () => {
      stopping.abort();
      await Promise.all(stops.map((end) => end()));
    },
    newId: (prefix) => {
      ids += 1;
      return `${prefix}${ids.toString(36).toUpperCase().padStart(10, "0")}`;
    },
    newTs: () => {
      lastTs = Math.max(Math.floor(now()) * 1000, lastTs + 1);
      return `${Math.floor(lastTs / 1_000_000)}.${String(lastTs % 1_000_000).padStart(6, "0")}`;
    },
  };
}

/** A text that nobody can guess. */
export function newSecret(length = 24): string {
  return randomBytes(length).toString("base64url").replace(/[-_]/g, "0").slice(0, length);
}

/** State of one feature for each world: made at the first use, and gone with the world. */
export function perWorld<T>(make: (world: World) => T): (world: World) => T {
  const made = new WeakMap<World, T>();
  return (world) => {
    const state = made.get(world) ?? make(world);
    made.set(world, state);
    return state;
  };
}

export function addMishap(world: World, method: string, mishap: Mishap, times: number): void {
  const waiting = world.mishaps.get(method) ?? [];
  world.mishaps.set(method, [...waiting, ...Array.from({ length: times }, () => mishap)]);
}

/** The mishap of this call of a method, if there is one; it then is over. */
export function takeMishap(world: World, method: string): Mishap | undefined {
  return world.mishaps.get(method)?.shift();
}

const LAST_LINES = 5;

/**
 * Returns the first truthy value of a probe, which is called at once and after each change.
 *
 * @throws {Error} if there was none in time.
 */
export function until<T>(world: World, probe: () => T, timeoutMs = 10_000): Promise<NonNullable<T>> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      stopListening();
    };
    const attempt = (): void => {
      try {
        const value = probe();
        if (!value) return;
        end();
        resolve(value);
      } catch (error) {
        end();
        reject(error instanceof Error ? error : new Error("The probe failed.", { cause: error }));
      }
    };
    const timer = setTimeout(() => {
      stopListening();
      reject(new Error(`Waited ${timeoutMs} ms for: ${probe.toString()}\nThe last changes:\n${lastLines(world)}`));
    }, timeoutMs);
    const stopListening = world.onChange(attempt);
    attempt();
  });
}

function lastLines({ transcript }: World): string {
  const entries = transcript.slice(-LAST_LINES);
  const lines = entries.map(({ what, name, detail }) => `  ${what} ${name} ${JSON.stringify(detail)}`);
  return lines.map((line) => line.slice(0, 500)).join("\n") || "  none";
}
