import type { ConnectedClient } from "./client.js";
import type { FakeMedia } from "./fake-media.js";
import { channelOf, roleOf, type TrafficOptions } from "./traffic.js";

/** How many come at once, and stay. */
export interface HoldOptions
  extends Pick<TrafficOptions, "channels" | "projects" | "updateEveryMs" | "signal" | "onConnect"> {
  connections: number;
}

/** Connections that are held open. */
export interface Held {
  readonly clients: readonly ConnectedClient[];
  /** Lets all of them go, and waits until everything has been sent. */
  release(): Promise<void>;
}

/**
 * Opens connections, all at once, and holds them; each sends `connection.updated` once a minute.
 *
 * @example
 * const held = await holdConnections(media, { connections: 10_000 });
 * await held.release();
 */
export async function holdConnections(media: FakeMedia, options: HoldOptions): Promise<Held> {
  const { connections, channels = 20, projects, updateEveryMs = 60_000, signal, onConnect } = options;
  const clients: ConnectedClient[] = [];

  function keepUpdating(client: ConnectedClient): void {
    media.timeline.after(updateEveryMs, async () => {
      if (!client.isConnected) return;
      keepUpdating(client);
      await client.update();
    });
  }

  async function open(index: number): Promise<void> {
    if (signal?.aborted) return;
    const client = await media.connect({
      channelId: channelOf(index % channels, projects),
      role: roleOf(media.seed, index),
    });
    onConnect?.(client);
    if (!client.allowed) return;
    clients.push(client);
    keepUpdating(client);
  }

  // A bounded number at the door, so that a signal finds few who are already on their way.
  let next = 0;
  const AT_THE_DOOR = 1000;
  await Promise.all(
    Array.from({ length: Math.min(AT_THE_DOOR, connections) }, async () => {
      while (next < connections) await open(next++);
    }),
  );
  return {
    clients,
    async release() {
      await Promise.all(clients.map((client) => client.disconnect()));
      await media.settle();
    },
  };
}
