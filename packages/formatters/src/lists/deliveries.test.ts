import type { Delivery, WebhookEndpoint } from "@media-ops/contract";
import { describe, expect, it } from "vitest";
import { deliveries, endpoints } from "../test/operation-samples.js";
import { now } from "../test/samples.js";
import { deliveriesListing, deliveryWords, resendOutcomeWords } from "./deliveries.js";
import { endpointsListing } from "./endpoints.js";
import { lineText } from "./list.js";

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

  it.each<[delivery: Delivery, words: string]>([
    [
      waiting,
      "→ waiting · connection.created · 3 attempts, last no answer · connection refused · next try in 1 min (14:06:53) · received 2 min ago (14:03:22) · event 01KAKV0C…6Y4Z",
    ],
    [
      failed,
      "✗ failed · session.destroyed · 4 attempts, last 503 · received 1 d ago (Nov 20 09:00:00) · event 01KAKTZ8…2M4E",
    ],
    [
      { ...waiting, attempts: [], fault: "" },
      "→ waiting · connection.created · no attempt yet · next try in 1 min (14:06:53) · received 2 min ago (14:03:22) · event 01KAKV0C…6Y4Z",
    ],
    [
      delivered,
      "✓ delivered · connection.created · 1 attempt, 204 · received 46 min ago (13:18:40) · event 01KAKR7A…5J7K",
    ],
  ])("%#: say how their attempts went, and when the next one is", (delivery, words) => {
    expect(deliveryWords(delivery, { now })).toBe(words);
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
    [tried(200, "delivered"), "✓ Sent again and delivered: its receiver answered 200."],
    [tried(503, "waiting"), "▲ Sent again, but its receiver answered 503. It will be tried again."],
    [tried(0, "failed"), "▲ Sent again, but its receiver did not answer. It will not be tried again."],
  ])("%#: is described by its new attempt", (after, words) => {
    expect(resendOutcomeWords(failed, after)).toBe(words);
  });

  it("has a new attempt although only the newest are kept", () => {
    const after = { ...tried(200, "delivered"), attempts: tried(200, "delivered").attempts.slice(1) };
    expect(resendOutcomeWords(failed, after)).toContain("delivered");
  });
});

describe("webhook endpoints", () => {
  it("say since when they fail or are off, and why", () => {
    const { words, lineOf, clock } = endpointsListing(endpoints, { now });
    expect([words, ...endpoints.map((endpoint) => lineText(lineOf(endpoint), clock))]).toEqual([
      "3 webhook endpoints: 1 off, 1 failing, 1 ok.",
      "auth webhook · hooks.example/auth · ✓ ok",
      "session webhook · hooks.example/teams/vide…n/eu-central-1/sessions · ▲ failing since 14:03:22 (2 min ago)",
      "event webhook · hooks.example/media · ✗ off since 13:20:00 (45 min ago) · the receiver answered 410 Gone · 12 events wait",
    ]);
  });

  it("have only the columns that say something", () => {
    const titles = (given: readonly WebhookEndpoint[]) =>
      endpointsListing(given, { now }).columns.map(({ title }) => title);
    expect(titles(endpoints.slice(0, 1))).toEqual(["Kind", "State", "URL"]);
    expect(titles(endpoints)).toEqual(["Kind", "State", "Since", "Waiting", "URL", "Reason"]);
  });
});
