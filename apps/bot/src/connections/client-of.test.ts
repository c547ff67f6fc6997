import type { Fetch } from "@media-ops/sdk";
import { createFakeMediaService } from "@media-ops/sdk/testing";
import { type Logger, pino } from "pino";
import { expect, it } from "vitest";
import { openTestStorage } from "../test/storage.js";
import { type Caller, createClients } from "./client-of.js";
import { type Connections, createConnections } from "./connections.js";
import { createFetch } from "./public-addresses.js";
import { createReadBudget } from "./read-budget.js";
import { createServices } from "./services.js";

const caller: Caller = {
  userId: "U01",
  allowance: createReadBudget().open("T01"),
  answerBy: Number.POSITIVE_INFINITY,
  aside: (wait) => wait(),
};

/** Clients whose requests are sent by something else. */
function clientsWith(
  connections: Connections,
  { fetch, log, timeoutMs }: { fetch: Fetch | undefined; log: Logger; timeoutMs?: number },
) {
  return createClients({ connections, services: createServices({ now: Date.now, log, timeoutMs }), log, fetch });
}

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
  const ask = await clientsWith(connections, { fetch: service.fetch, log }).of(connection, caller);
  expect(await ask((client) => client.logs.webhooks())).toMatchObject([{ status: 500 }]);
  const [call] = service.calls;
  expect(call?.headers.get("authorization")).toBe(`Bearer ${apiKey}`);
  expect(call?.headers.get("user-agent")).toBe("media-ops-bot");
  expect(lines.join()).toContain("answered 200");
  expect(lines.join()).toContain('"project":"demo"');
  expect(lines.join()).not.toContain(apiKey);
});

it("a client asks an address that is not stored yet in the same way", async () => {
  const { service, connections, connection, log, lines, apiKey } = await connected();
  const clients = clientsWith(connections, { fetch: service.fetch, log });
  const ask = clients.to({ ...connection, apiKey: "mo_another_key" }, caller);
  await expect(ask((client) => client.logs.webhooks())).rejects.toMatchObject({ code: "Unauthorized" });
  await clients.to({ ...connection, apiKey }, caller)((client) => client.logs.webhooks());
  expect(service.calls.map(({ headers }) => headers.get("user-agent"))).toEqual(["media-ops-bot", "media-ops-bot"]);
  expect(lines.join()).not.toContain(apiKey);
});

it("a client tries once more where the connection broke, and not where it was told to wait", async () => {
  const { service, connections, connection, log } = await connected();
  const ask = await clientsWith(connections, { fetch: service.fetch, log }).of(connection, caller);
  service.fail("connection", 2);
  await expect(ask((client) => client.logs.webhooks())).rejects.toMatchObject({ name: "MediaConnectionError" });
  expect(service.calls).toHaveLength(2);
  service.fail({ status: 429, retryAfter: 30 });
  await expect(ask((client) => client.logs.webhooks())).rejects.toMatchObject({ name: "MediaTooManyRequestsError" });
  expect(service.calls).toHaveLength(3);
});

it("a client gives up a service that does not answer in time", async () => {
  const { connections, connection, log } = await connected();
  const silent: Fetch = (_, init) =>
    new Promise((_, reject) => init?.signal?.addEventListener("abort", () => reject(init.signal?.reason)));
  const ask = await clientsWith(connections, { fetch: silent, log, timeoutMs: 10 }).of(connection, caller);
  await expect(ask((client) => client.logs.webhooks())).rejects.toMatchObject({ name: "MediaTimeoutError" });
});

it("a client of a connection that leads inside says so", async () => {
  const { connections, log } = await connected();
  const inside = { teamId: "T01", projectId: "inside", baseUrl: "http://127.0.0.1:1", apiKey: "mo_k1", userId: "U01" };
  await connections.add(inside);
  const connection = (await connections.all("T01")).find(({ projectId }) => projectId === "inside");
  const clients = clientsWith(connections, { fetch: createFetch(false), log });
  const ask = connection && (await clients.of(connection, caller));
  await expect(ask?.((client) => client.logs.webhooks())).rejects.toThrow("127.0.0.1 leads to no public address");
});

it("there is no client of a connection that was removed", async () => {
  const { service, connections, connection, log } = await connected();
  await connections.remove("T01", "demo");
  await expect(clientsWith(connections, { fetch: service.fetch, log }).of(connection, caller)).rejects.toThrow(
    "not connected to demo",
  );
});
