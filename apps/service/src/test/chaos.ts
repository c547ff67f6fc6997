import { setTimeout } from "node:timers/promises";
import { type FakeMedia, type FakeMediaOptions, startFakeMedia } from "@media-ops/fake-media";
import { type LogKind, logKinds } from "../logs/log-store.js";
import type { Storage } from "../storage/open-storage.js";

/** The places in each channel that `letInByRounds` uses. */
export const PLACES = 5;
const CROWD = 25;

/** Starts a media server that repeats, delays and swaps events, and waits long for answers. */
export const startBadMedia = (options: FakeMediaOptions): Promise<FakeMedia> =>
  startFakeMedia({
    timeoutMs: 90_000,
    sockets: 256,
    misbehaviour: { twice: 0.3, late: 0.1, outOfOrder: 0.2, lateMs: 3000 },
    ...options,
  });

/** Repeatedly lets a crowd request the few seats of a channel. Returns how many were admitted in each round. */
export async function letInByRounds(
  media: FakeMedia,
  projectId: string,
  signal: AbortSignal,
  pauseMs = 250,
): Promise<number[]> {
  const letIn: number[] = [];
  while (!signal.aborted) {
    const channelId = `round-${letIn.length}@${projectId}`;
    const clients = await Promise.all(Array.from({ length: CROWD }, () => media.connect({ channelId })));
    const inside = clients.filter((client) => client.allowed);
    letIn.push(inside.length);
    await Promise.all(inside.map((client) => client.disconnect()));
    await setTimeout(pauseMs);
  }
  return letIn;
}

type Sent = FakeMedia["sent"][number];

/** The values of a member in the acknowledged requests of a kind: each once, sorted. */
export function acknowledgedBy(media: readonly FakeMedia[], isMeant: (sent: Sent) => boolean, name: string): string[] {
  const meant = media.flatMap(({ sent }) => sent.filter((one) => one.acknowledged && isMeant(one)));
  return [...new Set(meant.map(({ body }) => String(body[name])))].sort();
}

/** The most connections in each channel at once, as counted by the media server. */
export function crowdsIn({ sent }: FakeMedia): number[] {
  const ends = sent.filter(({ body }) => body.type === "session.destroyed");
  return ends.map(({ body }) => Number(body.max_connections));
}

/** Makes failed deliveries due at once, as if minutes had passed. Returns how many still wait. */
export async function hurry(query: Storage["query"]): Promise<number> {
  const now = Date.now();
  await query.updateTable("delivery").set({ next_at: now }).where("next_at", ">", now).execute();
  await query.updateTable("delivery_queue").set({ due_at: now }).where("due_at", ">", now).execute();
  return (await query.selectFrom("delivery").select("event_id").where("state", "!=", "delivered").execute()).length;
}

export async function entriesIn(query: Storage["query"], kind: LogKind): Promise<Record<string, unknown>[]> {
  const rows = await query.selectFrom("log_entry").select("entry").where("kind", "=", logKinds[kind].number).execute();
  return rows.map(({ entry }) => JSON.parse(entry));
}

export function countsOf(texts: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const one of texts) counts[one] = (counts[one] ?? 0) + 1;
  return counts;
}
