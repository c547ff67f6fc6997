import { describe, expect, it } from "vitest";
import * as csv from "./csv/index.js";
import * as jsonl from "./jsonl/index.js";
import * as markdown from "./markdown/index.js";
import * as slack from "./slack/index.js";
import * as terminal from "./terminal/index.js";
import { hostile } from "./test/hostile.js";
import {
  audit,
  badToken,
  deliveries,
  endpoints,
  goodToken,
  issued,
  resent,
  revokedChannel,
  revokedToken,
} from "./test/operation-samples.js";
import { now } from "./test/samples.js";

/** What a service may answer: something hostile, or a sample with it in place of a field. */
const spoilt = (samples: readonly object[], thing: object): never[] => [
  thing as never,
  ...samples.flatMap((sample) => Object.keys(sample).map((name) => ({ ...sample, [name]: thing }) as never)),
];

describe.each(Object.entries(hostile))("with %s in place of an answer or a value,", (_, thing) => {
  it.each([
    ["issued tokens", issued, "formatTokens"],
    ["webhook deliveries", deliveries, "formatDeliveries"],
    ["webhook endpoints", endpoints, "formatEndpoints"],
    ["an audit log", audit, "formatAudit"],
  ] as const)("%s are printed", (_, samples, print) => {
    const items = spoilt(samples, thing);
    for (const some of [items, ...items.map((item) => [item as never])]) {
      for (const { [print]: printed } of [slack, terminal, markdown]) {
        expect(printed(some, { now })).toBeTruthy();
      }
      const [inCsv, inJson] = [csv, jsonl].map(({ [print]: printed }) => printed(some).split("\n").length - 1);
      expect([inCsv, inJson]).toEqual([some.length + 1, some.length]);
    }
  });

  it("one delivery is printed", () => {
    for (const delivery of spoilt([...deliveries, { attempts: [thing] }], thing)) {
      for (const { formatDelivery } of [slack, terminal, markdown])
        expect(formatDelivery(delivery, { now })).toBeTruthy();
    }
  });

  it.each([
    ["what was revoked", [revokedToken, revokedChannel], "formatRevoked"],
    ["what was sent again", [resent], "formatResent"],
    ["what was switched on", endpoints, "formatEnabled"],
    ["the state of a token", [goodToken, badToken], "formatCheckedToken"],
  ] as const)("%s is printed", (_, samples, print) => {
    for (const answer of spoilt(samples, thing)) {
      for (const { [print]: printed } of [slack, terminal]) expect(printed(answer, { now })).toBeTruthy();
    }
  });
});
