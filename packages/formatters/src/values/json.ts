/** A value as JSON; `undefined` where JSON cannot write it, such as a cycle, a function, or what throws when it is read. */
export function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
