import { once } from "node:events";
import { MessageChannel } from "node:worker_threads";
import { expect, it, onTestFinished } from "vitest";
import { Refusal, unavailable } from "../refusal.js";
import { ThreadCalls } from "./thread-calls.js";

/** The calls of one thread to another that offers these functions. */
function callsTo(offered: ConstructorParameters<typeof ThreadCalls>[1]): ThreadCalls {
  const { port1, port2 } = new MessageChannel();
  onTestFinished(() => port1.close());
  new ThreadCalls(port2, offered);
  return new ThreadCalls(port1, {});
}

it("a call of another thread is answered, whatever the order of the answers", async () => {
  const calls = callsTo({
    double: async (n: number) => {
      if (n === 1) await new Promise((resolve) => setImmediate(resolve));
      return { n: 2 * n };
    },
  });
  expect(await Promise.all([1, 2, 3].map((n) => calls.call("double", n)))).toEqual([{ n: 2 }, { n: 4 }, { n: 6 }]);
});

it("a refusal arrives as it was, and another error with its cause, for the log", async () => {
  const calls = callsTo({
    refuse: async () => {
      throw unavailable("Try again in 5 seconds.", 5);
    },
    fail: async () => {
      throw new TypeError("a bug");
    },
  });
  const refusal = await calls.call("refuse", undefined).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(Refusal);
  expect(refusal).toMatchObject({ status: 503, message: "Try again in 5 seconds.", headers: { "retry-after": "5" } });
  const fault = { status: 500, cause: { message: "a bug", stack: expect.stringContaining("thread-calls.test") } };
  await expect(calls.call("fail", undefined)).rejects.toMatchObject(fault);
});

it("a call whose caller has left ends in the other thread, too", async () => {
  const calls = callsTo({ hold: (_: undefined, signal) => once(signal, "abort").then(() => "left") });
  const caller = new AbortController();
  const held = calls.call("hold", undefined, caller.signal);
  caller.abort();
  expect(await held).toBe("left");
  expect(await calls.call("hold", undefined, caller.signal)).toBe("left");
});
