import { describe, expect, it } from "vitest";
import { connectionsNow, Silence } from "./seats.js";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Successive checks: minutes since the start, how far the wall clock is ahead, and the expected result. */
type Looks = readonly (readonly [minutes: number, aheadMs: number, meansGone: boolean])[];

describe("the silence of a connection", () => {
  it.each<[string, Looks]>([
    [
      "means nothing until every connection could have been reported since the start",
      [
        [0, 0, false],
        [2.9, 0, false],
        [3, 0, true],
      ],
    ],
    [
      "means nothing for three minutes after the clock was set forward",
      [
        [10, 0, true],
        [11, HOUR, false],
        [13.9, HOUR, false],
        [14, HOUR, true],
      ],
    ],
    [
      "means nothing for three minutes after the clock was set back",
      [
        [10, HOUR, false],
        [13, HOUR, true],
        [20, 0, false],
        [23, 0, true],
      ],
    ],
    [
      "still counts while small corrections change the clock",
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
    ["the media server's count", { reported: 3, own: 3, later: 0, granted: 0 }, 3],
    ["the media server's count, if end events were lost", { reported: 1, own: 4, later: 0, granted: 0 }, 1],
    ["the media server's count, if connection events were lost", { reported: 4, own: 1, later: 0, granted: 0 }, 4],
    ["plus admitted clients that have not connected", { reported: 3, own: 3, later: 0, granted: 2 }, 5],
    ["plus connections made after the media server counted", { reported: 0, own: 5, later: 5, granted: 0 }, 5],
    ["but never more than the larger of both counts", { reported: 5, own: 5, later: 5, granted: 0 }, 5],
    ["the service's own count if the server reports none", { reported: undefined, own: 4, later: 1, granted: 0 }, 4],
    ["the service's own count plus admitted clients", { reported: undefined, own: 4, later: 0, granted: 3 }, 7],
  ])("%s", (_, state, connections) => {
    expect(connectionsNow(state)).toBe(connections);
  });
});
