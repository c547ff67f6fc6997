import { createMediaClient, MediaTimeoutError } from "@media-ops/sdk";
import { describe, expect, it } from "vitest";
import type { Ask } from "../connections/connections.js";
import { Refused } from "../slack/answer.js";
import { askTogether } from "./open-project.js";

const client = createMediaClient({ baseUrl: "http://127.0.0.1:1", apiKey: "mo_0123" });
const ask: Ask = (call) => call(client, { timeoutMs: 5 });
const NOW = Date.parse("2026-11-21T14:05:30Z");
const request = (leftMs: number) => ({ answerBy: NOW + leftMs, now: () => NOW });

/** Resolves never; rejects as the client does if the call is aborted. */
const untilAborted = (signal: AbortSignal | undefined) =>
  new Promise<never>((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));

describe("a call of many requests", () => {
  it("ends before the answer is due, and the person reads how to ask for less", async () => {
    const asked = askTogether({ ask }, request(1010), (_, { signal }) => untilAborted(signal));
    await expect(asked).rejects.toThrow(Refused);
    await expect(asked).rejects.toThrow("A shorter time is faster");
  });

  it("keeps the service's own timeout, and any other error", async () => {
    const slow = new MediaTimeoutError("slow");
    await expect(askTogether({ ask }, request(9000), () => Promise.reject(slow))).rejects.toBe(slow);
    await expect(askTogether({ ask }, request(0), () => Promise.reject(slow))).rejects.toBe(slow);
  });

  it("gives each request the timeout of the caller", async () => {
    expect(await askTogether({ ask }, request(9000), async (_, { timeoutMs }) => timeoutMs)).toBe(5);
  });
});
