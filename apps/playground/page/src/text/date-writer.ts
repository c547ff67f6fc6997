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
