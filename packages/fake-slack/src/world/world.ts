import { randomBytes } from "node:crypto";
import { type Patience, slacksPatience } from "../delivery/patience.js";
import type { App, World } from "./model.js";
import type { TranscriptEntry } from "./transcript.js";

export interface NewWorld {
  app: App;
  now: () => number;
  patience?: Patience | undefined;
  /** How many entries of the transcript are kept. @default all */
  keeps?: number | undefined;
  /** How many messages of each conversation are kept. @default all */
  keepsMessages?: number | undefined;
  /** Where an earlier world has ended. @default nothing has been counted yet */
  counted?: Counted | undefined;
}

/** What no id and no timestamp may be taken from a second time. */
export interface Counted {
  readonly ids: number;
  /** In microseconds. */
  readonly lastTs: number;
}

export interface OwnedWorld extends World {
  counted(): Counted;
  /** Ends what was to be ended at the stop. */
  stop(): Promise<void>;
}

export function createWorld({
  app,
  now,
  patience = slacksPatience,
  keeps,
  keepsMessages = Number.POSITIVE_INFINITY,
  counted,
}: NewWorld): OwnedWorld {
  const transcript: TranscriptEntry[] = [];
  const listeners = new Set<(entry: TranscriptEntry) => void>();
  const stops: (() => void | Promise<void>)[] = [];
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
    counted: () => ({ ids, lastTs }),
    tell: (told) => {
      const entry = { at: now(), ...told };
      transcript.push(entry);
      if (keeps !== undefined && transcript.length > keeps) transcript.splice(0, transcript.length - keeps);
      for (const listener of [...listeners]) listener(entry);
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
