import type { AuditLog, Deliveries, WebhookEndpoints } from "@media-ops/contract";
import { afterAll, describe, expect, it } from "vitest";
import { pathOf } from "../test/harness.js";
import { eventOf, idsOf, startIntake, startReceiver } from "../test/receiver.js";
import { switchOff } from "../webhooks/webhooks.js";

const since = "2026-04-01T00:00:00Z";

const shared = await startIntake({ atEnd: afterAll });
let projects = 0;

/** A new project with an event address that answers 503. */
async function newProject() {
  const projectId = `p${++projects}`;
  const receiver = await startReceiver(() => ({ status: 503 }));
  await shared.setAddress("event", receiver.url, projectId);
  const key = await shared.createKey(projectId);
  const call = (path: string, body: object = {}) =>
    shared.call(path, { key, body, headers: { "x-requested-by": "ann" } });
  return {
    ...{ projectId, receiver, call },
    send: (id: string) => shared.send("event", eventOf(id, { project: projectId, connection: `c-${id}` })),
    list: async (body?: object) => ((await call(pathOf.listDeliveries, body)).body as Deliveries).deliveries,
    resend: (body: object) => call(pathOf.resendDeliveries, body),
    endpoints: async () => ((await call(pathOf.listWebhookEndpoints)).body as WebhookEndpoints).endpoints,
    audit: async () => ((await call(pathOf.listAuditLog)).body as AuditLog).entries,
  };
}

/** A project whose events failed, and whose receiver accepts them again. */
async function newFailed(...ids: readonly string[]) {
  const project = await newProject();
  const { projectId, receiver, send } = project;
  for (const id of ids) await send(id);
  // A failing receiver gets two at a time: on a slow machine, the first would be due again before the last was tried.
  const haveFailed = async () => {
    // As after the last try.
    await shared.service.storage.query
      .updateTable("delivery")
      .set({ state: "failed", next_at: null, ended_at: shared.clock.now() })
      .where("project_id", "=", projectId)
      .where("tries", "=", 1)
      .execute();
    return (await shared.deliveries(projectId)).every(({ state }) => state === "failed");
  };
  await expect.poll(haveFailed).toBe(true);
  receiver.received.length = 0;
  receiver.answer = () => ({});
  return project;
}

describe("deliveries", () => {
  it("are listed with each attempt, its status and time", async () => {
    const { receiver, list, resend } = await newFailed("e1", "e2");
    const [second, first] = await list({ state: "failed" });
    expect([first?.event_id, second?.event_id]).toEqual(["e1", "e2"]);
    expect(first).toMatchObject({ state: "failed", type: "recording.started", attempts: [{ status: 503 }] });
    expect(first).not.toHaveProperty("next_attempt_at");
    await resend({ event_id: "e1" });
    await expect.poll(async () => (await list({ event_id: "e1" }))[0]?.state).toBe("delivered");
    expect((await list({ event_id: "e1" }))[0]?.attempts).toMatchObject([{ status: 503 }, { status: 200 }]);
    expect(idsOf(receiver)).toEqual(["e1"]);
  });

  it("are all queued, however many they are, and a cursor leads on", async () => {
    const { projectId, resend } = await newFailed("e1");
    const { query } = shared.service.storage;
    const own = query.selectFrom("delivery").selectAll().where("project_id", "=", projectId);
    const failed = await own.executeTakeFirstOrThrow();
    const others = Array.from({ length: 1500 }, (_, n) => ({
      ...failed,
      delivery_id: `${failed.delivery_id}${n}`,
      event_id: `many${n}`,
    }));
    for (let at = 0; at < others.length; at += 500) {
      const values = others.slice(at, at + 500);
      await query.insertInto("delivery").values(values).execute();
    }
    const { body } = await resend({ since });
    expect(body).toEqual({ resent: 1501 });
    const cursor = Buffer.from(JSON.stringify([0, failed.delivery_id])).toString("base64url");
    expect((await resend({ since, cursor })).body).toEqual({ resent: 0 });
    expect((await resend({ event_id: "e1", cursor })).body).toMatchObject({ errors: [{ pointer: "/cursor" }] });
  });

  it("are sent again one by one, in their order, if all that failed are requested", async () => {
    const ids = Array.from({ length: 60 }, (_, n) => `e${n}`);
    const { receiver, send, resend, list, audit } = await newFailed(...ids);
    let atOnce = 0;
    let most = 0;
    receiver.answer = async () => {
      atOnce += 1;
      most = Math.max(most, atOnce);
      await new Promise((resolve) => setTimeout(resolve, 2));
      atOnce -= 1;
      return {};
    };
    expect((await resend({ since })).body).toEqual({ resent: 60 });
    // Requested twice, each is sent once.
    expect((await resend({ since })).body).toEqual({ resent: 0 });
    // New events go on meanwhile.
    await send("new");
    await expect.poll(() => receiver.received.length).toBe(61);
    expect(idsOf(receiver).filter((id) => id !== "new")).toEqual(ids);
    expect(idsOf(receiver).indexOf("new")).toBeLessThan(40);
    expect(most).toBeLessThanOrEqual(2);
    await expect.poll(async () => (await list({ state: "delivered", limit: 1000 })).length).toBe(61);
    expect(await audit()).toMatchObject([
      { action: "deliveries.resend", detail: "0 deliveries" },
      { action: "deliveries.resend", detail: "60 deliveries", requested_by: "ann", outcome: "done" },
    ]);
  });

  it("that fail again are retried on schedule, like new events", async () => {
    const { receiver, resend, list } = await newFailed("e1");
    receiver.answer = () => ({ status: 500 });
    await resend({ since });
    await expect.poll(async () => (await list())[0]?.attempts.length).toBe(2);
    const [delivery] = await list();
    expect(delivery?.state).toBe("waiting");
    expect(Date.parse(delivery?.next_attempt_at ?? "")).toBeGreaterThan(shared.clock.now());
  });

  it.each([
    ["no choice", {}, ""],
    ["two choices", { event_id: "e1", since }, ""],
    ["a range for one", { event_id: "e1", until: since }, "/until"],
    ["an unknown event", { event_id: "none" }, "/event_id"],
    ["an unknown delivery", { delivery_id: "none" }, "/delivery_id"],
  ])("are not sent again for %s, which is recorded", async (_, body, pointer) => {
    const { resend, audit } = await newProject();
    expect(await resend(body)).toMatchObject({ status: 400, body: { errors: [{ pointer }] } });
    expect(await audit()).toMatchObject([{ action: "deliveries.resend", outcome: "refused" }]);
  });
});

describe("a webhook endpoint", () => {
  it("is failing since the first webhook that was not accepted, and ok once one is", async () => {
    const { receiver, send, endpoints } = await newProject();
    expect(await endpoints()).toEqual([{ kind: "event", url: receiver.url, state: "ok", waiting: 0 }]);
    await send("e1");
    await expect
      .poll(endpoints)
      .toEqual([{ kind: "event", url: receiver.url, state: "failing", failing_since: expect.any(String), waiting: 1 }]);
    receiver.answer = () => ({});
    await expect
      .poll(async () => {
        await send(`e${Math.random()}`);
        return (await endpoints())[0]?.state;
      })
      .toBe("ok");
  });

  it("that is off is switched on again, which is recorded; until then nothing is sent again", async () => {
    const { projectId, receiver, call, endpoints, resend, audit } = await newFailed("e1");
    const off = { projectId, kind: "event", url: receiver.url, reason: "it is gone", now: shared.clock.now() } as const;
    await switchOff(shared.service.storage.query, off);
    expect(await endpoints()).toMatchObject([{ state: "off", off_reason: "it is gone" }]);
    expect(await resend({ since })).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining("it is gone") },
    });
    for (const detail of ["it was off because it is gone", "it was on already"]) {
      const enabled = await call(pathOf.enableWebhookEndpoint, { kind: "event" });
      expect(enabled).toMatchObject({ status: 200, body: { state: "ok" } });
      const recorded = { action: "endpoint.enable", subject: "event", outcome: "done", detail };
      expect((await audit())[0]).toMatchObject(recorded);
    }
    await resend({ since });
    await expect.poll(() => idsOf(receiver)).toEqual(["e1"]);
    expect(await call(pathOf.enableWebhookEndpoint, { kind: "auth" })).toMatchObject({ status: 400 });
  });
});
