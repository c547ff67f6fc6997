import { holdConnections, runTraffic, startFakeMedia } from "@media-ops/fake-media";
import { intakeContract } from "@media-ops/openapi/contract";
import { validator } from "@media-ops/openapi/judge";
import { expect, it, onTestFinished } from "vitest";
import { updateProject } from "../projects/projects.js";
import { startTestIntake } from "../test/intake-harness.js";
import { present } from "../test/media-events.js";

const schemas = { auth: "AuthRequest", session: "SessionEvent", event: "ConnectionEvent" } as const;

it.each(["header", "path"] as const)(
  "sends only events within the contract, whose sums match the listings, with its key in the %s",
  async (keyIn) => {
    const test = await startTestIntake();
    await updateProject(test.service.storage.query, "demo", { allowAnonymous: true });
    const keys = { demo: test.apiKey, other: await test.createKey("other") };
    await updateProject(test.service.storage.query, "other", { allowAnonymous: true });
    const media = await startFakeMedia({
      intakeUrl: `${test.service.internalUrl}/intake`,
      intakeKey: test.intakeKey,
      keyIn,
      time: "virtual",
      now: () => present - 3_600_000,
      sessionEndsAfterMs: 500,
      misbehaviour: { late: 0.1, twice: 0.1, outOfOrder: 0.1 },
    });
    onTestFinished(() => media.close());
    await expect.poll(async () => (await media.connect({ channelId: "lobby@demo" })).allowed).toBe(true);
    await expect.poll(async () => (await media.connect({ channelId: "lobby@other" })).allowed).toBe(true);
    await media.fail();
    await media.fail({ channelId: "lobby@demo" });
    await media.emit("recording.started", { channel_id: "lobby@demo" });
    await media.emit("session.updated", { channel_id: "lobby@demo" });
    const sums = await runTraffic(media, { for: 100_000, rate: 2, channels: 6, projects: ["demo", "other"] });
    const gone = await holdConnections(media, { connections: 5, channels: 2, projects: ["demo", "other"] });
    expect(gone.clients).toHaveLength(5);
    await media.vanish();
    await media.settle();

    expect(media.sent.filter(({ status }) => status !== 200)).toEqual([]);
    const told = new Set(media.sent.map(({ body }) => String(body.type ?? "auth")));
    expect([...told].sort()).toEqual([
      "auth",
      "connection.created",
      "connection.destroyed",
      "connection.failed",
      "connection.updated",
      "recording.started",
      "session.created",
      "session.destroyed",
      "session.updated",
      "session.vanished",
    ]);
    for (const { to, body } of media.sent) {
      const isValid = validator(intakeContract.components?.schemas?.[schemas[to]] ?? {});
      expect(isValid(body), JSON.stringify([body, isValid.errors])).toBe(true);
    }

    const listed = await Promise.all(Object.values(keys).map((key) => test.listed(key)));
    const connections = listed.flatMap((one) => one.connections);
    const bytes = connections.reduce((sum, entry) => sum + entry.total_received_bytes, 0);
    expect([connections.length, bytes]).toEqual([sums.connections, sums.receivedBytes]);
    expect(listed.flatMap((one) => one.sessions)).toHaveLength(sums.sessions);
    expect(await test.seats()).toEqual([]);
  },
);
