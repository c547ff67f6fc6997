const DAY_MS = 86_400_000;

const weekdays = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const shortForms: readonly (readonly string[])[] = [
  ["sun"],
  ["mon"],
  ["tue", "tues"],
  ["wed"],
  ["thu", "thur", "thurs"],
  ["fri"],
  ["sat"],
];

/** Words that name a day: what a misspelt one is compared with. */
export const dayWords: readonly string[] = ["today", "yesterday", "tomorrow", ...weekdays];

/** What can hardly be anything but a part of a time in words, be it one that is understood or not. For a pattern. */
export const TIME_WORDS = [
  ...["an?", "one", "half", "ago", "at", "last", "this", "next", "noon", "midnight", "morning", "evening", "night"],
  "(?:ms|sec|second|min|minute|hr|hour|day|week|month|year)s?",
  ...dayWords,
  ...shortForms.flat(),
  "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?",
  "nov(?:ember)?|dec(?:ember)?",
  "\\d{1,2}(?:[a-z]{1,2}|[:.]\\d\\d.*)?",
].join("|");

/** Which way a time without a date is looked for: the last such time gone by, or the next to come. */
export type Looking = "back" | "ahead";

/** The midnight of the day that a word names, on the wall; `today` is today's. A weekday is never today. */
export function dayNamed(word: string, today: number, looking: Looking): number | undefined {
  if (word === "today") return today;
  if (word === "yesterday") return today - DAY_MS;
  if (word === "tomorrow") return today + DAY_MS;
  const name = word.replace(looking === "back" ? /^last / : /^next /, "");
  const weekday = weekdays.findIndex((day, index) => day === name || shortForms[index]?.includes(name));
  if (weekday < 0) return undefined;
  const now = new Date(today).getUTCDay();
  return looking === "back"
    ? today - (((now - weekday + 6) % 7) + 1) * DAY_MS
    : today + (((weekday - now + 6) % 7) + 1) * DAY_MS;
}
