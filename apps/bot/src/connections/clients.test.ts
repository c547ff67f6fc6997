import { createFakeMediaService } from "@media-ops/sdk/testing";
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { readerOf } from "../logs/listing.js";
import { openTestStorage } from "../test/storage.js";
import {
  type Allowance,
  Connections,
  createClients,
  createReadBudget,
  createServices,
  NoRoomError,
  type ServiceCaller,
  weighAnswer,
} from "./connections.js";

const caller: ServiceCaller = {
  turnOf: "U01",
  allowance: createReadBudget().open("T01"),
  answerBy: Number.POSITIVE_INFINITY,
  aside: (wait) => wait(),
};

async function connected() {
  const service = createFakeMediaService();
  const { baseUrl, apiKey } = service.clientOptions;
  const lines: string[] = [];
  const log = pino({ level: "trace" }, { write: (line: string) => void lines.push(line) });
  const connections = new Connections(await openTestStorage(), undefined, Date.now);
  await connections.add({ teamId: "T01", projectId: "demo", baseUrl, apiKey, userId: "U01" });
  const [connection] = await connections.all("T01");
  if (!connection) throw new Error("The connection was just made.");
  const services = createServices(Date.now, log);
  const clients = createClients({ connections, services, log, now: Date.now, fetch: service.fetch });
  return { service, clients, connection, lines, apiKey };
}

it("a client sends the connection's key to its service, and identifies itself as the bot", async () => {
  const { service, clients, connection, lines, apiKey } = await connected();
  service.add("webhooks", { status: 500 });
  const { ask } = await clients.of(connection, caller);
  expect(await ask((client, options) => client.logs.webhooks({}, options))).toMatchObject([{ status: 500 }]);
  const [call] = service.calls;
  expect(call?.headers.get("authorization")).toBe(`Bearer ${apiKey}`);
  expect(call?.headers.get("user-agent")).toBe("media-ops-bot");
  expect(lines.join()).toContain("answered 200");
  expect(lines.join()).toContain('"project":"demo"');
  expect(lines.join()).not.toContain(apiKey);
});

it("a client sends requests to an address that is not stored yet in the same way", async () => {
  const { service, clients, connection, lines, apiKey } = await connected();
  const ask = clients.to({ ...connection, apiKey: "mo_another_key" }, caller);
  await expect(ask((client, options) => client.logs.webhooks({}, options))).rejects.toMatchObject({
    code: "Unauthorized",
  });
  await clients.to({ ...connection, apiKey }, caller)((client, options) => client.logs.webhooks({}, options));
  expect(service.calls.map(({ headers }) => headers.get("user-agent"))).toEqual(["media-ops-bot", "media-ops-bot"]);
  expect(lines.join()).not.toContain(apiKey);
});

it("a client retries once if the connection broke, but not if the service says to wait", async () => {
  const { service, clients, connection } = await connected();
  const { ask } = await clients.of(connection, caller);
  const asked = () => ask((client, options) => client.logs.webhooks({}, options));
  service.fail("connection", 2);
  await expect(asked()).rejects.toMatchObject({ name: "MediaConnectionError" });
  expect(service.calls).toHaveLength(2);
  service.fail({ status: 429, retryAfter: 30 });
  await expect(asked()).rejects.toMatchObject({ name: "MediaTooManyRequestsError" });
  expect(service.calls).toHaveLength(3);
});

it("a client is kept with what it knows of its service, and its calls name the bot", async () => {
  const { service, clients, connection } = await connected();
  const kept = await Promise.all(
    [1, 2].map(async () => (await clients.of(connection, caller)).ask(async (client) => client)),
  );
  expect(kept[0]).toBe(kept[1]);
  await kept[0]?.logs.webhooks();
  expect(service.calls.map(({ from }) => from)).toEqual(["bot"]);
});

it("concurrent requests for the same page share one read, which counts until the last of them has ended", async () => {
  const { service, clients, connection } = await connected();
  const budget = createReadBudget(10_000, 1000);
  const [owner, sharer, third] = [budget.open("T01"), budget.open("T01"), budget.open("T01")];
  const open = async (allowance: Allowance) =>
    readerOf({ id: "demo", ...(await clients.of(connection, { ...caller, allowance })) });
  const readers = [await open(owner), await open(sharer), await open(third)];
  const [one, same] = await Promise.all(
    readers.map((reader, at) => reader.list("webhooks", { limit: at < 2 ? 7 : 8 })),
  );
  expect(one).toBe(same);
  expect(service.calls).toHaveLength(2);
  third.end();
  owner.end();
  expect(() => budget.open("T01").take(1000)).toThrow(NoRoomError);
  sharer.end();
  budget.open("T01").take(1000);
  await (await open(budget.open("T02"))).list("webhooks", { limit: 7 });
  expect(service.calls).toHaveLength(3);
});

/** How much of an allowance reading an answer uses if its body arrives in chunks of this size. */
async function weightOf(text: string, chunk = text.length): Promise<number> {
  let taken = 0;
  const allowance: Pick<Allowance, "take"> = {
    take: (bytes) => {
      taken += bytes;
    },
  };
  const bytes = new TextEncoder().encode(text);
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = 0; at < bytes.length; at += chunk) controller.enqueue(bytes.slice(at, at + chunk));
      controller.close();
    },
  });
  const answer = weighAnswer(new Response(body, { status: 203, headers: { "x-request-id": "1" } }), allowance);
  expect([answer.status, answer.headers.get("x-request-id")]).toEqual([203, "1"]);
  expect(await answer.text()).toBe(text);
  return taken;
}

it.each([
  ["no value", "", 0],
  ["an empty list", "[]", 1],
  ["values", '[{"a":1,"b":[2,3]},{}]', 7],
  ["punctuation in strings, which is not counted", '["[{,\\"[{,\\\\","é,"]', 2],
])("an answer uses as much allowance as its bytes and its values, for any chunk size: %s", async (_, text, values) => {
  const weight = new TextEncoder().encode(text).length + 32 * values;
  expect(await weightOf(text)).toBe(weight);
  expect(await weightOf(text, 1)).toBe(weight);
});

it("an answer without a body uses no allowance", () => {
  const answer = new Response(null, { status: 204 });
  const allowance = { take: () => expect.unreachable() };
  expect(weighAnswer(answer, allowance)).toBe(answer);
});

describe("the budget for concurrent reads", () => {
  it("refuses a workspace that exceeds its share, and still has room for others", () => {
    const reads = createReadBudget(100, 40);
    const [first, second, other] = [reads.open("T1"), reads.open("T1"), reads.open("T2")];
    first.take(30);
    expect(() => second.take(11)).toThrow(NoRoomError);
    second.take(10);
    other.take(40);
  });

  it("refuses any workspace that would exceed the total", () => {
    const reads = createReadBudget(100, 40);
    for (const team of ["T1", "T2"]) reads.open(team).take(40);
    expect(() => reads.open("T3").take(21)).toThrow(NoRoomError);
    reads.open("T3").take(20);
  });

  it("has room again when a request has ended, and refuses an ended one", () => {
    const reads = createReadBudget(100, 40);
    const first = reads.open("T1");
    first.take(40);
    first.end();
    first.end();
    expect(() => first.take(1)).toThrow(NoRoomError);
    const second = reads.open("T1");
    second.take(40);
    expect(() => second.take(1)).toThrow(NoRoomError);
  });

  it("is a small part of the memory by default, of which one workspace gets a quarter", () => {
    const [allowance, other] = [createReadBudget(), createReadBudget()].map((reads) => reads.open("T1"));
    expect(() => allowance?.take(32 * 2 ** 20 + 1)).toThrow(NoRoomError);
    other?.take(8 * 2 ** 20);
  });
});
