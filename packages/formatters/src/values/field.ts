/** The value of an object's own field; `undefined` without one, or if reading it throws. */
export function fieldOf(thing: unknown, field: string | undefined): unknown {
  try {
    return field !== undefined && typeof thing === "object" && thing !== null && Object.hasOwn(thing, field)
      ? (thing as Record<string, unknown>)[field]
      : undefined;
  } catch {
    return undefined;
  }
}

/** The names of an object's own fields; a list has none. */
export function fieldNamesOf(thing: unknown): string[] {
  try {
    return typeof thing === "object" && thing !== null && !Array.isArray(thing) ? Object.keys(thing) : [];
  } catch {
    return [];
  }
}

/** A value as JSON; `undefined` if JSON cannot represent it, such as a cycle, a function, or a value that throws. */
export function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
