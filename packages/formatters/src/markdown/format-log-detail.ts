import type { LogKind } from "@media-ops/sdk";
import { detailsOf } from "../details.js";
import { fieldOf } from "../values/field.js";
import { textOf } from "../values/text.js";
import { clockFor, type TimeOptions } from "../values/time.js";
import { factLines } from "./table.js";

/**
 * Everything that an entry holds, with nothing left out, as a table.
 *
 * @throws {RangeError} where there is no such time zone.
 */
export function formatLogDetail(kind: LogKind, entry: unknown, options: TimeOptions): string {
  const clock = clockFor(options);
  const facts = detailsOf(kind, entry, clock).map(({ title, field, shown: { whole, time } }) => {
    if (time === undefined) return { title, text: whole };
    return { title, text: `${clock.full(time)} ${clock.timeZone} · ${textOf(fieldOf(entry, field))}` };
  });
  return factLines("Field", facts).join("\n");
}
