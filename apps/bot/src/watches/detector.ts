import { logKinds } from "@media-ops/contract";
import type { Incident } from "@media-ops/formatters";
import { type LogKind, matches } from "@media-ops/sdk";
import { exceeds, type Rule, ruleOf, type SavedFollower, type Watch } from "./watch-store.js";

/** An entry as a watch sees it, which may stand for several events. */
export interface SeenEntry {
  readonly at: number;
  readonly weight: number;
  /** Whether it counts against the limit: it matches, failed or was slow, depending on the measure. */
  readonly isBad: boolean;
  readonly elapsedMs?: number | undefined;
  /** The values of the fields by which bad entries are grouped. */
  readonly groups: Readonly<Record<string, string>>;
}

/** The group that says which of the bad entries are failures. */
const FAILED = "failed";

type Groups = Record<string, Record<string, number>>;

interface Slice {
  at: number;
  count: number;
  bad: number;
  first?: number;
  last?: number;
  /** How many entries took how long, by {@link bucketOf}. */
  times?: Record<string, number>;
  groups: Groups;
}

/** What an incident consists of; the counts by period are in order of time. */
interface Tally {
  count: number;
  total: number;
  lastBad: number;
  groups: Groups;
  periods: [from: number, count: number][];
}

/** An incident, and what was seen since it ended: it counts if the incident comes back. */
export interface TrackedIncident extends Tally {
  began: number;
  /** When the measure fell below the limit; absent while it is above. */
  endedAt?: number;
  worst: number;
  times: number;
  stepMs: number;
  since?: Tally;
}

/** What a watch remembers of its log: plain data, so that any process can go on with it. */
export interface WatchMemory {
  /** The rule's text: another one begins anew. */
  rule: string;
  /** The time up to which the window was compared with the limit. */
  at?: number;
  slices: Slice[];
  incident?: TrackedIncident;
}

/** Creates the memory of a watch that has seen nothing yet. */
export const newMemory = (rule: string): WatchMemory => ({ rule, slices: [] });

// Fine enough that an incident ends within a twentieth of the window, and few enough to be stored every few seconds.
const SLICES = 20;
// A share or a percentile of fewer entries is chance.
export const FEWEST = 20;
// An incident that begins again within this time, or within the window if that is longer, is the same one.
const REOPEN_MS = 10 * 60_000;
const MOST_NAMES = 20;
// As many as a chart has columns.
const MOST_PERIODS = 20;
const FIRST_STEP_MS = 60_000;

const sliceMs = ({ overMs }: Rule): number => Math.max(1000, overMs / SLICES);

/** Adds an entry to a watch's memory. Entries may arrive out of order; those older than the window change no measure. */
export function observe(rule: Rule, memory: WatchMemory, entry: SeenEntry): void {
  const { at, weight, isBad } = entry;
  const slice = sliceAt(memory.slices, Math.floor(at / sliceMs(rule)) * sliceMs(rule));
  slice.count += weight;
  if (entry.elapsedMs !== undefined) {
    slice.times ??= {};
    increase(slice.times, String(bucketOf(entry.elapsedMs)), weight);
  }
  if (isBad) {
    slice.bad += weight;
    slice.first = Math.min(slice.first ?? at, at);
    slice.last = Math.max(slice.last ?? at, at);
    addGroups(slice.groups, entry.groups, weight);
  }
  const { incident } = memory;
  if (incident && at >= incident.began) track(incident, entry);
}

function sliceAt(slices: Slice[], at: number): Slice {
  const place = slices.findLastIndex((slice) => slice.at <= at);
  const found = slices[place];
  if (found?.at === at) return found;
  const slice: Slice = { at, count: 0, bad: 0, groups: {} };
  slices.splice(place + 1, 0, slice);
  return slice;
}

/** Adds an entry to the incident; if that is over, to what was seen since. */
function track(incident: TrackedIncident, { at, weight, isBad, groups }: SeenEntry): void {
  let to: Tally = incident;
  if (incident.endedAt !== undefined) {
    incident.since ??= { count: 0, total: 0, groups: {}, periods: [], lastBad: at };
    to = incident.since;
  }
  to.total += weight;
  if (!isBad) return;
  to.count += weight;
  to.lastBad = Math.max(to.lastBad, at);
  addGroups(to.groups, groups, weight);
  addToPeriods(to.periods, incident.stepMs, at, weight);
}

/** The step from one state of an incident to the next. */
export type Change = "began" | "ended" | "came back" | "closed";

/** Moves the window on to a time, in steps that skip no change: a log may be read long after it was written. */
export function advance(rule: Rule, memory: WatchMemory, to: number, onChange: (change: Change) => void): void {
  let time = memory.at ?? to;
  do {
    // With an empty window, nothing changes until the incident is closed.
    const isEmpty = memory.slices.length === 0 && memory.incident?.endedAt !== undefined;
    time = isEmpty ? to : Math.min(Math.max(time, memory.slices[0]?.at ?? time) + sliceMs(rule), to);
    const change = evaluate(rule, memory, time);
    if (change) onChange(change);
  } while (time < to && (memory.slices.length > 0 || memory.incident));
  memory.at = Math.max(memory.at ?? to, to);
}

/** Compares the window with the limit; an incident is `closed` if it was over for so long that the next one is new. */
function evaluate(rule: Rule, memory: WatchMemory, time: number): Change | undefined {
  const from = time - rule.overMs;
  memory.slices = memory.slices.filter(({ at }) => at + sliceMs(rule) > from);
  const { slices, incident } = memory;
  const value = measureOf(rule, slices);
  const isAbove = value !== undefined && exceeds(rule, value);
  if (incident && incident.endedAt === undefined) {
    if (isAbove) {
      incident.worst = Math.max(incident.worst, value);
      coarsen(incident);
      return undefined;
    }
    incident.endedAt = time;
    return "ended";
  }
  if (incident?.endedAt !== undefined && time - incident.endedAt > Math.max(REOPEN_MS, rule.overMs)) {
    delete memory.incident;
    return "closed";
  }
  if (!isAbove) return undefined;
  if (incident) {
    reopen(incident, value);
    return "came back";
  }
  memory.incident = newIncident(slices, value, time);
  return "began";
}

/** The measure over the window; undefined if there are too few entries to say. */
function measureOf({ measure }: Pick<Rule, "measure">, slices: readonly Slice[]): number | undefined {
  const sum = (of: (slice: Slice) => number): number => slices.reduce((total, slice) => total + of(slice), 0);
  const count = sum((slice) => slice.count);
  if (measure === "count") return count;
  if (count < FEWEST) return undefined;
  if (measure === "failed") return sum(({ bad }) => bad) / count;
  return percentile(slices, Number(measure.slice(1)) / 100, count);
}

function newIncident(slices: readonly Slice[], value: number, time: number): TrackedIncident {
  const bad = slices.filter((slice) => slice.bad > 0);
  const began = Math.min(time, ...bad.map(({ first, at }) => first ?? at));
  const incident: TrackedIncident = {
    began,
    lastBad: Math.max(began, ...bad.map(({ last, at }) => last ?? at)),
    count: bad.reduce((sum, slice) => sum + slice.bad, 0),
    total: slices.filter(({ at }) => at >= (bad[0]?.at ?? 0)).reduce((sum, { count }) => sum + count, 0),
    worst: value,
    times: 1,
    groups: {},
    periods: [],
    stepMs: FIRST_STEP_MS,
  };
  for (const { groups, first, at, bad: count } of bad) {
    mergeGroups(incident.groups, groups);
    addToPeriods(incident.periods, incident.stepMs, first ?? at, count);
  }
  coarsen(incident);
  return incident;
}

function reopen(incident: TrackedIncident, value: number): void {
  const { since } = incident;
  delete incident.endedAt;
  delete incident.since;
  incident.times += 1;
  incident.worst = Math.max(incident.worst, value);
  if (!since) return;
  incident.count += since.count;
  incident.total += since.total;
  incident.lastBad = Math.max(incident.lastBad, since.lastBad);
  mergeGroups(incident.groups, since.groups);
  for (const [from, count] of since.periods) addToPeriods(incident.periods, incident.stepMs, from, count);
  coarsen(incident);
}

/** What the formatters show of an incident. */
export function describeIncident(
  rule: Rule,
  { incident, slices }: WatchMemory & { incident: TrackedIncident },
  lookedUntil: number,
): Incident {
  const { measure, limit, overMs, kind } = rule;
  const { began, lastBad, endedAt, count, total, worst, times } = incident;
  const { [FAILED]: failed = {}, ...groups } = incident.groups;
  return {
    kind,
    measure,
    limit,
    overMs,
    isFailure: Object.keys(failed).join() === "true",
    value: measureOf(rule, slices) ?? 0,
    worst,
    began,
    ...(endedAt !== undefined && { ended: lastBad }),
    lookedUntil,
    count,
    ...(measure !== "count" && { total }),
    groups: Object.entries(groups).map(([field, names]) => ({
      field,
      tallies: Object.entries(names)
        .map(([name, tally]) => ({ name, count: tally }))
        .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1)),
    })),
    overTime: overTimeOf(incident, endedAt === undefined ? lookedUntil : lastBad),
    times,
  };
}

/** All periods of an incident, also those without a bad entry. */
function overTimeOf({ periods, stepMs }: TrackedIncident, until: number): Incident["overTime"] {
  const [[first] = [until]] = periods;
  const counts = new Map(periods);
  const last = Math.max(first, Math.floor(until / stepMs) * stepMs);
  const length = Math.min(MOST_PERIODS, Math.round((last - first) / stepMs) + 1);
  return Array.from({ length }, (_, at) => {
    const from = first + at * stepMs;
    return { from, to: from + stepMs, count: counts.get(from) ?? 0 };
  });
}

/** Doubles the length of the periods until they are few enough to be drawn. */
function coarsen(incident: TrackedIncident): void {
  const { periods, lastBad } = incident;
  while (periods[0] && lastBad - periods[0][0] >= (MOST_PERIODS - 1) * incident.stepMs) {
    incident.stepMs *= 2;
    for (const [from, count] of periods.splice(0)) addToPeriods(periods, incident.stepMs, from, count);
  }
}

function addToPeriods(periods: [number, number][], stepMs: number, at: number, count: number): void {
  const from = Math.floor(at / stepMs) * stepMs;
  const place = periods.findLastIndex(([start]) => start <= from);
  const found = periods[place];
  if (found?.[0] === from) found[1] += count;
  else periods.splice(place + 1, 0, [from, count]);
}

function addGroups(groups: Groups, values: SeenEntry["groups"], weight: number): void {
  for (const [field, name] of Object.entries(values)) countName(groups, field, name, weight);
}

function mergeGroups(groups: Groups, others: Groups): void {
  for (const [field, names] of Object.entries(others)) {
    for (const [name, count] of Object.entries(names)) countName(groups, field, name, count);
  }
}

/** Counts a name. Of many names the rarest gives way, so that frequent ones stay and the memory is bounded. */
function countName(groups: Groups, field: string, name: string, by: number): void {
  groups[field] ??= {};
  const counts = groups[field];
  if (!Object.hasOwn(counts, name) && Object.keys(counts).length >= MOST_NAMES) {
    const [rarest] = Object.entries(counts).sort(([, a], [, b]) => a - b);
    if (rarest) delete counts[rarest[0]];
  }
  increase(counts, name, by);
}

function increase(counts: Record<string, number>, name: string, by: number): void {
  counts[name] = (Object.hasOwn(counts, name) ? (counts[name] ?? 0) : 0) + by;
}

// Neighbouring buckets differ by 2%, which is as exact as the service's own percentiles.
const GROWTH = Math.log(1.02);

const bucketOf = (ms: number): number => (ms < 1 ? 0 : Math.round(Math.log(ms) / GROWTH) + 1);

function percentile(slices: readonly Slice[], share: number, count: number): number | undefined {
  const counts = new Map<number, number>();
  for (const { times = {} } of slices) {
    for (const [bucket, tally] of Object.entries(times)) {
      counts.set(Number(bucket), (counts.get(Number(bucket)) ?? 0) + tally);
    }
  }
  let left = Math.ceil(share * count);
  for (const [bucket, tally] of [...counts].sort(([a], [b]) => a - b)) {
    left -= tally;
    if (left <= 0) return bucket === 0 ? 0 : Math.exp((bucket - 1) * GROWTH);
  }
  return undefined;
}

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

  get found(): readonly Found[] {
    return [...this.#found.values()];
  }

  /** How far the log was read, to store it together with what was found. */
  saved(): SavedFollower {
    const memories = Object.fromEntries([...this.#watched].map(([id, { memory }]) => [id, memory]));
    const state: State = { since: this.since, memories };
    return { projectId: this.projectId, kind: this.kind, cursor: this.cursor, state: JSON.stringify(state) };
  }

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
  const groups = logKinds[kind].groups.flatMap((field) => {
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
