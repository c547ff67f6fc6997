import type { LogEntryOf, LogKind, WebhookLogEntry } from "@media-ops/sdk";

export const HOUR_MS: number = 60 * 60 * 1000;
export const DAY_MS: number = 24 * HOUR_MS;

/** A stored entry. */
export interface StoredEntry {
  readonly projectId: string;
  readonly kind: MeasuredKind;
  readonly timestamp: string;
  readonly fields: Readonly<Record<string, unknown>>;
  /** What a listing contains. */
  readonly text: string;
}

/** The log whose listing is measured. */
export const measured = { projectId: "bench", kind: "webhooks" } as const;

/** The path of the listing of each log that is measured. */
export const listings = {
  sessions: "/orgs/list-session-logs",
  connections: "/orgs/list-connection-logs",
  api: "/orgs/list-api-logs",
  "media-api": "/orgs/list-media-api-logs",
  webhooks: "/orgs/list-webhook-logs",
  events: "/orgs/list-event-logs",
} as const satisfies Partial<Record<LogKind, string>>;

/** A log that is measured. */
export type MeasuredKind = keyof typeof listings;

export const tokenPath = "/projects/create-access-token";
export const kinds = Object.keys(listings) as readonly MeasuredKind[];

/** Returns an object with a value for each kind of log. */
export const perKind = <Value>(create: (kind: MeasuredKind) => Value) =>
  Object.fromEntries(kinds.map((kind) => [kind, create(kind)])) as Record<MeasuredKind, Value>;

const otherProjects = Array.from({ length: 19 }, (_, at) => `project-${at + 1}`);

/**
 * Generates entries of every kind in chronological order, as a service with twenty projects would store them.
 *
 * @param ownShare How many percent are in the measured project, at least 15.
 */
export function* makeEntries(count: number, from: number, until: number, ownShare = 57): Generator<StoredEntry> {
  const random = randomNumbers(count);
  for (let done = 0; done < count; done++) {
    const draw = random(100);
    // 15% are in the measured log, which is full even with 10,000 entries.
    const kind = draw < 15 ? measured.kind : pick(kinds, random);
    const projectId = draw < ownShare ? measured.projectId : pick(otherProjects, random);
    yield makeEntry(projectId, kind, from + ((until - from) * done) / count, random);
  }
}

/** Creates one entry. The same arguments create the same entry. */
export function makeEntry(projectId: string, kind: MeasuredKind, at: number, random = randomNumbers(at)): StoredEntry {
  // Some media servers send microseconds, others milliseconds.
  const timestamp = random(2) === 0 ? timestampOf(at) : new Date(at).toISOString();
  const fields = { timestamp, ...fieldsOf[kind]({ projectId, at, random }) };
  return { projectId, kind, timestamp, fields, text: JSON.stringify(fields) };
}

/** Returns the newest entries of a webhook log, newest first, as a listing returns them. */
export function webhookEntries(count: number, now: number): WebhookLogEntry[] {
  return Array.from({ length: count }, (_, at) => JSON.parse(makeEntry("bench", "webhooks", now - at * 7310).text));
}

/** Returns a whole number from 0 up to a bound. */
export type RandomNumbers = (below: number) => number;

/** A linear congruential generator, so that every run stores the same entries. */
function randomNumbers(seed: number): RandomNumbers {
  let state = Math.floor(seed) >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** An id as the media server makes them. */
export function idOf(random: RandomNumbers): string {
  let id = "";
  while (id.length < 26) id += ALPHABET[random(32)];
  return id;
}

const pick = <T>(values: readonly T[], random: RandomNumbers): T => values[random(values.length)] as T;

/** A time as media servers write it, with microseconds. */
export const timestampOf = (at: number, microseconds = Math.floor((at * 1000) % 1000)): string =>
  `${new Date(at).toISOString().slice(0, -1)}${String(microseconds).padStart(3, "0")}Z`;

interface EntrySource {
  projectId: string;
  at: number;
  random: RandomNumbers;
}

const types = ["session.created", "session.destroyed", "connection.created", "connection.destroyed"];
const apiPaths = [...Object.values(listings), tokenPath];
const failures = [400, 404, 429, 500, 502, 503];

/** The status of one call in 100,000. */
export const RARE_STATUS = 418;

/** 2% fail. */
function call(random: RandomNumbers, unanswered: readonly number[] = []) {
  const draw = random(100_000);
  const status =
    draw === 0 ? RARE_STATUS : draw < 2000 ? pick([...unanswered, ...failures], random) : draw % 10 === 0 ? 204 : 200;
  return { status, elapsed_time_ms: random(400) };
}

/** 2% are refused. */
function outcome(random: RandomNumbers): Pick<LogEntryOf<"events">, "type" | "outcome" | "reason"> {
  if (random(50) > 0) return { type: pick(["connection.created", "connection.destroyed"], random), outcome: "ok" };
  return { type: "admission.refused", outcome: "refused", reason: pick(["expired", "channel-full"], random) };
}

/** Sessions that last for all of the time. One connection in 50 is in one of them. */
export const longSessions: readonly string[] = Array.from({ length: 100 }, (_, at) => idOf(randomNumbers(at)));

/** The fields of each kind's entries without the timestamp. */
const fieldsOf: { readonly [Kind in MeasuredKind]: (source: EntrySource) => Omit<LogEntryOf<Kind>, "timestamp"> } = {
  webhooks: ({ projectId, random }) => ({
    type: pick(types, random),
    url: `https://hooks.${projectId}.example/media/${random(100_000) === 0 ? "moved" : "events"}`,
    ...call(random, [0]),
  }),
  api: ({ random }) => ({ url: `https://media-ops.example${pick(apiPaths, random)}`, ...call(random) }),
  "media-api": ({ projectId, random }) => ({
    media_target: "Media_20151104.DisconnectChannel",
    channel_id: channelOf(projectId, random),
    ...call(random),
  }),
  sessions: ({ projectId, at, random }) => ({
    channel_id: channelOf(projectId, random),
    session_id: idOf(random),
    total_connections: 1 + random(40),
    max_connections: 1 + random(20),
    ...durationOf(at, random),
  }),
  connections: ({ projectId, at, random }) => ({
    channel_id: channelOf(projectId, random),
    session_id: random(50) === 0 ? pick(longSessions, random) : idOf(random),
    client_id: `camera-${random(5000)}`,
    bundle_id: "stage",
    connection_id: idOf(random),
    total_received_bytes: random(1_000_000_000),
    total_sent_bytes: random(1_000_000_000),
    ...durationOf(at, random),
  }),
  events: ({ projectId, random }) => ({
    ...outcome(random),
    channel_id: channelOf(projectId, random),
    session_id: idOf(random),
    connection_id: idOf(random),
    client_id: `camera-${random(5000)}`,
    role: "sendrecv",
    node_name: `node-${random(4)}`,
    event_id: idOf(random),
  }),
};

const channelOf = (projectId: string, random: RandomNumbers): string => `room-${random(3000)}@${projectId}`;

function durationOf(at: number, random: RandomNumbers) {
  const ms = random(7_200_000);
  return {
    created_timestamp: timestampOf(at - ms),
    destroyed_timestamp: timestampOf(at),
    duration_min: Math.floor(ms / 60_000),
  };
}
