import type {
  AuditEntry,
  CheckedToken,
  Delivery,
  IssuedToken,
  ResentDeliveries,
  RevokedTokens,
  WebhookEndpoint,
} from "@media-ops/contract";
import * as fc from "fast-check";
import { anyText, anyValue } from "./arbitrary.js";
import { audit, deliveries, endpoints, goodToken, issued, revokedChannel, revokedToken } from "./operation-samples.js";

/** A valid or an invalid value of a field with one of these values. */
const anyOf = (values: readonly unknown[]): fc.Arbitrary<unknown> =>
  fc.oneof(fc.constantFrom<unknown>(...values), anyText, anyValue, fc.constantFrom(null, undefined));

/** Anything like these samples: each field is missing, one of theirs, or any value. */
function anyLike<Sample extends object>(samples: readonly Sample[]): fc.Arbitrary<Sample> {
  const names = [...new Set(samples.flatMap((sample) => Object.keys(sample)))];
  const fields = names.map((name) => {
    const values = samples.flatMap((sample) =>
      Object.entries(sample).flatMap(([key, one]) => (key === name ? [one] : [])),
    );
    return [name, anyOf(values)];
  });
  const anyRecord = fc.record(Object.fromEntries(fields), { requiredKeys: [] });
  // A service, or a proxy before it, may answer anything.
  return fc.oneof({ weight: 9, arbitrary: anyRecord }, { weight: 1, arbitrary: anyOf([[]]) }) as fc.Arbitrary<Sample>;
}

/** A few different things, repeated to more than fit into a Slack message. */
const many = <Item>(one: fc.Arbitrary<Item>): fc.Arbitrary<Item[]> =>
  fc.tuple(fc.array(one, { maxLength: 8 }), fc.nat(8)).map(([some, times]) => Array(times).fill(some).flat());

export const anyTokens: fc.Arbitrary<IssuedToken[]> = many(anyLike(issued));
export const anyDelivery: fc.Arbitrary<Delivery> = anyLike(
  deliveries.map((delivery) => ({ ...delivery, attempts: [...delivery.attempts, ...delivery.attempts] })),
);
export const anyDeliveries: fc.Arbitrary<Delivery[]> = many(anyDelivery);
export const anyEndpoint: fc.Arbitrary<WebhookEndpoint> = anyLike(endpoints);
export const anyEndpoints: fc.Arbitrary<WebhookEndpoint[]> = many(anyEndpoint);
export const anyAudit: fc.Arbitrary<AuditEntry[]> = many(anyLike(audit));
export const anyRevoked: fc.Arbitrary<RevokedTokens> = anyLike([revokedToken, revokedChannel]);
export const anyResent: fc.Arbitrary<ResentDeliveries> = anyLike([{ resent: 0 }, { resent: 12, delivery_id: "d" }]);
export const anyChecked: fc.Arbitrary<CheckedToken> = anyLike([
  goodToken,
  { active: false, reason: "revoked", message: "The token was revoked. Make a new one." },
]);
