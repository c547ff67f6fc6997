import { checkBlocks } from "@media-ops/fake-slack";
import type { Button } from "@slack/types";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { anyText } from "../test/arbitrary.js";
import {
  anyAudit,
  anyChecked,
  anyDeliveries,
  anyDelivery,
  anyEndpoint,
  anyEndpoints,
  anyResent,
  anyRevoked,
  anyTokens,
} from "../test/arbitrary-operations.js";
import { now } from "../test/samples.js";
import { strayMarkup } from "../test/slack-markup.js";
import {
  formatAudit,
  formatCheckedToken,
  formatDeliveries,
  formatDelivery,
  formatEnabled,
  formatEndpoints,
  formatResent,
  formatRevoked,
  formatTokens,
  type SlackListingMessage,
  type SlackListingOptions,
  type SlackMessage,
} from "./index.js";

beforeAll(() => fc.configureGlobal({ numRuns: 40 }));
afterAll(() => fc.resetConfigureGlobal());

/** The total length of a message's texts: Slack refuses more than some 11,000 characters. */
function lengthOfTexts(part: unknown): number {
  if (typeof part !== "object" || part === null) return 0;
  const text = "text" in part && typeof part.text === "string" ? part.text.length : 0;
  return Object.values(part).reduce<number>((sum, one) => sum + lengthOfTexts(one), text);
}

/** Expects of any message that Slack accepts it, and that no untrusted text has an effect in it. */
function expectRight(message: SlackMessage): void {
  expect(checkBlocks(message.blocks, "message")).toEqual({ ok: true });
  expect(strayMarkup(message)).toEqual([]);
  expect(message.text).not.toBe("");
  expect(lengthOfTexts(message.blocks)).toBeLessThan(11_000);
}

const anyOptions = fc.record(
  {
    title: anyText,
    note: anyText,
    hasMore: fc.boolean(),
    atMost: fc.double(),
    timeZone: fc.constantFrom(undefined, "UTC", "Pacific/Chatham"),
    isLabelled: fc.boolean(),
    name: anyText,
  },
  { requiredKeys: [] },
);

/** Expects of a list of any length that the message is right and says how many items it shows. */
function expectListing<Item>(
  print: (items: readonly Item[], options: SlackListingOptions<Item>) => SlackListingMessage,
  anyItems: fc.Arbitrary<Item[]>,
): void {
  fc.assert(
    fc.property(anyItems, anyOptions, (items, { isLabelled, name, ...options }) => {
      let id = 0;
      const button = (): Button => {
        id += 1;
        return { type: "button", text: { type: "plain_text", text: "Revoke" }, action_id: `revoke:${id}` };
      };
      const message = print(items, {
        now,
        ...options,
        ...(isLabelled && { button }),
        ...(name !== undefined && { nameOf: () => name }),
      });
      expectRight(message);
      expect(message.shown).toBeLessThanOrEqual(items.length);
      expect(message.shown).toBeGreaterThanOrEqual(Math.min(items.length, 1));
      // The caller has blocks of its own.
      expect(message.blocks.length).toBeLessThanOrEqual(46);
    }),
  );
}

describe("for any answers, Slack accepts, and no text has an effect in,", () => {
  it("issued tokens", () => expectListing(formatTokens, anyTokens));
  it("webhook deliveries", () => expectListing(formatDeliveries, anyDeliveries));
  it("webhook endpoints", () => expectListing(formatEndpoints, anyEndpoints));
  it("the audit log", () => expectListing(formatAudit, anyAudit));

  it("one delivery, also with very many attempts", () => {
    fc.assert(
      fc.property(anyDelivery, anyText, fc.nat(300), (delivery, title, times) => {
        expectRight(formatDelivery(delivery, { now, title }));
        const attempts = Array.from({ length: times }, () => ({ timestamp: "2026-11-21T14:03:23Z", status: 503 }));
        expectRight(formatDelivery({ ...Object(delivery), attempts }, { now }));
      }),
    );
  });

  it("the outcomes of acts, and the state of a token", () => {
    fc.assert(
      fc.property(anyRevoked, anyResent, anyEndpoint, anyChecked, (revoked, resent, endpoint, checked) => {
        for (const message of [
          formatRevoked(revoked, { now }),
          formatResent(resent, { now }),
          formatEnabled(endpoint, { now }),
          formatCheckedToken(checked, { now }),
        ]) {
          expectRight(message);
        }
      }),
    );
  });
});
