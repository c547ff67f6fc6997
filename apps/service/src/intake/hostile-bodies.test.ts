import type { Problem } from "@media-ops/contract";
import { intakeContract, resolve } from "@media-ops/openapi/contract";
import { validator } from "@media-ops/openapi/judge";
import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import type { Answer } from "../test/harness.js";
import { type IntakeKind, startTestIntake } from "../test/intake-harness.js";
import { connectionDestroyed, connectionOf } from "../test/media-events.js";

const MIB = 1024 * 1024;

const test = await startTestIntake({ atEnd: afterAll });

const kinds = ["auth", "session", "event"] as const;
const [isAuth, isSession, isEvent] = ["AuthRequest", "SessionEvent", "ConnectionEvent"].map((name) =>
  validator(intakeContract.components?.schemas?.[name] ?? {}),
);
// An event that is sent to the other of the two addresses is accepted as well.
const isWithin = (kind: IntakeKind, body: unknown) =>
  kind === "auth" ? isAuth?.(body) : isSession?.(body) || isEvent?.(body);
const examples = [
  "Auth",
  "SessionCreated",
  "SessionDestroyed",
  "SessionVanished",
  "ConnectionCreated",
  "ConnectionDestroyed",
  "ConnectionFailed",
  "OtherEvent",
].map((name) => resolve(intakeContract.components?.examples?.[name] ?? {}).value ?? {});

const anything = fc.jsonValue({ stringUnit: "binary", maxDepth: 4 });
const number = fc.oneof(fc.integer(), fc.double(), fc.constantFrom(2 ** 53, 2 ** 31, -1, 0.5, 1e308));
const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom(
    "",
    "x".repeat(256),
    "@",
    "@@demo",
    "lobby@demo",
    "\0@demo",
    "\ud800@demo",
    `${"é".repeat(126)}@demo`,
  ),
  fc.constantFrom("connection.destroyed", "session.destroyed", "session.vanished", "2026-04-01T09:30:15Z", "node-1"),
  fc.constantFrom("__proto__", "constructor", "0000-01-01T00:00:00Z", "2026-02-30T00:00:00Z", "2016-12-31T23:59:60Z"),
);
const value = fc.oneof(anything, number, text, fc.constantFrom(null, true, [], {}));

/** A random change to one member of a valid body. */
interface Change {
  readonly at: readonly number[];
  readonly to: { value: unknown } | "gone" | { name: string; value: unknown };
}
const change: fc.Arbitrary<Change> = fc.record({
  at: fc.array(fc.nat({ max: 30 }), { minLength: 1, maxLength: 2 }),
  to: fc.oneof(
    value.map((to) => ({ value: to })),
    fc.constant("gone" as const),
    fc.record({
      name: fc.oneof(fc.constantFrom("data", "channel_id", "metadata", "__proto__", "toString"), text),
      value,
    }),
  ),
});

function changed(body: unknown, { at: [first = 0, ...rest], to }: Change): unknown {
  if (typeof body !== "object" || body === null) return body;
  const members = Object.entries(body);
  const chosen = first % Math.max(1, members.length);
  const after = members.flatMap(([name, member], index): [string, unknown][] => {
    if (index !== chosen) return [[name, member]];
    if (rest.length > 0 && typeof member === "object") return [[name, changed(member, { at: rest, to })]];
    if (to === "gone") return [];
    return [[name, "name" in to ? member : to.value]];
  });
  const added: [string, unknown][] = to !== "gone" && "name" in to ? [[to.name, to.value]] : [];
  return Object.fromEntries([...after, ...added]);
}

const nearlyRight = fc
  .tuple(fc.constantFrom(...examples), fc.array(change, { maxLength: 3 }))
  .map(([example, changes]) => changes.reduce<unknown>(changed, example));

/** Whether a JSON pointer points to a member of a value, or to a missing member of an existing object. */
function leadsSomewhere(body: unknown, pointer: string): boolean {
  const names = pointer
    .split("/")
    .slice(1)
    .map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
  const parent = names.slice(0, -1).reduce<unknown>((at, name) => Object(at)[name], body);
  return pointer === "" || (pointer.startsWith("/") && typeof parent === "object" && parent !== null);
}

function expectRight(kind: IntakeKind, body: unknown, { status, body: answered }: Answer): void {
  const isValid = isWithin(kind, body);
  if (status === 200) {
    expect(isValid, "only what is within the contract is taken").toBe(true);
    if (kind === "auth") expect(answered).toMatchObject({ allowed: false });
    return;
  }
  expect(status).toBe(400);
  const { errors = [] } = answered as Problem;
  expect(errors.length).toBeGreaterThan(0);
  for (const { pointer, detail } of errors) {
    expect(detail).toMatch(/^[A-Z].*[.?]$/s);
    expect(leadsSomewhere(body, pointer), pointer).toBe(true);
    // A rule that the contract's schemas cannot express.
    if (isValid) expect(["/channel_id"]).toContain(pointer);
  }
}

it("any JSON is accepted or refused as the contract defines, without a fault of the service", async () => {
  const seen = new Set<number>();
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...kinds),
      fc.oneof({ weight: 4, arbitrary: nearlyRight }, anything),
      async (kind, body) => {
        // JSON has no -0 and no undefined members, so the judged value is the parsed text.
        const sent = JSON.stringify(body);
        const answer = await test.post(kind, sent);
        expectRight(kind, JSON.parse(sent), answer);
        seen.add(answer.status);
      },
    ),
    { numRuns: 250 },
  );
  expect([...seen].sort()).toEqual([200, 400]);
  expect(test.logged()).not.toMatch(/"level":"(warn|error|fatal)"/);
  expect((await test.post("event", connectionDestroyed(connectionOf()))).status).toBe(200);
});

it("damaged bytes are accepted or refused, without a fault of the service", async () => {
  const good = Buffer.from(JSON.stringify(examples[5]));
  const damaged = fc
    .array(fc.tuple(fc.nat({ max: good.length - 1 }), fc.nat({ max: 255 })), { minLength: 1, maxLength: 4 })
    .map((changes) => {
      const bytes = Buffer.from(good);
      for (const [at, byte] of changes) bytes[at] = byte;
      return bytes;
    });
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.uint8Array({ maxLength: 200 }), damaged), async (bytes) => {
      const { status } = await test.post("event", Buffer.from(bytes));
      expect([200, 400]).toContain(status);
    }),
    { numRuns: 100 },
  );
  expect(test.logged()).not.toMatch(/"level":"(warn|error|fatal)"/);
});

it("a body may have 4 MiB, and not one byte more", async () => {
  const { post, listed, service } = await startTestIntake();
  const event = JSON.stringify(connectionDestroyed(connectionOf()));
  expect((await post("event", event.padEnd(4 * MIB))).status).toBe(200);
  expect((await listed()).connections).toHaveLength(1);
  const { status, body } = await post("event", event.padEnd(4 * MIB + 1));
  expect({ status, body }).toMatchObject({ status: 413, body: { detail: expect.stringContaining("4 MiB") } });
  expect(await service.storage.query.selectFrom("quarantine").selectAll().execute()).toEqual([]);
});
