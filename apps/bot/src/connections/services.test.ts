import { createMediaClient } from "@media-ops/sdk";
import { pino } from "pino";
import { expect, it } from "vitest";
import { startBadService, startSilentService } from "../test/bad-service.js";
import { PAUSE_MS } from "./circuit.js";
import { createServices } from "./services.js";

const START = Date.parse("2026-11-23T09:00:00Z");

/** A service that holds every request until the test releases it, and a caller. */
async function start({ timeoutMs = 10_000, maxWaitMs = 10_000 } = {}) {
  const { url: baseUrl, state, held } = await startSilentService();
  const clock = { now: START };
  const lines: string[] = [];
  const log = pino({ level: "info" }, { write: (line: string) => void lines.push(line) });
  const services = createServices({ now: () => clock.now, log, timeoutMs, maxWaitMs });
  const ask = (userId: string, { teamId = "T1", url = baseUrl, answerBy = Number.POSITIVE_INFINITY } = {}) =>
    services.send({ teamId, userId, projectId: "demo", baseUrl: url, answerBy }, (ms) =>
      createMediaClient({ baseUrl: url, apiKey: "mo_any_key", timeoutMs: ms, maxRetries: 0 }).logs.api(),
    );
  const answerOne = (): void => (held.shift() ?? expect.unreachable("nothing is held"))();
  return { state, clock, held, ask, lines, answerOne };
}

const settled = (asked: readonly Promise<unknown>[]) => Promise.allSettled(asked);

it("one person's requests take half of what a service is asked at once, and a colleague's go out beside them", async () => {
  const { state, held, ask, answerOne } = await start();
  const anns = Array.from({ length: 10 }, () => ask("ann"));
  await expect.poll(() => held.length).toBe(4);
  const bobs = ask("bob");
  await expect.poll(() => held.length).toBe(5);
  state.isSilent = false;
  for (let at = 0; at < 5; at++) answerOne();
  expect(await Promise.all([...anns, bobs])).toHaveLength(11);
});

it("one workspace's requests to a service do not hold up another's", async () => {
  const { held, ask } = await start({ timeoutMs: 500, maxWaitMs: 100 });
  const asked = settled(["ann", "bob", "cem"].flatMap((who) => Array.from({ length: 4 }, () => ask(who))));
  await expect.poll(() => held.length).toBe(8);
  const other = ask("dee", { teamId: "T2" });
  await expect.poll(() => held.length).toBe(9);
  await settled([other]);
  await asked;
});

it("a request that has waited too long for its turn is given up, and its place is free", async () => {
  const { state, held, ask, answerOne } = await start({ maxWaitMs: 50 });
  const first = Array.from({ length: 4 }, () => ask("ann"));
  await expect.poll(() => held.length).toBe(4);
  await expect(ask("ann")).rejects.toMatchObject({ name: "ServiceBusyError", waitedMs: 50 });
  state.isSilent = false;
  for (let at = 0; at < 4; at++) answerOne();
  await Promise.all(first);
  expect(await ask("ann")).toEqual([]);
});

it("beyond 20 waiting requests of one person, a further one is refused at once, and a colleague's is not", async () => {
  const { state, held, ask, answerOne } = await start();
  const asked = Array.from({ length: 24 }, () => ask("ann"));
  await expect(ask("ann")).rejects.toMatchObject({ name: "ServiceBusyError", waitedMs: 0 });
  const bobs = ask("bob");
  await expect.poll(() => held.length).toBe(5);
  state.isSilent = false;
  for (let at = 0; at < 5; at++) answerOne();
  expect(await Promise.all([...asked, bobs])).toHaveLength(25);
});

it("after three time-outs requests fail unsent, for every workspace but to this service alone, until one is answered", async () => {
  const { state, clock, ask, lines } = await start({ timeoutMs: 500 });
  const another = await startBadService((_, response) => void response.writeHead(200).end("[]"));
  for (let at = 0; at < 3; at++) await expect(ask("ann")).rejects.toMatchObject({ name: "MediaTimeoutError" });
  await expect(ask("ann")).rejects.toMatchObject({ name: "ServiceSilentError", silence: { retryInMs: PAUSE_MS } });
  await expect(ask("bob", { teamId: "T2" })).rejects.toMatchObject({ name: "ServiceSilentError" });
  expect(state.asked).toBe(3);
  expect(await ask("ann", { url: another })).toEqual([]);

  clock.now += PAUSE_MS;
  const tries = await settled(["ann", "bob", "cem"].map((who) => ask(who)));
  const names = tries.map((result) => (result.status === "rejected" ? result.reason.name : "answered"));
  expect(names.sort()).toEqual(["MediaTimeoutError", "ServiceSilentError", "ServiceSilentError"]);
  expect(state.asked).toBe(4);

  state.isSilent = false;
  await expect(ask("ann")).rejects.toMatchObject({ name: "ServiceSilentError" });
  clock.now += PAUSE_MS;
  expect(await ask("ann")).toEqual([]);
  expect(await Promise.all(["ann", "bob", "cem"].map((who) => ask(who)))).toEqual([[], [], []]);
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual([
    "a service did not answer several requests in a row; requests to it fail at once for a while",
    "a service that did not answer does so again",
  ]);
});

it("requests that wait while others time out fail as soon as the service counts as silent", async () => {
  const { state, ask } = await start({ timeoutMs: 200 });
  const results = await settled(Array.from({ length: 20 }, () => ask("ann")));
  const names = results.map((result) => (result.status === "rejected" ? result.reason.name : "answered"));
  // The first two time-outs make room for two more, and the third for none.
  expect(state.asked).toBeLessThanOrEqual(6);
  expect(names.filter((name) => name === "ServiceSilentError")).toHaveLength(20 - state.asked);
});

it("a request that was held up gets the time that is left, at least a second, and proves nothing by timing out", async () => {
  const { ask } = await start();
  const asked = await settled(["ann", "bob", "cem"].map((who) => ask(who, { answerBy: START })));
  for (const one of asked) expect(one).toMatchObject({ reason: { name: "MediaTimeoutError" } });
  await expect(ask("ann", { answerBy: START })).rejects.toMatchObject({ name: "MediaTimeoutError" });
});
