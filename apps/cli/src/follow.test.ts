import { closeAfterAll } from "@media-ops/testing/after-all";
import { describe, it, vi } from "vitest";
import { delivery, event } from "./test/entries.js";
import { json, startAnswering, startFakeService } from "./test/services.js";
import { newUser } from "./test/user.js";

const atEnd = closeAfterAll();
const WAIT = { timeout: 25_000 };

/** A service whose webhook log contains the test's entries, and a user who follows it. */
async function followed(...words: string[]) {
  const service = { entries: [delivery(5, "session.created", 500, 1)], status: 200, answered: 0, failed: 0 };
  const url = await startAnswering((_, response) => {
    if (service.status === 200) {
      service.answered += 1;
      return json(response, service.entries);
    }
    service.failed += 1;
    response.writeHead(service.status, { "retry-after": "0" }).end();
  }, atEnd);
  const user = await newUser({ MEDIA_BASE_URL: url, MEDIA_API_KEY: "mo_a_b" }, atEnd);
  const following = user.start(["follow", "webhooks", "every:1s", ...words]);
  // The first answer shows that it knows no cursors.
  await vi.waitUntil(() => service.answered >= 2, WAIT);
  return { service, following };
}

// Side by side, because they mostly wait: it looks for new entries every second.
describe.concurrent("media follow", () => {
  it("shows each new matching entry until it is stopped, which is no failure", async ({ expect }) => {
    const { service, following } = await followed("status>=400", "since:10m");
    await expect.poll(following.out).toContain("✗ 500");
    service.entries.unshift(delivery(0, "session.created", 404, 3), delivery(0, "session.created", 200, 2));
    await expect.poll(following.out).toContain("▲ 404");
    following.stop();
    const { code, out, err } = await following.ended;
    expect(code).toBe(0);
    expect(out.trimEnd().split("\n")).toHaveLength(2);
    expect(err).toMatch(
      /^Following webhook logs, status ≥ 400.*Ctrl-C stops\.\nOf the entries until now, at most the newest 1,000 come first\.\nGo on with since:2\S+, which repeats the last entry\.\n$/,
    );
  });

  it("shows events that fail or are refused, as they are recorded", async ({ expect }) => {
    const service = await startFakeService({}, atEnd);
    const user = await newUser(service.env, atEnd);
    const following = user.start(["follow", "events", "failed", "every:1s"]);
    await expect.poll(() => service.calls.length).toBeGreaterThanOrEqual(2);
    service.add("events", event(0, "connection.created", "ok"));
    service.add("events", event(0, "admission.refused", "refused", { reason: "expired", client_id: "late" }));
    await expect.poll(following.out).toContain("token expired");
    following.stop();
    const { code, out, err } = await following.ended;
    expect(code).toBe(0);
    expect(out.trimEnd().split("\n")).toEqual([expect.stringContaining("late")]);
    expect(err).toMatch(/^Following failed events.*Ctrl-C stops\.\n/);
  });

  it("shows no older entries unless they are requested, and --json prints lines of JSON", async ({ expect }) => {
    const { service, following } = await followed("--json");
    service.entries.unshift(delivery(0, "connection.created", 200, 2));
    await expect.poll(following.out).toContain("connection.created");
    expect(following.out()).not.toContain('"status":500');
    expect(JSON.parse(following.out())).toMatchObject({ type: "connection.created", elapsed_time_ms: 2 });
    following.stop();
    expect((await following.ended).code).toBe(0);
  });

  it("reports once that the service fails, continues, and reports once that it answers again", async ({ expect }) => {
    const { service, following } = await followed();
    service.status = 503;
    // Each poll makes three attempts, so two polls have failed.
    await expect.poll(() => service.failed).toBeGreaterThanOrEqual(6);
    service.status = 200;
    await expect.poll(following.err).toContain("answers again");
    following.stop();
    const { code, err } = await following.ended;
    expect(code).toBe(0);
    expect(err.match(/✗/g)).toHaveLength(1);
    expect(err.match(/answers again/g)).toHaveLength(1);
  });
});
