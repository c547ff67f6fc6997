import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { patiently } from "../connect.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("reports once that an answer takes long", async () => {
  const say = vi.fn();
  const answer = patiently(new Promise((resolve) => setTimeout(resolve, 60_000, "there")), say);
  await vi.advanceTimersByTimeAsync(3_000);
  expect(say).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(57_000);
  expect(say).toHaveBeenCalledOnce();
  expect(await answer).toBe("there");
});

it("reports nothing if the answer arrives or fails in time", async () => {
  const say = vi.fn();
  await patiently(Promise.resolve(), say);
  await patiently(Promise.reject(new Error("no")), say).catch(() => {});
  await vi.advanceTimersByTimeAsync(60_000);
  expect(say).not.toHaveBeenCalled();
});
