/** Converts values for PostgreSQL. Its texts cannot hold a NUL: "\u2400" replaces it. */
export function toParameters(values: readonly unknown[]): (string | Buffer | null)[] {
  return values.map((value) => {
    if (Array.isArray(value)) return toArray(value);
    if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    return toText(value);
  });
}

/** A text as PostgreSQL returns it, without a NUL or half a character; compare stored texts with this. */
export function withoutNul(text: string): string {
  const whole = text.toWellFormed();
  return whole.includes("\0") ? whole.replaceAll("\0", "\u2400") : whole;
}

/** A list in PostgreSQL's array syntax. */
function toArray(values: readonly unknown[]): string {
  const quoted = values.map((value) => {
    const text = toText(value);
    return text === null ? "NULL" : `"${text.replace(/["\\]/g, "\\$&")}"`;
  });
  return `{${quoted.join(",")}}`;
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
      throw new TypeError(
        `PostgreSQL accepts texts, numbers and bytes, but received a value of the type ${typeof value}.`,
      );
  }
}
