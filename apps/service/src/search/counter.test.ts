import { expect, it } from "vitest";
import type { TextColumn } from "./columns.js";
import { Counter } from "./count.js";

const pause = async () => {};
const span = { firstAt: "2026-04-01T09:00:00", lastAt: "2026-04-01T09:30:00" };

it.each([
  ["better", (i: number) => i + 1],
  ["worse", (i: number) => 300 - i],
])("the first of many groups are found in pieces if each is %s than those before it", async (_, entriesOf) => {
  const counter = new Counter("webhooks", { by: ["url"], top: 10, every: undefined, offset: 0 });
  const codes = Uint16Array.from(Array.from({ length: 300 }, (_, i) => Array(entriesOf(i)).fill(i)).flat());
  const urls = Array.from({ length: 300 }, (_, i) => `https://hooks.example/${i}`);
  const url: TextColumn = { type: "text", dictionary: urls, codes };
  const none = { type: "number", values: new Float64Array(codes.length).fill(Number.NaN) } as const;
  let pauses = 0;
  const column = (name: string) => (name === "url" ? url : none);
  await counter.addColumns(span, { column, positions: undefined, first: 0, end: codes.length }, pause);
  const { groups } = await counter.answer({ since: "", until: "", complete: true }, async () => {
    pauses += 1;
  });
  expect(groups.map(({ entries }) => entries)).toEqual([300, 299, 298, 297, 296, 295, 294, 293, 292, 291]);
  // Once for each group in the total, and once more in the search for the first ones.
  expect(pauses).toBeGreaterThanOrEqual(600);
});

it("a sum is at most the greatest number that is exact", async () => {
  const counter = new Counter("connections", { by: [], top: 1, every: undefined, offset: 0 });
  const column = () => ({ type: "number", values: new Float64Array(2).fill(Number.MAX_SAFE_INTEGER) }) as const;
  await counter.addColumns(span, { column, positions: undefined, first: 0, end: 2 }, pause);
  const most = Number.MAX_SAFE_INTEGER;
  const { total } = await counter.answer({ since: "", until: "", complete: true }, pause);
  expect(total).toMatchObject({ received_bytes: most, sent_bytes: most, minutes: most });
});
