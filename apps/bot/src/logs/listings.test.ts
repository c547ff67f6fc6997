import { createMediaClient } from "@media-ops/sdk";
import { createFakeMediaService } from "@media-ops/sdk/testing";
import { expect, it } from "vitest";
import type { Caller } from "../connections/client-of.js";
import { type Allowance, createReadBudget } from "../connections/read-budget.js";
import type { Project } from "../projects/project.js";
import { startBadService } from "../test/bad-service.js";
import { createListings } from "./listings.js";

const reads = createReadBudget();
const callerWith = (allowance: Allowance): Pick<Caller, "allowance" | "aside"> => ({
  allowance,
  aside: (wait) => wait(),
});
const callerOf = (teamId: string) => callerWith(reads.open(teamId));

/** A project at an address, and how often it was asked. */
async function startProject(id: string, status = 200): Promise<{ project: Project; asked: string[] }> {
  const asked: string[] = [];
  const baseUrl = await startBadService((request, response) => {
    asked.push(request.url ?? "");
    response.writeHead(status, { "content-type": "application/json" }).end("[]");
  });
  const connection = { teamId: "T1", projectId: id, baseUrl, connectedBy: undefined, connectedAt: undefined };
  const client = createMediaClient({ baseUrl, apiKey: "planted", maxRetries: 0 });
  return { project: { id, connection, ask: (call) => call(client) }, asked };
}

it("asks once for all who want the same log at the same time, and anew for who comes later", async () => {
  const { project, asked } = await startProject("demo");
  const listings = createListings();
  const answers = await Promise.all([1, 2, 3].map(() => listings.list(project, "webhooks", callerOf("T1"))));
  expect(answers).toEqual([[], [], []]);
  expect(asked).toHaveLength(1);
  await listings.list(project, "webhooks", callerOf("T1"));
  expect(asked).toHaveLength(2);
});

it("never gives the answer of another log, project or workspace", async () => {
  const [demo, other] = [await startProject("demo"), await startProject("other")];
  const listings = createListings();
  const elsewhere = { ...demo.project, connection: { ...demo.project.connection, teamId: "T2" } };
  await Promise.all([
    listings.list(demo.project, "webhooks", callerOf("T1")),
    listings.list(demo.project, "api", callerOf("T1")),
    listings.list(other.project, "webhooks", callerOf("T1")),
    listings.list(elsewhere, "webhooks", callerOf("T1")),
  ]);
  expect(demo.asked.sort()).toEqual(["/orgs/list-api-logs", "/orgs/list-webhook-logs", "/orgs/list-webhook-logs"]);
  expect(other.asked).toEqual(["/orgs/list-webhook-logs"]);
});

it("counts a shared answer as in use until the last request has ended", async () => {
  const budget = createReadBudget({ total: 1000, perTeam: 100 });
  const [owner, sharer, third] = [budget.open("T1"), budget.open("T1"), budget.open("T1")];
  const connection = { teamId: "T1", projectId: "demo", baseUrl: "", connectedBy: undefined, connectedAt: undefined };
  const { clientOptions } = createFakeMediaService();
  const client = createMediaClient({ ...clientOptions, onResponse: () => owner.take(100) });
  const listings = createListings();
  const project: Project = { id: "demo", connection, ask: (call) => call(client) };
  await Promise.all([owner, sharer].map((allowance) => listings.list(project, "api", callerWith(allowance))));
  owner.end();
  expect(() => third.take(1)).toThrow();
  sharer.end();
  third.take(100);
});

it("lists no more entries than the contract allows, whatever a service answers", async () => {
  const service = createFakeMediaService();
  const fetch: typeof service.fetch = async () => Response.json(Array(1200).fill({}));
  const client = createMediaClient({ ...service.clientOptions, fetch });
  const connection = { teamId: "T1", projectId: "demo", baseUrl: "", connectedBy: undefined, connectedAt: undefined };
  const project: Project = { id: "demo", connection, ask: (call) => call(client) };
  expect(await createListings().list(project, "api", callerOf("T1"))).toHaveLength(1000);
});

it("tells all who wait that it failed, and asks anew after that", async () => {
  const { project, asked } = await startProject("demo", 500);
  const listings = createListings();
  const answers = await Promise.allSettled([1, 2].map(() => listings.list(project, "webhooks", callerOf("T1"))));
  expect(answers.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  await expect(listings.list(project, "webhooks", callerOf("T1"))).rejects.toThrow();
  expect(asked).toHaveLength(2);
});
