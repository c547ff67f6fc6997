// The y of the points of low order, as RFC 8032 encodes it, without the bit for the sign of x: of order 4, 1, 8 and 8.
const LOW_ORDER_Y = new Set([
  "0000000000000000000000000000000000000000000000000000000000000000",
  "0100000000000000000000000000000000000000000000000000000000000000",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
]);

/**
 * Whether an encoded Ed25519 public key is one of the eight points of low order, for which signatures can be made without
 * a private key. Encodings beyond the field's prime, which stand for other points again, count as such.
 */
export function isLowOrder(encoded: Uint8Array): boolean {
  const y = Array.from(encoded);
  y[31] = (y[31] ?? 0) & 0x7f;
  const hex = y.map((byte) => byte.toString(16).padStart(2, "0")).join("");
  // From the point of order 2, which is the prime less 1.
  const isLarge = /^(e[c-f]|f.)(ff){30}7f$/.test(hex);
  return isLarge || LOW_ORDER_Y.has(hex);
}
