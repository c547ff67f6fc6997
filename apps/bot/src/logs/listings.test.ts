import { createMediaClient } from "@media-ops/sdk";
import { expect, it } from "vitest";
import type { Project } from "../projects/project.js";
import { startBadService } from "../test/bad-service.js";
import { createListings } from "./listings.js";

/** A project at an address, and how often it was asked. */
async function startProject(id: string, status = 200): Promise<{ project: Project; asked: string[] }> {
  const asked: string[] = [];
  const baseUrl = await startBadService((request, response) => {
    asked.push(request.url ?? "");
    response.writeHead(status, { "content-type": "application/json" }).end("[]");
  });
  const connection = { teamId: "T1", projectId: id, baseUrl, connectedBy: undefined, connectedAt: undefined };
  const client = createMediaClient({ baseUrl, apiKey: "planted", maxRetries: 0 });
  return { project: { id, connection, client }, asked };
}

it("asks once for all who want the same log at the same time, and anew for who comes later", async () => {
  const { project, asked } = await startProject("demo");
  const listings = createListings();
  const answers = await Promise.all([1, 2, 3].map(() => listings.list(project, "webhooks")));
  expect(answers).toEqual([[], [], []]);
  expect(asked).toHaveLength(1);
  await listings.list(project, "webhooks");
  expect(asked).toHaveLength(2);
});

it("never gives the answer of another log, project or workspace", async () => {
  const [demo, other] = [await startProject("demo"), await startProject("other")];
  const listings = createListings();
  const elsewhere = { ...demo.project, connection: { ...demo.project.connection, teamId: "T2" } };
  await Promise.all([
    listings.list(demo.project, "webhooks"),
    listings.list(demo.project, "api"),
    listings.list(other.project, "webhooks"),
    listings.list(elsewhere, "webhooks"),
  ]);
  expect(demo.asked.sort()).toEqual(["/orgs/list-api-logs", "/orgs/list-webhook-logs", "/orgs/list-webhook-logs"]);
  expect(other.asked).toEqual(["/orgs/list-webhook-logs"]);
});

it("tells all who wait that it failed, and asks anew after that", async () => {
  const { project, asked } = await startProject("demo", 500);
  const listings = createListings();
  const answers = await Promise.allSettled([1, 2].map(() => listings.list(project, "webhooks")));
  expect(answers.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  await expect(listings.list(project, "webhooks")).rejects.toThrow();
  expect(asked).toHaveLength(2);
});
