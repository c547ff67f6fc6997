/** A page writes the same few kinds of times thousands of times, and to make what writes them is slow. */
const made = new Map<string, Intl.DateTimeFormat>();

/** What writes times so; made once. */
export function dateWriter(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = JSON.stringify([locale, options]);
  const known = made.get(key);
  if (known) return known;
  const writer = new Intl.DateTimeFormat(locale, options);
  made.set(key, writer);
  return writer;
}

/** What stands for each part of a time, such as its month, when it is written so. */
export function dateParts(
  options: Intl.DateTimeFormatOptions,
  ms: number,
): (wanted: Intl.DateTimeFormatPartTypes) => string {
  const parts = dateWriter("en-US", options).formatToParts(ms);
  return (wanted) => parts.find(({ type }) => type === wanted)?.value ?? "";
}
