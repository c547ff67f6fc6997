import type { Json } from "./json.js";
import type { ConnectOptions, Role } from "./options.js";
import { type Random, randomFor } from "./random.js";

/** What all clients of a channel have in common. */
export function channelTraits(seed: number, channelId: string): { multistream: boolean; spotlight: boolean } {
  const random = randomFor(seed, "channel", channelId);
  const multistream = random.next() < 0.9;
  return { multistream, spotlight: multistream && random.next() < 0.2 };
}

/** The settings that a client asks for. */
export function clientTraits(random: Random): Json {
  const data_channel_signaling = random.next() < 0.5;
  return {
    simulcast: random.next() < 0.5,
    data_channel_signaling,
    ignore_disconnect_websocket: data_channel_signaling && random.next() < 0.5,
    e2ee: random.next() < 0.1,
    audio: random.pick<unknown>([true, true, { codec_type: "OPUS" }, false]),
    video: random.pick<unknown>([true, { codec_type: "VP9" }, { codec_type: "H264", bit_rate: 2500 }, false]),
  };
}

/** The metadata that a client brings, its token among it; undefined where there is none. */
export function metadataOf({ metadata, accessToken }: ConnectOptions): unknown {
  if (accessToken === undefined) return metadata;
  return { ...Object(metadata), access_token: accessToken };
}

/** What a connection moves in about a minute. */
export function growthOf(random: Random, role: Role): { receivedBytes: number; sentBytes: number } {
  // Who only listens still sends a little, such as reports on what arrived.
  const media = (flows: boolean): number => (flows ? random.int(2_000_000, 20_000_000) : random.int(5_000, 60_000));
  return { receivedBytes: media(role !== "recvonly"), sentBytes: media(role !== "sendonly") };
}
