/** Values for PostgreSQL's client. Its texts cannot hold a NUL: "\u2400" replaces it. */
export const toParameters = (values: readonly unknown[]): unknown[] =>
  values.map((value) => (Array.isArray(value) ? value.map(toParameter) : toParameter(value)));

/** A text as PostgreSQL returns it, without a NUL or half a character; compare stored texts with this. */
export function withoutNul(text: string): string {
  const whole = text.toWellFormed();
  return whole.includes("\0") ? whole.replaceAll("\0", "\u2400") : whole;
}

function toParameter(value: unknown): unknown {
  switch (typeof value) {
    case "string":
      return withoutNul(value);
    case "number":
    case "bigint":
    case "boolean":
      return String(value);
    default:
      if (value === null || value === undefined || value instanceof Uint8Array) return value;
      throw new TypeError(
        `PostgreSQL accepts texts, numbers and bytes, but received a value of the type ${typeof value}.`,
      );
  }
}
