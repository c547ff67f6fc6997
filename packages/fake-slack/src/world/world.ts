import { randomBytes } from "node:crypto";
import { type Patience, slacksPatience } from "../delivery/patience.js";
import type { App, World } from "./model.js";
import type { TranscriptEntry } from "./transcript.js";

export interface NewWorld {
  app: App;
  now: () => number;
  patience?: Patience | undefined;
}

export interface OwnedWorld extends World {
  /** Ends what was to be ended at the stop. */
  stop(): Promise<void>;
}

export function createWorld({ app, now, patience = slacksPatience }: NewWorld): OwnedWorld {
  const transcript: TranscriptEntry[] = [];
  const listeners = new Set<() => void>();
  const stops: (() => void | Promise<void>)[] = [];
  let ids = 0;
  let lastTs = 0;

  return {
    app,
    now,
    patience,
    url: "",
    teams: new Map(),
    transcript,
    triggers: new Map(),
    uploads: new Map(),
    deadTokens: new Map(),
    mishaps: new Map(),
    refusedBlocks: new Set(),
    tell: (entry) => {
      transcript.push({ at: now(), ...entry });
      for (const listener of [...listeners]) listener();
    },
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    onStop: (listener) => {
      stops.push(listener);
    },
    stop: async () => {
      await Promise.all(stops.map((end) => end()));
    },
    newId: (prefix) => {
      ids += 1;
      return `${prefix}${ids.toString(36).toUpperCase().padStart(10, "0")}`;
    },
    newTs: () => {
      // In microseconds, of which no two messages share one.
      lastTs = Math.max(Math.floor(now()) * 1000, lastTs + 1);
      return `${Math.floor(lastTs / 1_000_000)}.${String(lastTs % 1_000_000).padStart(6, "0")}`;
    },
  };
}

/** Something that nobody guesses. */
export function newSecret(length = 24): string {
  return randomBytes(length).toString("base64url").replace(/[-_]/g, "0").slice(0, length);
}
