import { describe, expect, it } from "vitest";
import { Silence } from "./silence.js";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** What is asked one after another, at so many minutes since the start, with a wall clock that is so much ahead. */
type Looks = readonly (readonly [minutes: number, aheadMs: number, meansGone: boolean])[];

describe("the silence of a connection", () => {
  it.each<[string, Looks]>([
    [
      "means nothing until all have been heard of since the start",
      [
        [0, 0, false],
        [2.9, 0, false],
        [3, 0, true],
      ],
    ],
    [
      "means nothing for a while after the clock was put forward",
      [
        [10, 0, true],
        [11, HOUR, false],
        [13.9, HOUR, false],
        [14, HOUR, true],
      ],
    ],
    [
      "means nothing for a while after the clock was put back",
      [
        [10, HOUR, false],
        [13, HOUR, true],
        [20, 0, false],
        [23, 0, true],
      ],
    ],
    [
      "means something though the clock is corrected a little all the time",
      [
        [10, 50_000, true],
        [11, 0, true],
        [12, 59_000, true],
      ],
    ],
  ])("%s", (_, looks) => {
    let [elapsed, ahead] = [0, 0];
    const silence = new Silence({ now: () => 1_775_035_815_250 + elapsed + ahead, elapsed: () => elapsed });
    for (const [minutes, aheadMs, meansGone] of looks) {
      [elapsed, ahead] = [minutes * MINUTE, aheadMs];
      expect(silence.meansGone(), `after ${minutes} min`).toBe(meansGone);
    }
  });
});
