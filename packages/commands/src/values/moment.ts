import { quote, takes } from "../quote.js";
import type { Looking } from "../times/day-words.js";
import { describeDistance, describeMoment } from "../times/describe-moment.js";
import { mendMoment, timeHint } from "../times/mend-moment.js";
import { readMoment } from "../times/read-moment.js";
import { type Choice, refused, understood, type ValueType } from "./value-type.js";

export interface MomentOptions {
  /** Which way a time without a date is looked for. */
  readonly looking: Looking;
  /** Whether it must have gone by. */
  readonly gone: boolean;
  readonly example: string;
}

/** A time: `2h`, `yesterday`, `09:00`, `2026-11-20`, RFC 3339. Gives milliseconds since 1970. */
export function moment({ looking, gone, example }: MomentOptions): ValueType<number> {
  return {
    name: "time",
    example,
    spaced: true,
    telling: true,
    zoned: true,
    parse(text, { subject, now, zone }) {
      const found = readMoment(text, { now, zone, looking });
      if (!found) {
        const wanted = `a time, such as ${choices[looking]
          .slice(0, 2)
          .map(([word]) => word)
          .join(", ")}, 09:00 or 2026-11-20`;
        return refused(`${takes(subject, wanted, text)}${timeHint(text)}`, mendMoment(text), "times");
      }
      if (gone && found.from > now) {
        return refused(`${subject} looks back, and ${quote(text)} is still to come.`, undefined, "times");
      }
      return understood(found.from);
    },
    complete: () => choices[looking],
    write: (instant) => new Date(instant).toISOString(),
    describe: (instant, context) => describeMoment(instant, context),
  };
}

/** Where a listing begins: told as a distance, where it was one. */
export const since: ValueType<number> = {
  ...moment({ looking: "back", gone: true, example: "2h" }),
  describe(instant, context) {
    const clock = describeMoment(instant, context);
    // A day by its date, even where it began a round number of hours ago.
    const distance = clock.includes(" ") ? describeDistance(instant, context) : undefined;
    return distance ? `last ${distance}` : `since ${clock}`;
  },
};

/** Where a listing ends, itself left out: told by the clock, so that nobody takes a day for the whole of it. */
export const until: ValueType<number> = {
  ...moment({ looking: "back", gone: false, example: "1h" }),
  describe: (instant, context) => describeMoment(instant, context, "none"),
};

const choices: Readonly<Record<Looking, readonly Choice[]>> = {
  back: [
    ["2h", "2 hours ago"],
    ["yesterday", "the midnight with which yesterday began"],
    ["today", "the midnight with which today began"],
    ["30m", "30 minutes ago"],
    ["1d", "24 hours ago"],
    ["7d", "7 days ago"],
    ["09:00", "the last time it was nine"],
    ["monday", "the midnight with which the last Monday before today began"],
  ],
  ahead: [
    ["2h", "in 2 hours"],
    ["tomorrow", "at its beginning"],
    ["30m", "in 30 minutes"],
    ["09:00", "the next time it is nine"],
    ["monday", "the next Monday after today"],
  ],
};
