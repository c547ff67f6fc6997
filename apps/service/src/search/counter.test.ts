import { describe, expect, it } from "vitest";
import { Groups } from "./counter.js";

describe("the first of many groups", () => {
  it.each([
    ["better", (i: number) => i + 1],
    ["worse", (i: number) => 1000 - i],
  ])("are found in pieces if each is %s than those before it", async (_, entriesOf) => {
    const groups = new Groups("webhooks", ["url"]);
    for (let i = 0; i < 1000; i++) groups.of({ url: `https://hooks.example/${i}` }).entries = entriesOf(i);
    let pauses = 0;
    const pause = async () => {
      pauses += 1;
    };
    const top = await groups.top(10, pause);
    expect(top.map(({ tally }) => tally.entries)).toEqual([1000, 999, 998, 997, 996, 995, 994, 993, 992, 991]);
    expect(pauses).toBeGreaterThanOrEqual(1000);
  });
});
