const DAY_MS = 86_400_000;

const weekdays = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

/** Words that name a day: what a misspelt one is compared with. */
export const dayWords: readonly string[] = ["today", "yesterday", "tomorrow", ...weekdays];

/** Which way a time without a date is looked for: the last such time gone by, or the next to come. */
export type Looking = "back" | "ahead";

/** The midnight of the day that a word names, on the wall; `today` is today's. A weekday is never today. */
export function dayNamed(word: string, today: number, looking: Looking): number | undefined {
  if (word === "today") return today;
  if (word === "yesterday") return today - DAY_MS;
  if (word === "tomorrow") return today + DAY_MS;
  const name = word.replace(looking === "back" ? /^last / : /^next /, "");
  const weekday = weekdays.findIndex((day) => day === name || (name.length >= 3 && shortForms(day).includes(name)));
  if (weekday < 0) return undefined;
  const now = new Date(today).getUTCDay();
  return looking === "back"
    ? today - (((now - weekday + 6) % 7) + 1) * DAY_MS
    : today + (((weekday - now + 6) % 7) + 1) * DAY_MS;
}

function shortForms(day: string): string[] {
  return [
    day.slice(0, 3),
    ...(day === "tuesday" ? ["tues"] : []),
    ...(day === "thursday" ? ["thu", "thur", "thurs"] : []),
  ];
}
