import { describe, expect, it } from "vitest";
import { ago } from "./test/entries.js";
import { startOperations } from "./test/operations.js";

const RESEND = "/projects/resend-deliveries";
const delivery_id = "0mnqk2x1c000a7f3kq2";
const event_id = "2M4EXK7C4R8ZB5HW1NA0J9V6TQ";

/** A service with a delivery in each state. */
async function startDeliveries() {
  const service = await startOperations();
  service.fake.addDeliveries(
    { delivery_id, event_id, state: "failed", type: "connection.created", created_at: ago(30), fault: "no answer" },
    { state: "delivered", type: "session.created", created_at: ago(20) },
    { state: "waiting", type: "connection.destroyed", created_at: ago(10) },
  );
  return service;
}

describe("media deliveries", () => {
  it("lists deliveries by their state, type and time", async () => {
    const { media } = await startDeliveries();
    const { code, out, err } = await media("deliveries");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(/connection\.destroyed[\s\S]*session\.created[\s\S]*connection\.created/);
    for (const [words, types] of [
      [["failed"], ["connection.created"]],
      [["waiting"], ["connection.destroyed"]],
      [["type:session.created"], ["session.created"]],
      [["since:15m"], ["connection.destroyed"]],
      [["until:25m"], ["connection.created"]],
    ] as const) {
      const { deliveries } = JSON.parse((await media("deliveries", ...words, "--json")).out);
      expect([words, deliveries.map(({ type }: { type: string }) => type)]).toEqual([words, types]);
    }
  });

  it.each([`id:${delivery_id}`, `event:${event_id}`])("shows one delivery with its attempts: %s", async (word) => {
    const { media } = await startDeliveries();
    const { out } = await media("deliveries", word);
    expect(out).toContain("Attempt 1");
    expect(out).toContain("no answer");
    expect(out).not.toContain("session.created");
  });
});

describe("media resend", () => {
  it("shows what failed at a terminal, asks, and sends it again", async () => {
    const { atTerminal, fake } = await startDeliveries();
    const resending = atTerminal("resend", "since:1h");
    await resending.answer("[y/N]", "y\n");
    const { code, out, err } = await resending.ended;
    expect(code).toBe(0);
    expect(err).toMatch(/connection\.created[\s\S]*Send this webhook again\? \[y\/N\]/);
    expect(err).not.toContain("session.created");
    expect(out).toContain("1 webhook");
    expect(fake.calls.at(-1)).toMatchObject({ path: RESEND, body: { since: expect.any(String) } });
  });

  it("asks about all that failed, however many it shows", async () => {
    const { atTerminal, fake } = await startOperations();
    fake.addDeliveries(...Array.from({ length: 30 }, () => ({ state: "failed" as const, created_at: ago(10) })));
    const resending = atTerminal("resend", "since:1h");
    await resending.answer("[y/N]", "n\n");
    const { err } = await resending.ended;
    expect(err).toContain("To be sent again: 30, the newest 20 are");
    expect(err).toContain("Send these 30 webhooks again? [y/N]");
    expect(err.match(/connection\.created/g)).toHaveLength(20);
  });

  it("sends one delivery again, whatever its state, by its own id or its event's", async () => {
    const { media, fake } = await startDeliveries();
    await media("resend", delivery_id, "--yes", "--json");
    expect(fake.calls.at(-1)?.body).toEqual({ project_id: "demo", delivery_id });
    const { out } = await media("deliveries", "resend", event_id, "--yes", "--json");
    expect(JSON.parse(out)).toEqual({ resent: 1, delivery_id });
    expect(fake.calls.at(-1)?.body).toEqual({ project_id: "demo", event_id });
  });

  it("reports what became of one delivery", async () => {
    const { media, fake } = await startDeliveries();
    const resending = media("resend", delivery_id, "--yes");
    await expect.poll(() => fake.calls.some(({ path }) => path === RESEND)).toBe(true);
    const attempts = [{ timestamp: ago(0), status: 503 }];
    fake.addDeliveries({ delivery_id, event_id, state: "waiting", attempts });
    const { code, out } = await resending;
    expect(code).toBe(0);
    expect(out).toContain("▲ Resent, but the receiver answered 503. It will be retried.");
  });

  it.each([
    [["resend", "since:5m"], "No delivery has failed in this period"],
    [["resend", "event:unknown"], "There is no such delivery"],
  ])("asks nothing if there is nothing to send: %j", async (words, message) => {
    const { atTerminal, paths } = await startDeliveries();
    const { code, out, err } = await atTerminal(...words).ended;
    expect({ code, out }).toEqual({ code: 0, out: "" });
    expect(err).toContain(message);
    expect(paths()).not.toContain(RESEND);
  });

  it("reports an unknown delivery with --yes, too", async () => {
    const { media } = await startDeliveries();
    const { code, err } = await media("resend", "event:unknown", "--yes");
    expect(code).toBe(1);
    expect(err).toContain("There is no such delivery");
  });

  it("does nothing without a terminal and without --yes", async () => {
    const { media, paths } = await startDeliveries();
    expect(await media("resend", "since:1h")).toMatchObject({ code: 2, out: "" });
    expect(paths()).toEqual([]);
  });
});
