import { onTestFinished } from "vitest";
import { type FakeMedia, type FakeMediaOptions, startFakeMedia } from "../index.js";
import type { ConnectedClient } from "../node.js";
import type { ConnectOptions } from "../options.js";
import { type Receiver, startReceiver } from "./receiver.js";

/** A clock that always shows 2026-04-01T09:30:15.000Z. */
export const standing = (): number => Date.UTC(2026, 3, 1, 9, 30, 15);

/** A media server and a receiver for its requests; both are closed after the test. */
export async function start(
  options: Partial<FakeMediaOptions> = {},
  respond?: Parameters<typeof startReceiver>[0],
): Promise<{ media: FakeMedia; receiver: Receiver }> {
  const receiver = await startReceiver(respond);
  const media = await startFakeMedia({ intakeUrl: receiver.url, intakeKey: "mi_test", now: standing, ...options });
  onTestFinished(async () => {
    await media.close({ abrupt: true });
    await receiver.close();
  });
  return { media, receiver };
}

/** Connects a client that must be allowed. */
export async function connect(media: FakeMedia, options: Partial<ConnectOptions> = {}): Promise<ConnectedClient> {
  const client = await media.connect({ channelId: "lobby@demo", ...options });
  if (!client.allowed) throw new Error(`refused: ${client.reason}`);
  return client;
}
