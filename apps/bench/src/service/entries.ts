import type { LogEntryOf } from "@media-ops/sdk";
import type { Service } from "@media-ops/service";

export type NewEntry = Parameters<Service["store"]["append"]>[0][number];
export type LogKind = NewEntry["kind"];

/** The log that is measured. */
export const measured = { projectId: "bench", kind: "webhooks" } as const;

/** The path of each log's listing. */
export const listings: Readonly<Record<LogKind, string>> = {
  sessions: "/orgs/list-session-logs",
  connections: "/orgs/list-connection-logs",
  api: "/orgs/list-api-logs",
  "media-api": "/orgs/list-media-api-logs",
  webhooks: "/orgs/list-webhook-logs",
};

export const tokenPath = "/projects/create-access-token";
export const kinds = Object.keys(listings) as LogKind[];
export const projectIds: readonly string[] = [
  measured.projectId,
  ...Array.from({ length: 19 }, (_, i) => `project-${i + 1}`),
];

// So many of a hundred entries go into the measured log: it is full with 10,000 entries as with 5 million.
const MEASURED_PERCENT = 15;
// And so many of the others into the same project's logs: it has most of all.
const OWN_PERCENT = 50;

/** Which entries are made. */
export interface EntriesOptions {
  count: number;
  /** The time of the first; the last comes just before `until`. */
  from: number;
  until: number;
}

/** Entries of every kind in the order of their time, as a service with twenty projects would get them. */
export function* makeEntries({ count, from, until }: EntriesOptions): Generator<NewEntry> {
  const random = randomNumbers(count);
  for (let i = 0; i < count; i++) {
    const isMeasured = random(100) < MEASURED_PERCENT;
    const isOwn = isMeasured || random(100) < OWN_PERCENT;
    const projectId = isOwn ? measured.projectId : pick(projectIds, random);
    const kind = isMeasured ? measured.kind : pick(kinds, random);
    const at = from + ((until - from) * i) / count;
    yield makeEntry(projectId, kind, at, random);
  }
}

/** One entry, of another moment than any other. */
export function makeEntry(projectId: string, kind: LogKind, at: number, random = randomNumbers(at)): NewEntry {
  // Some media servers tell microseconds, others milliseconds.
  const timestamp = timestampOf(at, random(2) === 0);
  const call = { status: pick(statuses, random), elapsed_time_ms: random(400) };
  const fields = fieldsOf[kind]({ projectId, at, random, call });
  return { projectId, kind, timestamp, text: JSON.stringify({ timestamp, ...fields }) };
}

type RandomNumbers = (below: number) => number;

/** The same numbers for the same seed, so that every run stores the same entries. */
function randomNumbers(seed: number): RandomNumbers {
  let state = Math.floor(seed) >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function pick<T>(values: readonly T[], random: RandomNumbers): T {
  return values[random(values.length)] as T;
}

function timestampOf(at: number, withMicroseconds: boolean): string {
  const text = new Date(at).toISOString();
  if (!withMicroseconds) return text;
  const microseconds = String(Math.floor((at * 1000) % 1000)).padStart(3, "0");
  return `${text.slice(0, -1)}${microseconds}Z`;
}

const events = [
  "session.created",
  "session.destroyed",
  "connection.created",
  "connection.updated",
  "archive.available",
];
const apiPaths = [...Object.values(listings), tokenPath];
const statuses = [200, 200, 200, 200, 200, 200, 200, 204, 400, 500];

/** What an entry is made of. */
interface Making {
  projectId: string;
  at: number;
  random: RandomNumbers;
  call: { status: number; elapsed_time_ms: number };
}

/** The fields of each kind's entries but the timestamp, which all have. */
const fieldsOf: { readonly [Kind in LogKind]: (making: Making) => Omit<LogEntryOf<Kind>, "timestamp"> } = {
  webhooks: ({ projectId, random, call }) => ({
    type: pick(events, random),
    url: `https://hooks.${projectId}.example/media/events`,
    ...call,
  }),
  api: ({ random, call }) => ({ url: `https://media-ops.example${pick(apiPaths, random)}`, ...call }),
  "media-api": ({ projectId, random, call }) => ({
    media_target: "Media_20151104.DisconnectChannel",
    channel_id: channelId(projectId, random),
    ...call,
  }),
  sessions: ({ projectId, at, random }) => ({
    channel_id: channelId(projectId, random),
    session_id: id(random),
    total_connections: 1 + random(40),
    max_connections: 1 + random(20),
    ...duration(at, random),
  }),
  connections({ projectId, at, random }) {
    const connectionId = id(random);
    return {
      channel_id: channelId(projectId, random),
      session_id: id(random),
      client_id: random(2) === 0 ? connectionId : `camera-${random(500)}`,
      bundle_id: random(2) === 0 ? connectionId : "stage",
      connection_id: connectionId,
      total_received_bytes: random(1_000_000_000),
      total_sent_bytes: random(1_000_000_000),
      ...duration(at, random),
    };
  },
};

const channelId = (projectId: string, random: RandomNumbers): string => `room-${random(3000)}@${projectId}`;

function duration(at: number, random: RandomNumbers) {
  const ms = random(7_200_000);
  return {
    created_timestamp: timestampOf(at - ms, true),
    destroyed_timestamp: timestampOf(at, true),
    duration_min: Math.floor(ms / 60_000),
  };
}

function id(random: RandomNumbers): string {
  let text = "";
  while (text.length < 26) text += "0123456789ABCDEFGHJKMNPQRSTVWXYZ"[random(32)];
  return text;
}
