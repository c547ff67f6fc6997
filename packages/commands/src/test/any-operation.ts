import fc from "fast-check";
import type { OperationCommand } from "../operations.js";
import type { Person } from "../values/operation-types.js";

const people = fc.oneof<fc.Arbitrary<Person>[]>(
  fc.constant({ is: "me" }),
  fc.stringMatching(/^[UW][A-Z0-9]{4,10}$/).map((user) => ({ is: "slack", user })),
  fc.stringMatching(/^[a-z]{2,8}:[a-z0-9@/._-]{3,20}$/).map((name) => ({ is: "named", name })),
);
const eventTypes = fc.constantFrom("connection.created", "session.destroyed", "recording.started");
const auditActions = fc.constantFrom("token.revoke", "media-api.DisconnectChannel", "operator.keys create");

/** Any operation that may have been parsed at a time. */
export function anyOperation(now: number): fc.Arbitrary<OperationCommand> {
  // Words that would be read as something else without the argument's name.
  const name = fc.oneof(
    fc.stringMatching(/^[\p{L}\p{N}_.@/ "'-]{1,20}$/u).filter((text) => text.trim() !== ""),
    fc.constantFrom("lobby", "all", "disconnect", "recvonly", "list", "2h", "in", "me", "5f0c8a52…"),
    fc.uuid(),
  );
  const past = fc.integer({ min: 0, max: now });
  const period = fc.oneof(
    fc.constant({}),
    past.map((since) => ({ since })),
    fc
      .tuple(past, past)
      .filter(([a, b]) => a !== b)
      .map(([a, b]) => ({ since: Math.min(a, b), until: Math.max(a, b) })),
  );
  const last = fc.integer({ min: 1, max: 1000 });
  const tokenId = fc.oneof(fc.uuid(), fc.constantFrom("order-42", "order 42/é", "lobby", "a,b", "1ｓ"));
  const role = fc.constantFrom("recvonly" as const, "sendonly" as const, "sendrecv" as const);
  const yes = fc.constant(true as const);
  const anyId = fc.stringMatching(/^[0-9A-Za-z_-]{8,30}$/);
  const shared = { in: name };

  const tokens = fc.record(
    { name: fc.constant("tokens" as const), channel: name, id: tokenId, role, all: yes, by: people, last, ...shared },
    { requiredKeys: ["name"] },
  );
  const revokeOne = fc.record(
    { name: fc.constant("revoke" as const), id: tokenId, disconnect: yes, ...shared },
    { requiredKeys: ["name", "id"] },
  );
  const revokeAll = fc.record(
    { name: fc.constant("revoke" as const), channel: name, disconnect: yes, before: past, ...shared },
    { requiredKeys: ["name", "channel"] },
  );
  const deliveries = fc
    .tuple(
      fc.record(
        {
          name: fc.constant("deliveries" as const),
          state: fc.constantFrom("failed" as const, "waiting" as const, "delivered" as const),
          type: eventTypes,
          event: anyId,
          id: anyId,
          last,
          ...shared,
        },
        { requiredKeys: ["name"] },
      ),
      period,
    )
    .map(([command, times]) => ({ ...command, ...times }));
  const resendOne = fc.record(
    {
      name: fc.constant("resend" as const),
      id: anyId,
      is: fc.constantFrom("delivery" as const, "event" as const),
      ...shared,
    },
    { requiredKeys: ["name", "id"] },
  );
  const resendAll = fc
    .tuple(
      fc.record({ name: fc.constant("resend" as const), type: eventTypes, ...shared }, { requiredKeys: ["name"] }),
      period.filter((times) => "since" in times),
    )
    .map(([command, times]) => ({ ...command, ...times }));
  const endpoint = fc.constantFrom("auth" as const, "session" as const, "event" as const);
  const audit = fc
    .tuple(
      fc.record(
        {
          name: fc.constant("audit" as const),
          by: people,
          action: auditActions,
          last,
          as: fc.constantFrom("table" as const, "csv" as const, "json" as const),
          ...shared,
        },
        { requiredKeys: ["name"] },
      ),
      period,
    )
    .map(([command, times]) => ({ ...command, ...times }));
  return fc.oneof(
    tokens,
    revokeOne,
    revokeAll,
    deliveries,
    resendOne,
    resendAll,
    fc.record({ name: fc.constant("endpoints" as const), ...shared }, { requiredKeys: ["name"] }),
    fc.record({ name: fc.constant("enable" as const), endpoint, ...shared }, { requiredKeys: ["name", "endpoint"] }),
    fc.record(
      { name: fc.constant("disconnect" as const), channel: name, connection: anyId, ...shared },
      { requiredKeys: ["name", "channel"] },
    ),
    audit,
  );
}
