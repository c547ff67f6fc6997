import type { Fetch } from "@media-ops/sdk";
import { createFakeMediaService } from "@media-ops/sdk/testing";
import { pino } from "pino";
import { expect, it } from "vitest";
import { openTestStorage } from "../test/storage.js";
import { createClients } from "./client-of.js";
import { createConnections } from "./connections.js";
import { createFetch } from "./public-addresses.js";
import { createReadBudget } from "./read-budget.js";

const allowance = createReadBudget().open("T01");

async function connected() {
  const service = createFakeMediaService();
  const { baseUrl, apiKey } = service.clientOptions;
  const lines: string[] = [];
  const log = pino({ level: "trace" }, { write: (line: string) => void lines.push(line) });
  const connections = createConnections(await openTestStorage(), undefined, Date.now);
  await connections.add({ teamId: "T01", projectId: "demo", baseUrl, apiKey, userId: "U01" });
  const [connection] = await connections.all("T01");
  if (!connection) throw new Error("The connection was just made.");
  return { service, connections, connection, lines, log, apiKey };
}

it("a client asks the service of the connection with its key, and says that it is the bot", async () => {
  const { service, connections, connection, log, lines, apiKey } = await connected();
  service.add("webhooks", { status: 500 });
  const client = await createClients(connections, service.fetch, log).of(connection, allowance);
  expect(await client.logs.webhooks()).toMatchObject([{ status: 500 }]);
  const [call] = service.calls;
  expect(call?.headers.get("authorization")).toBe(`Bearer ${apiKey}`);
  expect(call?.headers.get("user-agent")).toBe("media-ops-bot");
  expect(lines.join()).toContain("answered 200");
  expect(lines.join()).toContain('"project":"demo"');
  expect(lines.join()).not.toContain(apiKey);
});

it("a client asks an address that is not stored yet in the same way", async () => {
  const { service, connections, connection, log, lines, apiKey } = await connected();
  const client = createClients(connections, service.fetch, log).to(
    { ...connection, apiKey: "mo_another_key" },
    allowance,
  );
  await expect(client.logs.webhooks()).rejects.toMatchObject({ code: "Unauthorized" });
  await createClients(connections, service.fetch, log)
    .to({ ...connection, apiKey }, allowance)
    .logs.webhooks();
  expect(service.calls.map(({ headers }) => headers.get("user-agent"))).toEqual(["media-ops-bot", "media-ops-bot"]);
  expect(lines.join()).not.toContain(apiKey);
});

it("a client tries once more where the connection broke, and not where it was told to wait", async () => {
  const { service, connections, connection, log } = await connected();
  const client = await createClients(connections, service.fetch, log).of(connection, allowance);
  service.fail("connection", 2);
  await expect(client.logs.webhooks()).rejects.toMatchObject({ name: "MediaConnectionError" });
  expect(service.calls).toHaveLength(2);
  service.fail({ status: 429, retryAfter: 30 });
  await expect(client.logs.webhooks()).rejects.toMatchObject({ name: "MediaTooManyRequestsError" });
  expect(service.calls).toHaveLength(3);
});

it("a client gives up a service that does not answer in time", async () => {
  const { connections, connection, log } = await connected();
  const silent: Fetch = (_, init) =>
    new Promise((_, reject) => init?.signal?.addEventListener("abort", () => reject(init.signal?.reason)));
  const client = await createClients(connections, silent, log, 10).of(connection, allowance);
  await expect(client.logs.webhooks()).rejects.toMatchObject({ name: "MediaTimeoutError" });
});

it("a client of a connection that leads inside says so", async () => {
  const { connections, log } = await connected();
  const inside = { teamId: "T01", projectId: "inside", baseUrl: "http://127.0.0.1:1", apiKey: "mo_k1", userId: "U01" };
  await connections.add(inside);
  const connection = (await connections.all("T01")).find(({ projectId }) => projectId === "inside");
  const client = connection && (await createClients(connections, createFetch(false), log).of(connection, allowance));
  await expect(client?.logs.webhooks()).rejects.toThrow("127.0.0.1 leads to no public address");
});

it("there is no client of a connection that was removed", async () => {
  const { service, connections, connection, log } = await connected();
  await connections.remove("T01", "demo");
  await expect(createClients(connections, service.fetch, log).of(connection, allowance)).rejects.toThrow(
    "not connected to demo",
  );
});
