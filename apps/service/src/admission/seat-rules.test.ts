import { describe, expect, it } from "vitest";
import { connectionsNow, Silence } from "./seats.js";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Looks one after another: minutes since the start, by how much the wall clock is ahead, and what is expected. */
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

describe("the connections of a channel", () => {
  it.each([
    ["an empty channel", { reported: 0, own: 0, later: 0, granted: 0 }, 0],
    ["what the media server says", { reported: 3, own: 3, later: 0, granted: 0 }, 3],
    ["what it says, though we have missed some who went", { reported: 1, own: 4, later: 0, granted: 0 }, 1],
    ["what it says, though we have missed some who came", { reported: 4, own: 1, later: 0, granted: 0 }, 4],
    ["and those who were let in", { reported: 3, own: 3, later: 0, granted: 2 }, 5],
    ["and those who came after it had counted", { reported: 0, own: 5, later: 5, granted: 0 }, 5],
    ["but never more than it says or we have seen", { reported: 5, own: 5, later: 5, granted: 0 }, 5],
    ["our own number where it says none", { reported: undefined, own: 4, later: 1, granted: 0 }, 4],
    ["our own number and those who were let in", { reported: undefined, own: 4, later: 0, granted: 3 }, 7],
  ])("%s", (_, state, connections) => {
    expect(connectionsNow(state)).toBe(connections);
  });
});
