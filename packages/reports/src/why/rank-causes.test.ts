import { describe, expect, it } from "vitest";
import { type MeasuredCause, rankCauses } from "./why.js";

/** A cause by its name, count and affected clients, and the same of the period before. */
function cause(name: string, [count, affected]: [number, number], before?: [number, number]): MeasuredCause {
  return {
    cause: {
      outcome: "refused",
      reason: "other",
      mediaReason: name,
      count,
      before: before?.[0],
      detail: undefined,
      clients: [],
      clientCount: 0,
      nodes: [],
      channels: [],
      where: {},
    },
    affected,
    affectedBefore: before?.[1] ?? 0,
  };
}

describe("the most likely cause", () => {
  it.each<[why: string, causes: MeasuredCause[], ranked: string[]]>([
    ["affects the most clients", [cause("a", [5, 5]), cause("b", [45, 45])], ["b", "a"]],
    ["is no client that tries again and again", [cause("loop", [6000, 1]), cause("ice", [60, 45])], ["ice", "loop"]],
    [
      "affects more clients than before",
      [cause("always", [300, 100], [300, 100]), cause("new", [20, 20], [0, 0])],
      ["new", "always"],
    ],
    [
      "has become more frequent, among those that affect as many more",
      [cause("always", [900, 1], [900, 1]), cause("more", [200, 1], [100, 1])],
      ["more", "always"],
    ],
    [
      "is the most frequent, if nothing has changed",
      [cause("few", [3, 2], [3, 2]), cause("many", [9, 2], [9, 2])],
      ["many", "few"],
    ],
    [
      "is not one that affects fewer than before",
      [cause("better", [50, 40], [90, 80]), cause("same", [1, 1], [1, 1])],
      ["same", "better"],
    ],
    ["is the first one, if all are equal", [cause("a", [1, 1]), cause("b", [1, 1])], ["a", "b"]],
    ["is nothing, if nothing failed", [], []],
  ])("%s", (_, causes, ranked) => {
    expect(rankCauses(causes).map(({ mediaReason }) => mediaReason)).toEqual(ranked);
  });

  it("leaves the given causes in their order", () => {
    const causes = [cause("a", [1, 1]), cause("b", [2, 2])];
    rankCauses(causes);
    expect(causes.map(({ cause: { mediaReason } }) => mediaReason)).toEqual(["a", "b"]);
  });
});
