import { describe, expect, it, onTestFinished, vi } from "vitest";
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

  it("are compared without writing their values as text again", async () => {
    const groups = new Groups("webhooks", ["url"]);
    const urls = Array.from({ length: 100 }, (_, i) => `https://hooks.example/${i}`);
    for (const url of urls) groups.of({ url });
    const stringify = vi.spyOn(JSON, "stringify");
    onTestFinished(() => stringify.mockRestore());
    const top = await groups.top(3, async () => {});
    const calls = stringify.mock.calls.length;
    stringify.mockRestore();
    expect(top.map(({ by }) => by.url)).toEqual(urls.slice(0, 2).concat("https://hooks.example/10"));
    expect(calls).toBe(0);
  });
});
