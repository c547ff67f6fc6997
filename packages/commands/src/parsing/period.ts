import { parametersNamed } from "../grammar.js";
import { quote } from "../quote.js";
import { plain } from "../signs.js";
import { isClock } from "../times/read-moment.js";
import { writeText } from "../words.js";
import { type Fault, faultAt, faultWithHelp } from "./fault.js";
import { type Item, textOf } from "./items.js";
import type { Reading } from "./reading.js";

const DAY_MS = 86_400_000;

/** What is wrong where nothing lies between `since` and `until`. */
export function periodFault(reading: Reading): Fault | undefined {
  const { values, places, draft } = reading;
  const since = values.get("since");
  const until = values.get("until");
  if (typeof since !== "number" || typeof until !== "number" || until > since) return undefined;
  const [begins = [], ends = []] = [places.get("since"), places.get("until")];
  const [first, last] = [begins, ends].map((items) => quote(items.map(textOf).join(" ")));
  if (until === since) {
    const reason = `${first} and ${last} are the same moment: nothing lies between. A day means its beginning; time:yesterday is the whole day.`;
    return faultWithHelp(reading.grammar, [...begins, ...ends], reason, "times");
  }
  const next = nextClock(reading, typedValue(ends), since);
  if (next !== undefined) {
    values.set("until", next);
    return undefined;
  }
  const swapped = `since:${writeText(typedValue(ends))} until:${writeText(typedValue(begins))}`;
  return faultAt(draft, [...begins, ...ends], `${first} is later than ${last}: nothing lies between.`, swapped);
}

/** Half past nine, `since:09:00 until:10:00` ends today, and not where the last ten o'clock was. */
function nextClock({ entry, context }: Reading, typed: string, since: number): number | undefined {
  const [until] = parametersNamed(entry, "until");
  if (!until || !isClock(typed)) return undefined;
  const read = until.value.parse(typed, { ...context, subject: until.word, now: since + DAY_MS });
  return read.ok && typeof read.value === "number" ? read.value : undefined;
}

/** The value as it was typed, be it in one word or in several, without the name before it. */
function typedValue([first, ...rest]: readonly Item[]): string {
  const start = first?.form === "keyed" ? [first.value.text] : [];
  return plain([...start, ...rest.map(textOf)].join(" "));
}
