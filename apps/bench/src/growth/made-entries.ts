import { kindNumbers } from "../databases/open.js";
import { type EntriesOptions, makeEntries, measured } from "../service/entries.js";

const DAY_MS = 24 * 60 * 60 * 1000;

/** So many different entries are made; they come again and again, each time with another timestamp. */
export const CYCLE = 10_000;

/** An entry without the time at its beginning. */
export interface Template {
  readonly projectId: string;
  readonly kind: number;
  readonly rest: string;
  /** The number of it among those of its log, from 1, and how many those are. */
  readonly rank: number;
  readonly of: number;
}

/** When each entry was: so many microseconds since 1970, and so many from one to the next. */
export interface Clock {
  readonly fromUs: number;
  readonly stepUs: number;
}

/** Entries in the order of their time, each told by its number, so that a database can make them by itself. */
export class MadeEntries {
  readonly count: number;
  readonly clock: Clock;
  readonly templates: readonly Template[] = makeTemplates();

  constructor({ count, from, until }: EntriesOptions) {
    if (count % CYCLE !== 0) throw new Error(`Entries are made in multiples of ${CYCLE}.`);
    this.count = count;
    this.clock = { fromUs: Math.floor(from * 1000), stepUs: Math.floor(((until - from) * 1000) / count) };
  }

  /** How many bytes all have as JSON. */
  get json(): number {
    let cycle = 0;
    for (let n = 0; n < CYCLE; n++) cycle += Buffer.byteLength(this.#textOf(n));
    return cycle * (this.count / CYCLE);
  }

  /** The texts of the measured log's newest entries, the newest first. */
  newest(limit: number): string[] {
    const newest: string[] = [];
    for (let n = this.count - 1; n >= 0 && newest.length < limit; n--) {
      const { projectId, kind } = this.#templateOf(n);
      if (projectId === measured.projectId && kind === kindNumbers[measured.kind]) newest.push(this.#textOf(n));
    }
    return newest;
  }

  /** The number of the first entry that is not before a moment. */
  firstSince(ms: number): number {
    const { fromUs, stepUs } = this.clock;
    return Math.min(this.count, Math.max(0, Math.ceil((ms * 1000 - fromUs) / stepUs)));
  }

  #templateOf(n: number): Template {
    return this.templates[n % CYCLE] as Template;
  }

  #textOf(n: number): string {
    return `{"timestamp":"${this.#timestampOf(n)}${this.#templateOf(n).rest}`;
  }

  /** Every other entry tells microseconds, the others milliseconds. */
  #timestampOf(n: number): string {
    const us = this.clock.fromUs + n * this.clock.stepUs;
    const text = new Date(Math.floor(us / 1000)).toISOString().slice(0, -1);
    return n % 2 === 0 ? `${text}${String(us % 1000).padStart(3, "0")}Z` : `${text}Z`;
  }
}

function makeTemplates(): Template[] {
  const logs = new Map<string, number>();
  const nameOf = (projectId: string, kind: number): string => `${projectId} ${kind}`;
  const made = [...makeEntries({ count: CYCLE, from: 0, until: DAY_MS })].map((entry) => {
    const kind = kindNumbers[entry.kind];
    const log = nameOf(entry.projectId, kind);
    const rank = (logs.get(log) ?? 0) + 1;
    logs.set(log, rank);
    const rest = entry.text.slice(entry.text.indexOf(`${entry.timestamp}"`) + entry.timestamp.length);
    return { projectId: entry.projectId, kind, rest, rank };
  });
  return made.map((one) => ({ ...one, of: logs.get(nameOf(one.projectId, one.kind)) ?? 0 }));
}
