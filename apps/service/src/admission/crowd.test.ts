import { databaseUrl } from "@media-ops/testing";
import { apiKeyToTokenKey, signToken } from "@media-ops/tokens";
import { expect, it } from "vitest";
import type { AuthAnswer } from "../generated/intake.js";
import { startTestIntake, type TestIntake } from "../test/intake-harness.js";
import { authRequest, connectionCreated, connectionOf, momentAt, newId } from "../test/media-events.js";

const ATTEMPTS = 300;
const MOST = 5;

/** What happens to admitted clients while the others still ask. */
type Then = (intake: TestIntake, connectionId: string, nth: number) => Promise<void>;

/** Lets a crowd ask at the same moment, each with the count of an empty channel. Returns the admitted clients. */
async function storm(intakes: readonly TestIntake[], then: Then = async () => {}): Promise<string[]> {
  const [first] = intakes;
  if (!first) throw new Error("There must be an intake.");
  const token = await signToken({ max_channel_connections: MOST }, apiKeyToTokenKey(first.apiKey));
  const letIn: string[] = [];
  await Promise.all(
    Array.from({ length: ATTEMPTS }, async (_, nth) => {
      const intake = intakes[nth % intakes.length] ?? first;
      const connectionId = newId();
      // A few at each millisecond, and all of them before the first has connected.
      const at = momentAt(Math.floor(nth / 5));
      const { status, body } = await intake.post("auth", authRequest({ token, connectionId, at, reported: 0 }), {
        key: first.intakeKey,
      });
      expect(status).toBe(200);
      const { allowed, reason } = body as AuthAnswer;
      if (!allowed) {
        expect(reason).toMatch(/connections in the channel/);
        return;
      }
      letIn.push(connectionId);
      // The next process: seats that one process granted are reported to another.
      await then(intakes[(nth + 1) % intakes.length] ?? first, connectionId, nth);
    }),
  );
  return letIn.sort();
}

const connectAtOnce: Then = async ({ tell }, connectionId, nth) => {
  await tell(connectionCreated(connectionOf({ connectionId, createdAt: momentAt(1000 + nth) })));
};

/** Two services that have nothing in common but their database. */
async function startTwo(): Promise<[TestIntake, TestIntake]> {
  const env = { MEDIA_DATABASE_URL: await databaseUrl() };
  return [await startTestIntake({ env }), await startTestIntake({ env })];
}

it("of 300 clients that ask one process for 5 seats, exactly 5 are admitted", async () => {
  const intake = await startTestIntake();
  const letIn = await storm([intake]);
  expect(letIn).toHaveLength(MOST);
  expect(await intake.seats()).toEqual(letIn);
});

it("of 300 clients that ask two processes exactly 5 are admitted, though they connect meanwhile", async () => {
  const letIn = await storm(await startTwo(), connectAtOnce);
  expect(letIn).toHaveLength(MOST);
});
