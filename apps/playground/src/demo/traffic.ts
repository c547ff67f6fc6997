import { setTimeout as elapsed } from "node:timers/promises";
import type { FakeMedia } from "@media-ops/fake-media";
import type { Caller } from "./caller.js";
import type { Random } from "./random.js";
import { drawVisitor, type Visitor } from "./visitors.js";

/** Options of {@link visit}. */
export interface VisitOptions {
  readonly media: FakeMedia;
  readonly caller: Caller;
  readonly projectId: string;
  /** Sends everybody away. */
  readonly signal: AbortSignal;
}

const STAYS_MS = 40_000;
const GOOD_FOR_MS = 600_000;

/** Somebody comes, with a token of their own, stays for some time and goes. */
export async function visit(visitor: Visitor, staysMs: number, options: VisitOptions): Promise<void> {
  const { media, caller, projectId, signal } = options;
  const { channel, role, clientId } = visitor;
  const channelId = `${channel}@${projectId}`;
  const expiration_time = new Date(Date.now() + GOOD_FOR_MS).toISOString();
  const accessToken = await caller.mint({ channel_id: channelId, role, expiration_time });
  if (accessToken === undefined || signal.aborted) return;
  const client = await media.connect({ channelId, role, clientId, accessToken });
  if (!client.allowed) return;
  // Who is sent away says goodbye, too.
  await elapsed(staysMs, undefined, { signal }).catch(() => {});
  await client.disconnect();
}

/** A visitor, and how long the stay is. */
export function drawVisit(random: Random): [Visitor, number] {
  return [drawVisitor(random), 2_000 + random.wait(STAYS_MS - 2_000)];
}
