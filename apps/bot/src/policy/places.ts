/** Where in a file something stands, as a sentence begins with it: `grants[0].roles `; nothing for the whole. */
export function placeOf(path: readonly PropertyKey[]): string {
  const place = path
    .map((step) => (typeof step === "number" ? `[${step}]` : `.${String(step)}`))
    .join("")
    .replace(/^\./, "");
  return place && `${place} `;
}

/** Where JSON broke off, where the parser's error says it. What else it says repeats the text, which may be a secret. */
export function wherePositionIs(text: string, error: unknown): string {
  const [, position] = /at position (\d+)/.exec(error instanceof Error ? error.message : "") ?? [];
  if (position === undefined) return "";
  const before = text.slice(0, Number(position)).split("\n");
  return ` from line ${before.length}, column ${(before.at(-1) ?? "").length + 1} on`;
}
