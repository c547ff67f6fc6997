import { expect, it } from "vitest";
import type { Allowance } from "./read-budget.js";
import { weighAnswer } from "./weigh-answer.js";

/** What reading an answer takes from an allowance, when its body comes in chunks of so many bytes. */
async function weightOf(text: string, chunk = text.length): Promise<number> {
  let taken = 0;
  const take = (bytes: number): void => {
    taken += bytes;
  };
  const allowance: Allowance = { take, share() {}, hold: () => () => {}, end() {} };
  const bytes = new TextEncoder().encode(text);
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = 0; at < bytes.length; at += chunk) controller.enqueue(bytes.slice(at, at + chunk));
      controller.close();
    },
  });
  const answer = weighAnswer(new Response(body, { status: 203, headers: { "x-request-id": "1" } }), allowance);
  expect([answer.status, answer.headers.get("x-request-id")]).toEqual([203, "1"]);
  expect(await answer.text()).toBe(text);
  return taken;
}

it.each([
  ["no value", "", 0],
  ["an empty list", "[]", 1],
  ["values", '[{"a":1,"b":[2,3]},{}]', 7],
  ["signs within texts, which are none", '["[{,\\"[{,\\\\","é,"]', 2],
])("an answer weighs its bytes and its values, in whatever chunks it comes: %s", async (_, text, values) => {
  const weight = new TextEncoder().encode(text).length + 32 * values;
  expect(await weightOf(text)).toBe(weight);
  expect(await weightOf(text, 1)).toBe(weight);
});

it("an answer without a body weighs nothing", () => {
  const answer = new Response(null, { status: 204 });
  const allowance = { take: () => expect.unreachable(), share() {}, hold: () => () => {}, end() {} };
  expect(weighAnswer(answer, allowance)).toBe(answer);
});
