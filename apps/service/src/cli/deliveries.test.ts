import { describe, expect, it } from "vitest";
import type { DeliveryState } from "../deliveries/find-deliveries.js";
import { enqueue, enqueueAt } from "../test/enqueue.js";
import { switchOff } from "../webhooks/webhooks.js";
import { withProjects } from "./test/command-line.js";

type InDatabase = Awaited<ReturnType<typeof withProjects>>["inDatabase"];

const MINUTE_MS = 60_000;
const LATE = "its answer did not end within 10 s";

/** Enqueues deliveries as the intake does. Returns their ids, in the same order. */
async function put(
  inDatabase: InDatabase,
  made: readonly { project?: string; event: string; type?: string; minutesAgo?: number; state?: DeliveryState }[],
): Promise<string[]> {
  return inDatabase(async (storage) => {
    const { query } = storage;
    const ids: string[] = [];
    for (const { project: projectId = "demo", event, type = "connection.created", minutesAgo = 0, state } of made) {
      const body = JSON.stringify({ id: event, type, metadata: { access_token: "planted" } });
      const now = Date.now() - minutesAgo * MINUTE_MS;
      ids.push(await enqueueAt(storage, { projectId, eventId: event, type, lane: "c1", body }, now));
      if (state === undefined) continue;
      const answer = state === "failed" ? { last_status: 503, last_fault: LATE } : { last_status: 200 };
      const ended = { state, tries: 3, next_at: null, ended_at: now, ...answer };
      await query.updateTable("delivery").where("event_id", "=", event).set(ended).execute();
    }
    // The lease has expired, so a service claims the queue at once.
    await query.updateTable("delivery_queue").set({ owned_until: 0 }).execute();
    return ids;
  });
}

/** All deliveries, the oldest first. */
const states = async (inDatabase: InDatabase): Promise<string> => {
  const rows = await inDatabase(({ query }) =>
    query.selectFrom("delivery").select(["event_id", "state"]).orderBy("delivery_id").execute(),
  );
  return rows.map(({ event_id, state }) => `${event_id} ${state}`).join(", ");
};

describe("deliveries list", () => {
  it("shows the newest first, of one project or all, and only those that match", async () => {
    const { json, run, inDatabase } = await withProjects(["demo", "other", "empty"]);
    await put(inDatabase, [
      { event: "e1", minutesAgo: 300, state: "delivered" },
      { event: "e2", minutesAgo: 200, state: "failed", type: "connection.destroyed", project: "other" },
      { event: "e3", minutesAgo: 100, state: "failed" },
      { event: "e4", minutesAgo: 50, type: "connection.destroyed" },
      { event: "e5", minutesAgo: 10, project: "other" },
    ]);
    const events = async (...args: string[]): Promise<string> =>
      (await json("deliveries", "list", ...args)).map(({ event_id }: { event_id: string }) => event_id).join(" ");
    const found = await Promise.all([
      events(),
      events("demo"),
      events("empty"),
      events("--status", "failed"),
      events("demo", "--status", "waiting"),
      events("--type", "connection.destroyed"),
      events("--since", "2h", "--until", "30m"),
      events("--until", new Date(Date.now() - 150 * MINUTE_MS).toISOString()),
      events("--limit", "2"),
      events("--limit", "1", "other", "--status=failed"),
    ]);
    expect(found).toEqual(["e5 e4 e3 e2 e1", "e4 e3 e1", "", "e3 e2", "e4", "e4 e2", "e4 e3", "e2 e1", "e5 e4", "e2"]);

    const { stdout } = await run("deliveries", "list", "demo");
    const [heads, waiting, failed, delivered] = stdout.split("\n");
    expect(heads).toMatch(/^id +project +type +status +tries +last answer +created +next try$/);
    expect(waiting).toMatch(/^\w{19} {2}demo +connection.destroyed +waiting +0 +– +\S+Z +now$/);
    expect(failed).toMatch(/ failed +3 +503: its answer did not end within 10 s +\S+Z +–$/);
    expect(delivered).toMatch(/ delivered +3 +200 +\S+Z +–$/);
  });

  it("has stable fields for programs", async () => {
    const { json, inDatabase } = await withProjects(["demo"]);
    const [id] = await put(inDatabase, [{ event: "e1", state: "failed" }]);
    expect(await json("deliveries", "list")).toEqual([
      {
        delivery_id: id,
        project_id: "demo",
        event_id: "e1",
        type: "connection.created",
        lane: "c1",
        status: "failed",
        tries: 3,
        last_status: 503,
        last_fault: LATE,
        created_at: expect.stringMatching(/^\d{4}-.*Z$/),
        next_at: null,
        ended_at: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    ]);
  });

  it("suggests the closest known type", async () => {
    const { run } = await withProjects([]);
    expect((await run("deliveries", "list", "--type", "connection.create")).stdout).toBe(
      "No matching delivery. Did you mean --type connection.created?\n",
    );
    expect((await run("deliveries", "list", "--type", "recording.started")).stdout).toBe("No matching delivery.\n");
  });
});

describe("deliveries show", () => {
  it("shows a whole delivery, without the token in it", async () => {
    const { json, run, inDatabase } = await withProjects(["demo"]);
    const [id = ""] = await put(inDatabase, [{ event: "e1", type: "a.\u001b[2Jb", state: "failed" }, { event: "e2" }]);
    const shown = await json("deliveries", "show", id);
    expect(shown).toMatchObject({ delivery_id: id, event_id: "e1", status: "failed", lane: "c1" });
    expect(JSON.parse(shown.body)).toMatchObject({ id: "e1", metadata: { access_token: "[redacted]" } });
    const { stdout } = await run("deliveries", "show", id);
    expect(stdout).toMatch(/^status +failed$/m);
    expect(stdout).toMatch(/^last answer +503: its answer did not end within 10 s$/m);
    expect(stdout).toMatch(/^event +\{"id":"e1"/m);
    expect(stdout).not.toContain("\u001b");
    expect(stdout + JSON.stringify(shown)).not.toContain("planted");
  });
});

describe("deliveries retry", () => {
  it("requeues one delivery, or all that failed in a project, and nothing else", async () => {
    const { json, run, inDatabase } = await withProjects(["demo", "other"]);
    for (const project of ["demo", "other"]) await json("webhooks", "set", project, "event", "http://127.0.0.1:9/");
    const [first = ""] = await put(inDatabase, [
      { event: "e1", minutesAgo: 300, state: "delivered" },
      { event: "e2", minutesAgo: 200, state: "failed", type: "connection.destroyed" },
      { event: "e3", minutesAgo: 100, state: "failed" },
      { event: "e4", minutesAgo: 50, state: "failed" },
      { event: "e5", minutesAgo: 10, state: "failed", project: "other" },
    ]);
    expect(await json("deliveries", "retry", "--project", "demo", "--type", "connection.destroyed")).toEqual({
      project_id: "demo",
      delivery_id: null,
      retried: 1,
    });
    expect(await states(inDatabase)).toBe("e1 delivered, e2 waiting, e3 failed, e4 failed, e5 failed");
    expect(await json("deliveries", "list", "--status", "waiting")).toMatchObject([
      { event_id: "e2", tries: 0, ended_at: null, next_at: expect.any(String) },
    ]);
    await json("deliveries", "retry", "--project", "demo", "--since", "75m");
    expect(await states(inDatabase)).toBe("e1 delivered, e2 waiting, e3 failed, e4 waiting, e5 failed");
    expect((await run("deliveries", "retry", "--project", "demo")).stdout).toBe(
      "Queued again: 1 of demo. A running service tries again within a second; if none runs, the next one does when it starts.\n",
    );
    expect((await run("deliveries", "retry", "--project", "demo")).stdout).toBe("No matching delivery.\n");
    expect(await states(inDatabase)).toBe("e1 delivered, e2 waiting, e3 waiting, e4 waiting, e5 failed");
    expect(await json("deliveries", "retry", first)).toEqual({ project_id: "demo", delivery_id: first, retried: 1 });
    expect(await states(inDatabase)).toBe("e1 waiting, e2 waiting, e3 waiting, e4 waiting, e5 failed");
    // Deliveries that wait for a retry become due at once.
    await inDatabase(({ query }) =>
      query
        .updateTable("delivery")
        .set({ next_at: Date.now() * 2, tries: 5 })
        .execute(),
    );
    expect(await json("deliveries", "retry", "--project", "demo", "--status", "waiting")).toMatchObject({ retried: 4 });
    const waiting = await json("deliveries", "list", "demo");
    for (const { tries, next_at } of waiting) {
      expect(tries).toBe(0);
      expect(Date.parse(next_at)).toBeLessThanOrEqual(Date.now());
    }
  });

  it("requeues delivered ones on request, across several batches", async () => {
    const { json, inDatabase } = await withProjects(["demo"]);
    await json("webhooks", "set", "demo", "event", "http://127.0.0.1:9/");
    await inDatabase(async (storage) => {
      const one = { projectId: "demo", type: "a.b", lane: "", body: "{}" };
      const many = Array.from({ length: 1203 }, (_, at) => ({ ...one, eventId: `e${at}` }));
      await enqueue(storage, many, { now: Date.now(), owner: "" });
      await storage.query.updateTable("delivery").set({ state: "delivered", next_at: null, ended_at: 0 }).execute();
    });
    expect(await json("deliveries", "retry", "--project", "demo")).toMatchObject({ retried: 0 });
    expect(await json("deliveries", "retry", "--project", "demo", "--status", "delivered")).toMatchObject({
      retried: 1203,
    });
    expect(await json("deliveries", "list", "--status", "delivered")).toEqual([]);
  });

  it("names the service that delivers the project's events", async () => {
    const { json, run, inDatabase } = await withProjects(["demo"]);
    await json("webhooks", "set", "demo", "event", "http://127.0.0.1:9/");
    const [owned = ""] = await put(inDatabase, [{ event: "e2", state: "failed" }]);
    const lease = { owner: "alive", owned_until: Date.now() + 15_000 };
    await inDatabase(({ query }) => query.updateTable("delivery_queue").set(lease).execute());
    expect((await run("deliveries", "retry", owned)).stdout).toBe(
      `Queued again: ${owned} of demo. The service that delivers the events of demo tries again within a second.\n`,
    );
  });

  it("requeues nothing while the address is switched off, as it would be given up at once", async () => {
    const { json, run, inDatabase } = await withProjects(["demo"]);
    const url = "http://127.0.0.1:9/";
    await json("webhooks", "set", "demo", "event", url);
    const [id = ""] = await put(inDatabase, [{ event: "e1", state: "failed" }]);
    await inDatabase(({ query }) =>
      switchOff(query, { projectId: "demo", kind: "event", url, reason: "it is gone", now: 0 }),
    );
    for (const args of [[id], ["--project", "demo"]]) {
      expect(await run("deliveries", "retry", ...args)).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(
          /switched off because it is gone. Set it again first: media-ops webhooks set demo event <address>/,
        ),
      });
    }
    expect(await states(inDatabase)).toBe("e1 failed");
  });
});

describe("deliveries purge", () => {
  it("deletes matching deliveries of a project that failed or were delivered, and none that wait", async () => {
    const { run, inDatabase } = await withProjects(["demo", "other"]);
    await put(inDatabase, [
      { event: "e1", minutesAgo: 300, state: "delivered" },
      { event: "e2", minutesAgo: 200, state: "failed", type: "connection.destroyed" },
      { event: "e3", minutesAgo: 100, state: "failed" },
      { event: "e4", minutesAgo: 50, state: "failed" },
      { event: "e5", minutesAgo: 10 },
      { event: "e6", minutesAgo: 10, state: "failed", project: "other" },
    ]);
    const purge = async (...args: string[]): Promise<string> =>
      (await run("deliveries", "purge", "--project", "demo", ...args)).stdout;
    const kept = async (): Promise<string> => (await states(inDatabase)).replace(/ (waiting|delivered|failed),?/g, "");
    expect(JSON.parse(await purge("--type", "connection.destroyed", "--json"))).toEqual({
      project_id: "demo",
      status: "failed",
      deleted: 1,
    });
    expect(await kept()).toBe("e1 e3 e4 e5 e6");
    expect(await purge("--until", "75m")).toBe("Deleted: 1 failed of demo.\n");
    expect(await kept()).toBe("e1 e4 e5 e6");
    expect(await purge("--all")).toBe("Deleted: 1 failed of demo.\n");
    expect(await purge("--all")).toBe("No matching delivery.\n");
    expect(await purge("--status", "delivered", "--since", "6h")).toBe("Deleted: 1 delivered of demo.\n");
    expect(await kept()).toBe("e5 e6");
  });
});

it("a command without a clear scope or with a wrong filter is refused in one line, and changes nothing", async () => {
  const { run, inDatabase } = await withProjects(["demo"]);
  await put(inDatabase, [{ event: "e1", minutesAgo: 10, state: "failed" }, { event: "e2" }]);
  const noChoice = "Give the id of a delivery, or --project <project>";
  const refusals: readonly [command: string, code: number, message: string][] = [
    ["list --status lost", 2, '--status must be waiting, delivered or failed, but is "lost".'],
    ["list --since yesterday", 2, "--since must be a duration back from now"],
    ["list --since 1h --until 2h", 2, "--since 1h must be before --until 2h"],
    ["list --limit many", 2, '--limit must be a whole number from 1 to 1000, but is "many".'],
    ["list nobody", 1, "There is no project nobody."],
    ["show nothing", 1, "There is no delivery nothing"],
    ["retry", 2, noChoice],
    ["retry --status failed", 2, noChoice],
    ["retry someid --project demo", 2, "Give either the delivery someid or --project"],
    ["retry someid --since 2h", 2, "Give either the delivery someid or --since"],
    ["retry someid", 1, "There is no delivery someid."],
    ["retry --project nobody", 1, "There is no project nobody."],
    ["retry --project demo", 1, "The project demo has no event address."],
    ["purge", 2, "--project is missing: --project <project>"],
    ["purge --all", 2, "--project is missing"],
    ["purge --project demo", 2, "This would delete every failed delivery of demo. To confirm, add --all"],
    ["purge --project demo --status delivered", 2, "This would delete every delivered delivery of demo."],
    ["purge --project demo --status waiting --all", 2, "waiting deliveries are not deleted"],
    ["purge --project demo --status lost", 2, '--status must be waiting, delivered or failed, but is "lost".'],
    ["purge --project nobody --all", 1, "There is no project nobody."],
  ];
  for (const [command, code, message] of refusals) {
    const stderr = expect.stringContaining(message);
    expect(await run("deliveries", ...command.split(" ")), command).toEqual({ code, stdout: "", stderr });
  }
  expect(await states(inDatabase)).toBe("e1 failed, e2 waiting");
});
