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

/** The items of an object's own field; none if it is no list. */
export function itemsIn(thing: unknown, field: string): readonly unknown[] {
  try {
    const value = fieldOf(thing, field);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

/** The count in an object's own field; 0 if it is none. */
export function numberIn(thing: unknown, field: string): number {
  const value = fieldOf(thing, field);
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : 0;
}

/** The text in an object's own field; empty if it is none. */
export function stringIn(thing: unknown, field: string): string {
  const value = fieldOf(thing, field);
  return typeof value === "string" ? value : "";
}

/** A value as JSON; `undefined` if JSON cannot represent it, such as a cycle, a function, or a value that throws. */
export function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
