import { createMediaClient, MediaTimeoutError } from "@media-ops/sdk";
import { createFakeMediaService } from "@media-ops/sdk/testing";
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { readerOf } from "../logs/listing.js";
import { startBadService, startSilentService } from "../test/services.js";
import { openTestStorage } from "../test/storage.js";
import {
  type Allowance,
  type Circuit,
  CLOSED,
  type Connection,
  Connections,
  chooseConnection,
  createClients,
  createReadBudget,
  createServices,
  type Defaults,
  NoRoomError,
  onSent,
  onTimeout,
  PAUSE_MS,
  type ServiceCaller,
  silenceOf,
  weighAnswer,
} from "./connections.js";

const NOW = 1_750_000_000_000;
const media = { baseUrl: "http://127.0.0.1:8080", apiKey: "mo_env_planted", projectId: "house" };
const baseUrl = "https://media.example";
const demo = { teamId: "T01", projectId: "demo", baseUrl, apiKey: "mo_k1_planted", userId: "U01" };
const added = { teamId: "T01", baseUrl, connectedBy: "U01", connectedAt: NOW };
const house = { teamId: "T01", projectId: "house", baseUrl: media.baseUrl };

async function open(fromOutside?: typeof media) {
  const storage = await openTestStorage();
  const connections = new Connections(storage, fromOutside, () => NOW);
  /** A connection, and its key. */
  const keyOf = async (project: string) => {
    const found = (await connections.all("T01")).find(({ projectId }) => projectId === project);
    return found && connections.apiKeyOf(found);
  };
  return { storage, connections, keyOf };
}

describe("a workspace's connections", () => {
  it("are those that its people added, by project, and never another workspace's", async () => {
    const { connections } = await open();
    await connections.add(demo);
    await connections.add({ ...demo, projectId: "alpha", userId: "U02" });
    await connections.add({ ...demo, teamId: "T02", projectId: "other" });
    expect(await connections.all("T01")).toEqual([
      { ...added, projectId: "alpha", connectedBy: "U02" },
      { ...added, projectId: "demo" },
    ]);
    expect(await connections.all("T03")).toEqual([]);
  });

  it("include the environment's, in order, unless the workspace has its own to the same project", async () => {
    const { connections, keyOf } = await open(media);
    for (const projectId of ["zeta", "demo"]) await connections.add({ ...demo, projectId });
    const own = (projectId: string) => ({ ...added, projectId });
    expect(await connections.all("T01")).toEqual([own("demo"), house, own("zeta")]);
    expect([await keyOf("demo"), await keyOf("house")]).toEqual([demo.apiKey, media.apiKey]);
    await connections.add({ ...demo, projectId: "house" });
    expect(await connections.all("T01")).toEqual([own("demo"), own("house"), own("zeta")]);
    expect(await keyOf("house")).toBe(demo.apiKey);
  });

  it("are replaced by a new connection to the same project", async () => {
    const { connections, keyOf } = await open();
    await connections.add(demo);
    await connections.add({ ...demo, baseUrl: "https://new.example", apiKey: "mo_k2_planted", userId: "U02" });
    expect(await connections.all("T01")).toMatchObject([{ baseUrl: "https://new.example", connectedBy: "U02" }]);
    expect(await keyOf("demo")).toBe("mo_k2_planted");
  });
});

describe("the key of a connection", () => {
  it.each<[string, (to: Awaited<ReturnType<typeof open>>) => Promise<unknown>, object]>([
    [
      "the address of a former connection",
      ({ connections }) => connections.add({ ...demo, baseUrl: "https://new.example" }),
      { name: "NotConnectedError" },
    ],
    [
      "a project that is no longer connected",
      ({ connections }) => connections.remove("T01", "demo"),
      { message: expect.stringContaining("is no longer connected to demo") },
    ],
  ])("is not sent to %s", async (_, change, error) => {
    const opened = await open();
    await opened.connections.add(demo);
    const [old] = await opened.connections.all("T01");
    await change(opened);
    await expect(old && opened.connections.apiKeyOf(old)).rejects.toMatchObject(error);
  });

  it("is not sent to an address that someone else wrote into the database", async () => {
    const { connections, storage, keyOf } = await open();
    await connections.add(demo);
    await storage.query.updateTable("connection").set({ base_url: "https://evil.example" }).execute();
    await expect(keyOf("demo")).rejects.toThrow("not sealed");
  });

  it.each([undefined, { ...media, projectId: "garden" }])(
    "of the environment is refused once that names no or another project: %j",
    async (other) => {
      const { connections } = await open(other);
      const former: Connection = house;
      await expect(connections.apiKeyOf(former)).rejects.toThrow("is no longer connected to house");
    },
  );
});

describe("defaults", () => {
  const choice = { teamId: "T01", channelId: undefined, projectId: "demo", userId: "U01" };

  it("start empty; then there is one for the workspace and one for each channel", async () => {
    const { connections } = await open();
    expect(await connections.defaults("T01")).toEqual({ workspace: undefined, channels: new Map() });
    await connections.setDefault(choice);
    await connections.setDefault({ ...choice, channelId: "C01", projectId: "alpha" });
    await connections.setDefault({ ...choice, channelId: "C01", projectId: "beta" });
    await connections.setDefault({ ...choice, teamId: "T02", projectId: "other" });
    expect(await connections.defaults("T01")).toEqual({ workspace: "demo", channels: new Map([["C01", "beta"]]) });
  });

  it("are removed with their connection, and stay if there was none", async () => {
    const { connections } = await open(media);
    await connections.add(demo);
    await connections.setDefault(choice);
    await connections.setDefault({ ...choice, channelId: "C01" });
    await connections.setDefault({ ...choice, channelId: "C02", projectId: "house" });
    const removed = [];
    for (const project of ["demo", "demo", "house"]) removed.push(await connections.remove("T01", project));
    expect(removed).toEqual([true, false, false]);
    expect(await connections.defaults("T01")).toEqual({ workspace: undefined, channels: new Map([["C02", "house"]]) });
    expect(await connections.all("T01")).toEqual([house]);
  });
});

const to = (projectId: string): Connection => ({
  teamId: "T01",
  projectId,
  baseUrl: "https://media.example",
  connectedBy: "U01",
  connectedAt: 0,
});

const none: Defaults = { workspace: undefined, channels: new Map() };
const connections = [to("alpha"), to("beta"), to("demo")];
const defaults: Defaults = {
  workspace: "alpha",
  channels: new Map([
    ["C01", "beta"],
    ["C02", "gone"],
  ]),
};

it.each<[name: string, of: Connection[], by: Defaults, channel: string | undefined, asked: string | undefined, string]>(
  [
    ["the named project", connections, defaults, "C01", "demo", "demo"],
    ["the channel's default", connections, defaults, "C01", undefined, "beta"],
    ["the workspace's default", connections, defaults, "C09", undefined, "alpha"],
    ["the workspace's default outside of channels", connections, defaults, undefined, undefined, "alpha"],
    ["the workspace's default if the channel's is disconnected", connections, defaults, "C02", undefined, "alpha"],
    ["the only project", [to("demo")], none, "C01", undefined, "demo"],
    ["the only project if the defaults are disconnected", [to("demo")], defaults, "C02", undefined, "demo"],
  ],
)("the project is %s", (_, connections, defaults, channelId, asked, projectId) => {
  expect(chooseConnection(connections, defaults, channelId, asked)).toEqual({ ok: true, connection: to(projectId) });
});

it.each<[name: string, of: Connection[], by: Defaults, asked: string | undefined, expected: object]>([
  ["none is connected", [], defaults, "demo", { why: "none", asked: "demo" }],
  ["the choice is ambiguous", connections, none, undefined, { why: "several", connections }],
  [
    "the named project is not connected",
    connections,
    defaults,
    "dmeo",
    { why: "unknown", asked: "dmeo", nearest: "demo", connections },
  ],
  [
    "the only project has another name",
    [to("demo")],
    none,
    "production",
    { why: "unknown", asked: "production", nearest: undefined },
  ],
])("no project is chosen if %s", (_, connections, defaults, asked, expected) => {
  expect(chooseConnection(connections, defaults, "C01", asked)).toMatchObject({ ok: false, ...expected });
});

const projects = ["demo", "production", "staging-eu", "staging-us"];

it.each([
  ["dem", "demo"],
  ["Demo", "demo"],
  ["dmeo", "demo"],
  ["deom", "demo"],
  ["d", undefined],
  ["demoo", "demo"],
  ["prodction", "production"],
  ["staging-uss", "staging-us"],
  ["staging", "staging-eu"],
  ["x", undefined],
  ["", undefined],
  ["🎥🎥🎥🎥", undefined],
  ["demo".padEnd(64, "o"), undefined],
])("for %j, the nearest project is %j", (typed, meant) => {
  expect(chooseConnection(projects.map(to), none, undefined, typed)).toMatchObject({ ok: false, nearest: meant });
});

it("without projects, there is no nearest one", () => {
  expect(chooseConnection([], none, undefined, "demo")).not.toHaveProperty("nearest");
});

const START = Date.parse("2026-11-23T09:00:00Z");

/** A service that holds every request until the test releases it, and a caller. */
async function start({ maxWaitMs = 25_000 } = {}) {
  const { url: baseUrl, state, held } = await startSilentService();
  const clock = { now: START };
  const lines: string[] = [];
  const log = pino({ level: "info" }, { write: (line: string) => void lines.push(line) });
  const services = createServices(() => clock.now, log, 25_000, maxWaitMs);
  const calls = new Set<AbortController>();
  const ask = (
    turnOf: string,
    { teamId = "T1", url = baseUrl, answerBy = Number.POSITIVE_INFINITY, request = {} } = {},
  ) =>
    services.send({ teamId, turnOf, projectId: "demo", baseUrl: url, answerBy, request }, async (timeoutMs) => {
      const call = new AbortController();
      calls.add(call);
      const client = createMediaClient({ baseUrl: url, apiKey: "mo_any_key", timeoutMs, maxRetries: 0 });
      return client.logs.api({}, { signal: call.signal }).finally(() => calls.delete(call));
    });
  /** Lets the calls that the service holds time out, once it holds this many. */
  const timeOut = async (count: number): Promise<void> => {
    await expect.poll(() => held.length).toBe(count);
    held.splice(0);
    for (const call of calls) call.abort(new MediaTimeoutError("It took too long."));
  };
  /** Lets the service answer, now this many held calls and then each at once. */
  const answer = (count: number): void => {
    state.isSilent = false;
    for (let at = 0; at < count; at++) (held.shift() ?? expect.unreachable("nothing is held"))();
  };
  return { state, clock, held, ask, lines, answer, timeOut };
}

const settled = (asked: readonly Promise<unknown>[]) => Promise.allSettled(asked);
const namesOf = (results: readonly PromiseSettledResult<unknown>[]) =>
  results.map((result) => (result.status === "rejected" ? result.reason.name : "answered"));

it("one person's requests take half of a service's slots, and a colleague's are sent beside them", async () => {
  const { held, ask, answer } = await start();
  const anns = Array.from({ length: 10 }, () => ask("ann"));
  await expect.poll(() => held.length).toBe(4);
  const bobs = ask("bob");
  await expect.poll(() => held.length).toBe(5);
  answer(5);
  expect(await Promise.all([...anns, bobs])).toHaveLength(11);
});

it("one workspace's requests to a service do not delay another's", async () => {
  const { held, ask, answer } = await start();
  const asked = ["ann", "bob", "cem"].flatMap((who) => Array.from({ length: 4 }, () => ask(who)));
  await expect.poll(() => held.length).toBe(8);
  const other = ask("dee", { teamId: "T2" });
  await expect.poll(() => held.length).toBe(9);
  answer(9);
  await Promise.all([...asked, other]);
});

it("a request that has waited too long for its turn is rejected, and leaves the line", async () => {
  const { held, ask, answer } = await start({ maxWaitMs: 50 });
  const first = Array.from({ length: 4 }, () => ask("ann"));
  await expect.poll(() => held.length).toBe(4);
  await expect(ask("ann")).rejects.toMatchObject({ name: "ServiceBusyError", waitedMs: 50 });
  answer(4);
  await Promise.all(first);
  expect(await ask("ann")).toEqual([]);
});

it("after 20 waiting requests of one person, a further one is refused at once, and a colleague's is not", async () => {
  const { held, ask, answer } = await start();
  const asked = Array.from({ length: 24 }, () => ask("ann"));
  await expect(ask("ann")).rejects.toMatchObject({ name: "ServiceBusyError", waitedMs: 0 });
  const bobs = ask("bob");
  await expect.poll(() => held.length).toBe(5);
  answer(5);
  expect(await Promise.all([...asked, bobs])).toHaveLength(25);
});

it("calls of one request are one sign of silence, and one attempt", async () => {
  const { state, clock, ask, held, answer, timeOut } = await start();
  const twice = (request = {}) => settled([ask("ann", { request }), ask("ann", { request })]);
  for (let at = 0; at < 3; at++) await Promise.all([twice(), timeOut(2)]);
  expect(state.asked).toBe(6);
  await expect(ask("ann")).rejects.toMatchObject({ name: "ServiceSilentError" });
  clock.now += PAUSE_MS;
  const attempt = twice();
  await expect.poll(() => held.length).toBe(2);
  await expect(ask("bob")).rejects.toMatchObject({ name: "ServiceSilentError" });
  answer(2);
  expect((await attempt).map(({ status }) => status)).toEqual(["fulfilled", "fulfilled"]);
});

it("after three timeouts requests to this service fail unsent, for any workspace, until one is answered", async () => {
  const { state, clock, ask, lines, timeOut } = await start();
  const another = await startBadService((_, response) => void response.writeHead(200).end("[]"));
  for (let at = 0; at < 3; at++) {
    const asked = expect(ask("ann")).rejects.toMatchObject({ name: "MediaTimeoutError" });
    await Promise.all([asked, timeOut(1)]);
  }
  await expect(ask("ann")).rejects.toMatchObject({ name: "ServiceSilentError", silence: { retryInMs: PAUSE_MS } });
  await expect(ask("bob", { teamId: "T2" })).rejects.toMatchObject({ name: "ServiceSilentError" });
  expect(state.asked).toBe(3);
  expect(await ask("ann", { url: another })).toEqual([]);

  clock.now += PAUSE_MS;
  const [tries] = await Promise.all([settled(["ann", "bob", "cem"].map((who) => ask(who))), timeOut(1)]);
  expect(namesOf(tries).sort()).toEqual(["MediaTimeoutError", "ServiceSilentError", "ServiceSilentError"]);
  expect(state.asked).toBe(4);

  state.isSilent = false;
  await expect(ask("ann")).rejects.toMatchObject({ name: "ServiceSilentError" });
  clock.now += PAUSE_MS;
  expect(await ask("ann")).toEqual([]);
  expect(await Promise.all(["ann", "bob", "cem"].map((who) => ask(who)))).toEqual([[], [], []]);
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual([
    "a service did not answer several requests in a row; requests to it now fail at once for a while",
    "a service answers again",
  ]);
});

it("requests that wait while others time out fail as soon as the service counts as silent", async () => {
  const { state, ask, timeOut } = await start();
  const [results] = await Promise.all([settled(Array.from({ length: 20 }, () => ask("ann"))), timeOut(4)]);
  const names = namesOf(results);
  // The first two timeouts free slots for two more requests; the third opens the circuit.
  expect(state.asked).toBeLessThanOrEqual(6);
  expect(names.filter((name) => name === "ServiceSilentError")).toHaveLength(20 - state.asked);
});

it("a delayed request gets the remaining time, at least a second, and does not count if it times out", async () => {
  const services = createServices(() => START, pino({ level: "silent" }));
  const target = { teamId: "T1", turnOf: "ann", projectId: "demo", baseUrl: "https://media.example" };
  const timeouts: number[] = [];
  for (const left of [0, 500, 3000, 0, 60_000]) {
    const sent = services.send({ ...target, answerBy: START + left, request: {} }, async (timeoutMs) => {
      timeouts.push(timeoutMs);
      throw new MediaTimeoutError("It took too long.");
    });
    await expect(sent).rejects.toMatchObject({ name: "MediaTimeoutError" });
  }
  expect(timeouts).toEqual([1000, 1000, 3000, 1000, 8000]);
});

const SENT = Date.parse("2026-11-23T09:00:00Z");
const TIMEOUT_MS = 8000;

// [event, ms after the start]
type Step = readonly ["sent" | "timeout" | "answer", number];

/** The circuit after these steps. A request that times out was sent 8 s before. */
function after(steps: readonly Step[]): Circuit {
  return steps.reduce<Circuit>((circuit, [step, ms]) => {
    const now = SENT + ms;
    if (step === "sent") return onSent(circuit, now, {});
    if (step === "timeout") return onTimeout(circuit, now - TIMEOUT_MS, now, {});
    return CLOSED;
  }, CLOSED);
}

const opened: Step[] = [
  ["timeout", 8000],
  ["timeout", 17_000],
  ["timeout", 30_000],
];
const retryAt = 30_000 + PAUSE_MS;
/** The expected silence in an error. */
const told = (silentForMs: number, lastTriedMs: number, retryInMs: number) => ({
  silentForMs,
  lastTriedAt: SENT + lastTriedMs,
  retryInMs,
});

it.each<[name: string, steps: Step[], atMs: number, silence: ReturnType<typeof told> | undefined]>([
  ["at the start", [], 0, undefined],
  ["two timeouts in a row", opened.slice(0, 2), 17_000, undefined],
  ["the third timeout opens the circuit", opened, 30_000, told(30_000, 22_000, PAUSE_MS)],
  ["it stays open for a pause", opened, retryAt - 1, told(44_999, 22_000, 1)],
  ["then one attempt is allowed", opened, retryAt, undefined],
  ["a second attempt is not", [...opened, ["sent", retryAt]], retryAt, told(45_000, retryAt, PAUSE_MS)],
  [
    "if it times out, the circuit stays open, and the next pause starts when it was sent",
    [...opened, ["sent", retryAt], ["timeout", retryAt + TIMEOUT_MS]],
    retryAt + TIMEOUT_MS,
    told(retryAt + TIMEOUT_MS, retryAt, PAUSE_MS - TIMEOUT_MS),
  ],
  [
    "after an attempt that never ends, another is allowed after a pause",
    [...opened, ["sent", retryAt]],
    retryAt + PAUSE_MS,
    undefined,
  ],
  ["an answer closes the circuit", [...opened, ["answer", 31_000]], 31_000, undefined],
  [
    "an answer between timeouts resets their count",
    [...opened.slice(0, 2), ["answer", 1], ["timeout", 9000]],
    9000,
    undefined,
  ],
  [
    "timeouts of requests sent before it opened change nothing",
    [...opened, ["timeout", 31_000]],
    31_000,
    told(31_000, 22_000, PAUSE_MS - 1000),
  ],
  ["a clock that is set back does not prolong the pause", opened, -3_600_000, undefined],
])("whether a service is called: %s", (_, steps, atMs, silence) => {
  expect(silenceOf(after(steps), SENT + atMs)).toEqual(silence);
});

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
