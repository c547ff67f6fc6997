import { expect, it } from "vitest";
import { eventOf, idsOf, startIntake, startReceiver } from "../test/receiver.js";

it("a receiver that never answers is given 10 s for an event, and gets all events once it answers", async () => {
  const receiver = await startReceiver(() => "never");
  const { clock, setAddress, send, tries } = await startIntake();
  await setAddress("event", receiver.url);
  const ids = Array.from({ length: 100 }, (_, at) => `e${at}`);
  await Promise.all(ids.map((id) => send("event", eventOf(id, { connection: id }))));
  await expect.poll(() => tries(), { timeout: 15_000 }).not.toEqual([]);
  for (const { status, elapsed_time_ms } of await tries()) {
    expect(status).toBe(0);
    expect(elapsed_time_ms).toBeGreaterThanOrEqual(9_990);
    expect(elapsed_time_ms).toBeLessThan(12_000);
  }
  receiver.answer = () => ({});
  clock.putForward(6_000);
  await expect.poll(() => new Set(idsOf(receiver)).size, { timeout: 15_000 }).toBe(100);
});

it("the media server is answered within 10 s, even if the receiver never answers", async () => {
  const receiver = await startReceiver(() => "never");
  const { send, setAddress, allowAnonymous, tries } = await startIntake();
  await setAddress("auth", receiver.url);
  await setAddress("session", receiver.url);
  await allowAnonymous();
  const began = performance.now();
  const [auth, session] = await Promise.all([
    send("auth", { role: "sendrecv", channel_id: "lobby@demo", connection_id: "c1" }),
    send("session", {
      type: "session.created",
      id: "s1",
      timestamp: "2026-04-01T09:48:03.114Z",
      channel_id: "lobby@demo",
      session_id: "s1",
      created_timestamp: "2026-04-01T09:30:15Z",
    }),
  ]);
  expect(performance.now() - began).toBeLessThan(10_000);
  expect(auth.body).toMatchObject({ allowed: false, reason: expect.stringContaining("did not answer") });
  expect(session.body).toEqual({});
  await expect.poll(() => tries()).toHaveLength(2);
  for (const { status, elapsed_time_ms } of await tries()) {
    expect(status).toBe(0);
    expect(elapsed_time_ms).toBeGreaterThanOrEqual(8990);
  }
});
