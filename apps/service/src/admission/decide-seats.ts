import { type Admission, decideAdmission } from "@media-ops/tokens";
import { connectionsNow } from "./connections-now.js";
import { NEVER, type SeatAttempt } from "./seats.js";

/** The places of a channel, as the database counts them. */
export interface CountedSeats {
  /** Connections that have been made and have not ended. */
  readonly own: number;
  /** Places that were granted, and whose connections have not been seen yet. */
  readonly granted: number;
  /** When connections were made of which the media server may not have known yet. */
  readonly recent: readonly string[];
  /** Who asks now and has such a place already. */
  readonly holders: readonly string[];
}

/** A channel that is asked about, and since when connections matter that the media server may not have counted. */
export type AskedChannel = readonly [projectId: string, channelId: string, since: string];

/** What is known of a channel while a batch is decided. */
interface Channel extends Pick<CountedSeats, "own" | "recent"> {
  granted: number;
  readonly holders: Set<string>;
}

const keyOf = (projectId: string, channelId: string): string => `${projectId} ${channelId}`;

/** The channels that are asked about, each once. */
export function askedChannels(attempts: readonly SeatAttempt[]): AskedChannel[] {
  const asked = new Map<string, AskedChannel>();
  for (const { projectId, channelId, at } of attempts) {
    const key = keyOf(projectId, channelId);
    const [, , before = NEVER] = asked.get(key) ?? [];
    // The first of a channel decides.
    const [since = NEVER] = [at || NEVER, before].sort();
    asked.set(key, [projectId, channelId, since]);
  }
  return [...asked.values()];
}

/**
 * Decides about one after another: who is let in has a place when the next one asks.
 *
 * @param counted The places of each of the channels that are asked about, in the same order.
 */
export function decideAll(
  attempts: readonly SeatAttempt[],
  asked: readonly AskedChannel[],
  counted: readonly CountedSeats[],
): Admission[] {
  const channels = new Map<string, Channel>();
  counted.forEach(({ holders, ...seats }, at) => {
    const [projectId = "", channelId = ""] = asked[at] ?? [];
    channels.set(keyOf(projectId, channelId), { ...seats, holders: new Set(holders) });
  });
  return attempts.map((attempt) => {
    const channel = channels.get(keyOf(attempt.projectId, attempt.channelId));
    if (!channel) throw new Error("The places of a channel that is asked about were not counted.");
    return decideOne(attempt, channel);
  });
}

function decideOne(attempt: SeatAttempt, channel: Channel): Admission {
  const { projectId, claims, channelId, connectionId, role, at, reported } = attempt;
  const { own, granted, holders, recent } = channel;
  // Who asks again takes nobody else's place.
  const others = granted - (holders.has(connectionId) ? 1 : 0);
  const connections = connectionsNow({
    reported,
    own,
    later: at === "" ? 0 : recent.filter((madeAt) => madeAt > at).length,
    granted: others,
  });
  const admission = decideAdmission(
    claims,
    { channel_id: channelId, role, channel_connections: connections },
    { project_id: projectId },
  );
  if (admission.allowed) {
    channel.granted = others + 1;
    holders.add(connectionId);
  }
  return admission;
}
