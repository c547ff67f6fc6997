/** What may be given as it is or as its JSON; a text that is no JSON is left as it is. */
export function parsed(given: unknown): unknown {
  if (typeof given !== "string") return given;
  try {
    return JSON.parse(given);
  } catch {
    return given;
  }
}
