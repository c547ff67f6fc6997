/** A value as it goes to PostgreSQL. */
export type Parameter = string | Buffer | null;

/**
 * Values as PostgreSQL takes them. No text of its may hold a NUL: the sign for one stands in its place.
 */
export function toParameters(values: readonly unknown[]): Parameter[] {
  return values.map((value) => (Array.isArray(value) ? toArray(value) : toParameter(value)));
}

/** A text as PostgreSQL gives it back, without a NUL or half a character: whoever compares what was read with what was given compares with this. */
export function withoutNul(text: string): string {
  const whole = text.toWellFormed();
  return whole.includes("\0") ? whole.replaceAll("\0", "\u2400") : whole;
}

/** A list, as PostgreSQL writes one. */
function toArray(values: readonly unknown[]): string {
  const quoted = values.map((value) => {
    const text = toText(value);
    return text === null ? "NULL" : `"${text.replace(/["\\]/g, "\\$&")}"`;
  });
  return `{${quoted.join(",")}}`;
}

function toParameter(value: unknown): string | Buffer | null {
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return toText(value);
}

function toText(value: unknown): string | null {
  switch (typeof value) {
    case "string":
      return withoutNul(value);
    case "number":
    case "bigint":
    case "boolean":
      return String(value);
    default:
      if (value === null || value === undefined) return null;
      throw new TypeError(`PostgreSQL is given texts, numbers and bytes, and not ${typeof value}.`);
  }
}
