import type { Delivery, WebhookEndpoint } from "@media-ops/contract";
import { describe, expect, it } from "vitest";
import { deliveries, endpoints, now } from "../test/samples.js";
import { deliveriesListing, deliveryWords, endpointsListing, resendOutcomeWords } from "./webhooks.js";

const [waiting, failed, delivered] = deliveries as [Delivery, Delivery, Delivery];

describe("webhook deliveries", () => {
  it.each([
    [[], false, "No deliveries were found."],
    [[failed], false, "1 delivery: 1 failed."],
    [deliveries, false, "3 deliveries: 1 failed, 1 waiting, 1 delivered."],
    [[delivered, delivered], true, "At least 2 deliveries: 2 delivered."],
  ])("%#: are counted by their state", (given, hasMore, words) => {
    expect(deliveriesListing(given, { now, hasMore }).words).toBe(words);
  });

  it("says if it was not attempted yet", () => {
    expect(deliveryWords({ ...waiting, attempts: [], fault: "" }, { now })).toContain("· no attempt yet · next try in");
  });
});

describe("a delivery that was sent again", () => {
  const tried = (status: number, state: Delivery["state"]): Delivery => ({
    ...failed,
    state,
    attempts: [...failed.attempts, { timestamp: new Date(now).toISOString(), status }],
  });

  it.each([
    [{ ...failed, state: "waiting" as const }, undefined],
    [{ ...failed, attempts: [] }, undefined],
    [tried(200, "delivered"), "✓ Resent and delivered: the receiver answered 200."],
    [tried(503, "waiting"), "▲ Resent, but the receiver answered 503. It will be retried."],
    [tried(0, "failed"), "▲ Resent, but the receiver did not answer. It will not be retried."],
  ])("%#: is described by its new attempt", (after, words) => {
    expect(resendOutcomeWords(failed, after)).toBe(words);
  });

  it("has a new attempt although only the newest are kept", () => {
    const after = { ...tried(200, "delivered"), attempts: tried(200, "delivered").attempts.slice(1) };
    expect(resendOutcomeWords(failed, after)).toContain("delivered");
  });
});

describe("webhook endpoints", () => {
  it("have only the columns that say something", () => {
    const titles = (given: readonly WebhookEndpoint[]) =>
      endpointsListing(given, { now }).columns.map(({ title }) => title);
    expect(titles(endpoints.slice(0, 1))).toEqual(["Kind", "State", "URL"]);
    expect(titles(endpoints)).toEqual(["Kind", "State", "Since", "Waiting", "URL", "Reason"]);
  });
});
