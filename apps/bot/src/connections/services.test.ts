import { createMediaClient, MediaTimeoutError } from "@media-ops/sdk";
import { pino } from "pino";
import { expect, it } from "vitest";
import { startBadService, startSilentService } from "../test/bad-service.js";
import { type Circuit, CLOSED, createServices, onSent, onTimeout, PAUSE_MS, silenceOf } from "./connections.js";

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
