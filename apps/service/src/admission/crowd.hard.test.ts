import type { AuthAnswer } from "@media-ops/contract";
import { databaseUrl } from "@media-ops/testing";
import { apiKeyToTokenKey, signToken } from "@media-ops/tokens";
import { expect, it } from "vitest";
import { startTestIntake, type TestIntake } from "../test/intake-harness.js";
import { authRequest, connectionCreated, connectionOf, momentAt, newId } from "../test/media-events.js";

const ATTEMPTS = 300;
const MOST = 5;

/** Runs for each admitted client while other clients are still requesting admission. */
type Then = (intake: TestIntake, connectionId: string, nth: number) => Promise<void>;

/** Sends all requests at the same moment, each reporting an empty channel. Returns the admitted connection ids. */
async function storm(intakes: readonly TestIntake[], then: Then = async () => {}): Promise<string[]> {
  const [first] = intakes;
  if (!first) throw new Error("There must be an intake.");
  const token = await signToken({ max_channel_connections: MOST }, apiKeyToTokenKey(first.apiKey));
  const letIn: string[] = [];
  await Promise.all(
    Array.from({ length: ATTEMPTS }, async (_, nth) => {
      const intake = intakes[nth % intakes.length] ?? first;
      const connectionId = newId();
      // Five requests share each millisecond, and all of them precede the first connection.
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
      // With several processes, the next one receives the events of a seat that this one granted.
      await then(intakes[(nth + 1) % intakes.length] ?? first, connectionId, nth);
    }),
  );
  return letIn.sort();
}

const connectAtOnce: Then = async ({ tell }, connectionId, nth) => {
  await tell(connectionCreated(connectionOf({ connectionId, createdAt: momentAt(1000 + nth) })));
};

/** Two services that share only their database. */
async function startTwo(): Promise<[TestIntake, TestIntake]> {
  const env = { MEDIA_DATABASE_URL: await databaseUrl() };
  return [await startTestIntake({ env }), await startTestIntake({ env })];
}

it("admits exactly 5 of 300 clients that request 5 seats from one process", async () => {
  const intake = await startTestIntake();
  const letIn = await storm([intake]);
  expect(letIn).toHaveLength(MOST);
  expect(await intake.seats()).toEqual(letIn);
});

it("admits exactly 5 of 300 clients that request seats from two processes and connect meanwhile", async () => {
  const letIn = await storm(await startTwo(), connectAtOnce);
  expect(letIn).toHaveLength(MOST);
});
