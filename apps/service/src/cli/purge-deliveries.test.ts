import { expect, it } from "vitest";
import type { DeliveryState } from "../deliveries/find-deliveries.js";
import { createProject } from "../projects/projects.js";
import { enqueue } from "../test/enqueue.js";
import { withProjects } from "./test/command-line.js";
import { enqueueAt } from "./test/enqueue-at.js";

const MINUTE_MS = 60_000;

/** A delivery; by default one of "demo" that has failed. */
interface Made {
  readonly event: string;
  readonly project?: string;
  readonly type?: string;
  /** They are created oldest first. @default 10 */
  readonly minutesAgo?: number;
  readonly state?: DeliveryState;
}

/** The command line with the projects "demo" and "other", and the deliveries stored for them. */
async function openHere(...made: readonly Made[]) {
  const { run, inDatabase } = await withProjects(["demo"]);
  await inDatabase(async (storage) => {
    await createProject(storage.query, "other", Date.now());
    for (const { event, project: projectId = "demo", type = "a.b", minutesAgo = 10, state = "failed" } of made) {
      const now = Date.now() - minutesAgo * MINUTE_MS;
      await enqueueAt(storage, { projectId, eventId: event, type, lane: "", body: "{}" }, now);
      if (state === "waiting") continue;
      const of = storage.query.updateTable("delivery").where("event_id", "=", event);
      await of.set({ state, next_at: null, ended_at: now }).execute();
    }
  });
  return {
    inDatabase,
    purge: (...args: string[]) => run("deliveries", "purge", ...args),
    kept: () =>
      inDatabase(async ({ query }) => {
        const rows = await query.selectFrom("delivery").select("event_id").orderBy("event_id").execute();
        return rows.map(({ event_id }) => event_id).join(" ");
      }),
  };
}

it("deletes matching deliveries of a project that failed or were delivered, and none that wait", async () => {
  const { purge, kept } = await openHere(
    { event: "e1", minutesAgo: 300, state: "delivered" },
    { event: "e2", minutesAgo: 200, type: "connection.destroyed" },
    { event: "e3", minutesAgo: 100 },
    { event: "e4", minutesAgo: 50 },
    { event: "e5", state: "waiting" },
    { event: "e6", project: "other" },
  );
  const said = async (...args: string[]): Promise<string> => (await purge("--project", "demo", ...args)).stdout;
  expect(JSON.parse(await said("--type", "connection.destroyed", "--json"))).toEqual({
    project_id: "demo",
    status: "failed",
    deleted: 1,
  });
  expect(await kept()).toBe("e1 e3 e4 e5 e6");
  expect(await said("--until", "75m")).toBe("Deleted: 1 failed of demo.\n");
  expect(await kept()).toBe("e1 e4 e5 e6");
  expect(await said("--all")).toBe("Deleted: 1 failed of demo.\n");
  expect(await said("--all")).toBe("No matching delivery.\n");
  expect(await said("--status", "delivered", "--since", "6h")).toBe("Deleted: 1 delivered of demo.\n");
  expect(await kept()).toBe("e5 e6");
});

it("deletes across several batches", async () => {
  const { inDatabase, purge, kept } = await openHere();
  await inDatabase(async (storage) => {
    const made = { projectId: "demo", type: "a.b", lane: "", body: "{}" };
    const many = Array.from({ length: 1203 }, (_, at) => ({ ...made, eventId: `e${at}` }));
    await enqueue(storage, many, { now: Date.now(), owner: "" });
    await storage.query.updateTable("delivery").set({ state: "failed", next_at: null, ended_at: 0 }).execute();
  });
  expect((await purge("--project", "demo", "--all")).stdout).toBe("Deleted: 1203 failed of demo.\n");
  expect(await kept()).toBe("");
});

it("deletes nothing without a clear scope", async () => {
  const { purge, kept } = await openHere({ event: "e1" }, { event: "e2", state: "waiting" });
  for (const [args, code, message] of [
    [[], 2, "--project is missing: --project <project>"],
    [["--all"], 2, "--project is missing"],
    [["--project", "demo"], 2, "This would delete every failed delivery of demo. To confirm, add --all"],
    [["--project", "demo", "--status", "delivered"], 2, "This would delete every delivered delivery of demo."],
    [["--project", "demo", "--status", "waiting", "--all"], 2, "waiting deliveries are not deleted"],
    [["--project", "demo", "--status", "lost"], 2, '--status must be waiting, delivered or failed, but is "lost".'],
    [["--project", "nobody", "--all"], 1, "There is no project nobody."],
  ] as const) {
    const stderr = expect.stringContaining(message);
    expect(await purge(...args)).toEqual({ code, stdout: "", stderr });
  }
  expect(await kept()).toBe("e1 e2");
});
