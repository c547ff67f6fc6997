import type { ConnectOptions, Json, Role } from "./options.js";

/** Draws that are the same for the same seed. */
export interface Random {
  /** From 0 up to, but without, 1. */
  next(): number;
  /** A whole number; both ends may be drawn. */
  int(min: number, max: number): number;
  pick<T>(choices: readonly [T, ...T[]]): T;
}

/**
 * A generator (sfc32) for one purpose. What each thing is follows from its own name, not from how many draws others
 * made before it: so the order of answers changes nothing.
 */
export function randomFor(...purpose: readonly (string | number)[]): Random {
  let [a, b, c, d] = hash(JSON.stringify(purpose));

  function bits(): number {
    const sum = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + sum) | 0;
    return sum >>> 0;
  }

  // The state is only well mixed after some rounds.
  for (let round = 0; round < 12; round++) bits();

  const next = (): number => bits() / 2 ** 32;
  return {
    next,
    int: (min, max) => min + Math.floor(next() * (max - min + 1)),
    pick: (choices) => choices[Math.floor(next() * choices.length)] ?? choices[0],
  };
}

/** 128 bits of a text (cyrb128). */
function hash(text: string): [number, number, number, number] {
  let [a, b, c, d] = [1779033703, 3144134277, 1013904242, 2773480762];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    a = b ^ Math.imul(a ^ code, 597399067);
    b = c ^ Math.imul(b ^ code, 2869860233);
    c = d ^ Math.imul(c ^ code, 951274213);
    d = a ^ Math.imul(d ^ code, 2716044179);
  }
  a = Math.imul(c ^ (a >>> 18), 597399067);
  b = Math.imul(d ^ (b >>> 22), 2869860233);
  c = Math.imul(a ^ (c >>> 17), 951274213);
  d = Math.imul(b ^ (d >>> 19), 2716044179);
  return [a ^ b ^ c ^ d, b ^ a, c ^ a, d ^ a];
}

// No I, L, O and U: they are too easily misread.
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** A UUIDv4 in Base32, 26 characters: the shape of all ids of the media server. */
export function idFor(...purpose: readonly (string | number)[]): string {
  return toBase32(uuid(randomFor(...purpose)));
}

function uuid(random: Random): number[] {
  const bytes = Array.from({ length: 16 }, () => random.int(0, 255));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes;
}

export function toBase32(bytes: readonly number[]): string {
  let text = "";
  let buffer = 0;
  let held = 0;
  for (const byte of bytes) {
    buffer = (buffer << 8) | byte;
    held += 8;
    while (held >= 5) {
      held -= 5;
      text += alphabet[(buffer >>> held) & 31];
    }
    buffer &= (1 << held) - 1;
  }
  return held > 0 ? text + alphabet[(buffer << (5 - held)) & 31] : text;
}

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

/** The metadata that a client brings, with its token; undefined if there is none. */
export function metadataOf({ metadata, accessToken }: ConnectOptions): unknown {
  if (accessToken === undefined) return metadata;
  return { ...Object(metadata), access_token: accessToken };
}

/** What a connection moves in about a minute. */
export function growthOf(random: Random, role: Role): { receivedBytes: number; sentBytes: number } {
  // A client that only receives still sends a little, such as receiver reports.
  const media = (flows: boolean): number => (flows ? random.int(2_000_000, 20_000_000) : random.int(5_000, 60_000));
  return { receivedBytes: media(role !== "recvonly"), sentBytes: media(role !== "sendonly") };
}
