import { quote } from "../quote.js";
import { writeText } from "../words.js";
import { type Fault, faultAt } from "./fault.js";
import { type Item, textOf } from "./items.js";
import type { Reading } from "./reading.js";

/** What is wrong where `since` is later than `until`. */
export function periodFault({ values, places, draft }: Reading): Fault | undefined {
  const [since, until] = [values.get("since"), values.get("until")];
  if (typeof since !== "number" || typeof until !== "number" || since <= until) return undefined;
  const [begins = [], ends = []] = [places.get("since"), places.get("until")];
  const reason = `${quote(begins.map(textOf).join(" "))} is later than ${quote(ends.map(textOf).join(" "))}: nothing lies between.`;
  return faultAt(
    draft,
    [...begins, ...ends],
    reason,
    `since:${writeText(typedValue(ends))} until:${writeText(typedValue(begins))}`,
  );
}

/** The value as it was typed, be it in one word or in several. */
function typedValue(items: readonly Item[]): string {
  return items.map((item) => (item.form === "keyed" ? item.value.text : item.text)).join(" ");
}
