import { type Admission, decideAdmission } from "@media-ops/tokens";
import { connectionsNow } from "./connections-now.js";
import { NEVER, type SeatAttempt } from "./seats.js";

/** Places of a channel that are alike, as the database counts them. */
export interface CountedSeats {
  readonly project_id: string;
  readonly channel_id: string;
  /** Whose it is, where it was granted and the connection has not been seen yet. */
  readonly connection_id: string | null;
  /** When the connection was made, where the media server may not have known of it yet. */
  readonly at: string | null;
  readonly seats: number;
}

/** A channel that is asked about, and since when connections matter that the media server may not have counted. */
export type AskedChannel = readonly [projectId: string, channelId: string, since: string];

/** What is known of a channel while a batch is decided. */
interface Channel {
  own: number;
  readonly granted: Set<string>;
  /** When connections were made of which the media server may not have known yet. */
  readonly recent: string[];
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

/** Decides about one after another: who is let in has a place when the next one asks. */
export function decideAll(attempts: readonly SeatAttempt[], counted: readonly CountedSeats[]): Admission[] {
  const channels = new Map<string, Channel>();
  const channelOf = (projectId: string, channelId: string): Channel => {
    const key = keyOf(projectId, channelId);
    const channel = channels.get(key) ?? { own: 0, granted: new Set(), recent: [] };
    channels.set(key, channel);
    return channel;
  };
  for (const { project_id, channel_id, connection_id, at, seats } of counted) {
    const channel = channelOf(project_id, channel_id);
    if (connection_id !== null) channel.granted.add(connection_id);
    else channel.own += seats;
    if (at !== null) for (let seat = 0; seat < seats; seat++) channel.recent.push(at);
  }
  return attempts.map((attempt) => decideOne(attempt, channelOf(attempt.projectId, attempt.channelId)));
}

function decideOne(attempt: SeatAttempt, { own, granted, recent }: Channel): Admission {
  const { projectId, claims, channelId, connectionId, role, at, reported } = attempt;
  const connections = connectionsNow({
    reported,
    own,
    later: at === "" ? 0 : recent.filter((madeAt) => madeAt > at).length,
    // Who asks again takes nobody else's place.
    granted: granted.size - (granted.has(connectionId) ? 1 : 0),
  });
  const admission = decideAdmission(
    claims,
    { channel_id: channelId, role, channel_connections: connections },
    { project_id: projectId },
  );
  if (admission.allowed) granted.add(connectionId);
  return admission;
}
