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
import { withoutColours } from "../test/terminal-text.js";
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
  textWidth,
} from "./index.js";

beforeAll(() => fc.configureGlobal({ numRuns: 30 }));
afterAll(() => fc.resetConfigureGlobal());

const anyOptions = fc.record({
  now: fc.constant(now),
  width: fc.oneof(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 250 })),
  color: fc.boolean(),
  timeZone: fc.constantFrom(undefined, "Pacific/Chatham"),
  title: anyText,
  note: anyText,
  hasMore: fc.boolean(),
  nameOf: anyText.map((name) => () => name),
});

/** Expects of every line that it fits and has no control characters. */
function expectRight(text: string, width: number): void {
  for (const line of text.split("\n").map(withoutColours)) {
    expect(line).not.toMatch(/[\p{Cc}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Bidi_Control}]/u);
    expect(textWidth(line)).toBeLessThanOrEqual(width);
  }
}

describe("for any answers, and any width of the terminal, each line fits of", () => {
  it.each([
    ["issued tokens", anyTokens, formatTokens],
    ["webhook deliveries", anyDeliveries, formatDeliveries],
    ["one delivery", anyDelivery, formatDelivery],
    ["webhook endpoints", anyEndpoints, formatEndpoints],
    ["the audit log", anyAudit, formatAudit],
    ["what was revoked", anyRevoked, formatRevoked],
    ["what was sent again", anyResent, formatResent],
    ["what was switched on", anyEndpoint, formatEnabled],
    ["the state of a token", anyChecked, formatCheckedToken],
  ] as [string, fc.Arbitrary<unknown>, (thing: never, options: object) => string][])("%s", (_, anyThing, print) => {
    fc.assert(
      fc.property(anyThing, anyOptions, (thing, options) => {
        expectRight(print(thing as never, options), options.width);
      }),
    );
  });
});
