import { type Random, randomFor } from "./random.js";

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
