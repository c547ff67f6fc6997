import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { startTestIntake, type TestIntake } from "../test/intake-harness.js";
import { listQuarantine } from "./quarantine.js";

const listedIn = ({ service }: TestIntake, limit = 10) => listQuarantine(service.storage.query, limit);

describe("what is kept of refused bodies", () => {
  it("is the last thousand of them, and the newest stands first", async () => {
    const test = await startTestIntake();
    const send = async (number: number) => {
      expect((await test.post("event", { number })).status).toBe(400);
    };
    for (const number of [1, 2, 3, 4, 5]) await send(number);
    // At once, but for the first and the last of them.
    await Promise.all(Array.from({ length: 999 }, (_, at) => send(6 + at)));
    await send(1005);
    const kept = await listedIn(test, 2000);
    const numbers = kept.map(({ body }) => (JSON.parse(body) as { number: number }).number);
    expect(numbers[0]).toBe(1005);
    expect([...numbers].sort((a, b) => a - b)).toEqual(Array.from({ length: 1000 }, (_, at) => 6 + at));
    expect((await listedIn(test, 3)).map(({ id }) => id)).toEqual(kept.slice(0, 3).map(({ id }) => id));
  });

  it("is the beginning of a long one", async () => {
    const test = await startTestIntake();
    const body = `x${"é".repeat(1_000_000)}`;
    expect((await test.post("event", body)).status).toBe(400);
    expect((await listedIn(test))[0]?.body).toBe(body.slice(0, 16_384));
  });

  it("is a text, though what came was none", async () => {
    const test = await startTestIntake();
    expect((await test.post("event", randomBytes(1000))).status).toBe(400);
    expect((await listedIn(test))[0]?.body.isWellFormed()).toBe(true);
  });
});
