import { hash } from "node:crypto";
import type { Json, Role } from "./options.js";

/** Random draws that are the same for the same seed. */
export interface Random {
  /** A number from 0 to 1, excluding 1. */
  next(): number;
  /** A whole number, both limits included. */
  int(min: number, max: number): number;
  pick<T>(choices: readonly [T, ...T[]]): T;
}

/**
 * Random draws for one purpose. They depend on its name, not on earlier draws, so that the order of responses has no
 * effect.
 */
export function randomFor(...purpose: readonly (string | number)[]): Random {
  let draws = 0;
  const next = (): number => digestOf(...purpose, draws++).readUInt32LE() / 2 ** 32;
  return {
    next,
    int: (min, max) => min + Math.floor(next() * (max - min + 1)),
    pick: (choices) => choices[Math.floor(next() * choices.length)] ?? choices[0],
  };
}

function digestOf(...purpose: readonly (string | number)[]): Buffer {
  return hash("sha256", JSON.stringify(purpose), "buffer");
}

// Without I, L, O and U, which are easily misread.
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** A UUIDv4 in Base32, 26 characters: the shape of all ids of the media server. */
export function idFor(...purpose: readonly (string | number)[]): string {
  const bytes = digestOf("id", ...purpose).subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  // 128 bits, and 2 more to fill the last character.
  const bits = BigInt(`0x${bytes.toString("hex")}`) << 2n;
  return bits
    .toString(32)
    .padStart(26, "0")
    .replace(/./g, (digit) => ALPHABET.charAt(Number.parseInt(digit, 32)));
}

/** The settings that all clients of a channel share. */
export function channelTraits(seed: number, channelId: string): { multistream: boolean; spotlight: boolean } {
  const random = randomFor(seed, "channel", channelId);
  const multistream = random.next() < 0.9;
  return { multistream, spotlight: multistream && random.next() < 0.2 };
}

/** The settings that a client requests. */
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

/** The bytes that a connection transfers in about a minute. */
export function growthOf(random: Random, role: Role): { receivedBytes: number; sentBytes: number } {
  // A client that only receives still sends a little, such as receiver reports.
  const media = (flows: boolean): number => (flows ? random.int(2_000_000, 20_000_000) : random.int(5_000, 60_000));
  return { receivedBytes: media(role !== "recvonly"), sentBytes: media(role !== "sendonly") };
}
