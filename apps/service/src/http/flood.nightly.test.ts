// Takes some 15 s: callers are measured alternately with and without a flood, so that a busy machine slows down both.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { commandLine, serve } from "../cli/test/command-line.js";
import { pathOf } from "../test/harness.js";
import { connectionDestroyed, connectionOf } from "../test/media-events.js";

const CALLERS = 3000;
const ROUNDS = 2;
const SECONDS = 2;
// As fast as a busy media server sends, over as few connections.
const EVENTS_PER_SECOND = 400;
const MEDIA_CONNECTIONS = 8;
const LISTERS = 3;
const LIST_EVERY_MS = 100;

/** The duration of each call, in milliseconds. */
interface Measured {
  readonly events: number[];
  readonly listings: number[];
}

it(`${CALLERS} callers with a wrong key do not slow down the intake, and callers with a good key are answered`, async () => {
  const { options, json } = await commandLine({ MEDIA_LISTINGS_PER_MINUTE: "0" });
  const { api_key: apiKey } = await json("projects", "create", "demo");
  const { intake_key: intakeKey } = await json("intake-keys", "create");
  const { url, internalUrl } = await serve(options);
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());

  const measure = async ({ events, listings }: Measured): Promise<void> => {
    const since = performance.now();
    const until = since + SECONDS * 1000;
    let sent = 0;
    const media = Array.from({ length: MEDIA_CONNECTIONS }, async () => {
      while (performance.now() < until) {
        const due = since + (sent++ * 1000) / EVENTS_PER_SECOND;
        await setTimeout(Math.max(0, due - performance.now()));
        const body = JSON.stringify(connectionDestroyed(connectionOf()));
        events.push(await timeOf({ agent, url: `${internalUrl}/intake/event`, key: intakeKey, body }));
      }
    });
    const listers = Array.from({ length: LISTERS }, async () => {
      while (performance.now() < until) {
        listings.push(await timeOf({ agent, url: url + pathOf.listConnectionLogs, key: apiKey, body: "{}" }));
        await setTimeout(LIST_EVERY_MS);
      }
    });
    await Promise.all([...media, ...listers]);
  };

  const quiet: Measured = { events: [], listings: [] };
  const flooded: Measured = { events: [], listings: [] };
  for (let round = 0; round < ROUNDS; round++) {
    await measure(quiet);
    const flood = await startFlood(new URL(url).port);
    await measure(flooded);
    // The flood reaches the service, which slows it down by holding refusals back for up to two seconds.
    const refused = async (): Promise<number> => {
      const { answered, cutOff } = await countsOf(flood);
      return answered + cutOff;
    };
    await expect.poll(refused).toBeGreaterThan(100);
    await end(flood);
  }

  const seen = JSON.stringify({ quiet: describe(quiet), flooded: describe(flooded) });
  expect(flooded.events.length / quiet.events.length, seen).toBeGreaterThan(0.7);
  // On a machine that is too slow for this even without a flood, the flood must not add more than that.
  expect(p99(flooded.events), seen).toBeLessThan(Math.max(100, 2 * p99(quiet.events)));
  expect(p99(flooded.listings), seen).toBeLessThan(2000);
});

const describe = ({ events, listings }: Measured) => ({
  eventsPerSecond: events.length / ROUNDS / SECONDS,
  eventsP99: p99(events),
  listingsP99: p99(listings),
});

/** Starts callers with a wrong key in a separate process, and resolves once they are calling. */
async function startFlood(port: string): Promise<ChildProcess> {
  const program = fileURLToPath(new URL("../test/flood.mjs", import.meta.url));
  const flood = fork(program, [port, String(CALLERS), pathOf.listConnectionLogs]);
  onTestFinished(() => void flood.kill());
  await expect.poll(async () => (await countsOf(flood)).called).toBeGreaterThanOrEqual(CALLERS);
  return flood;
}

async function end(flood: ChildProcess): Promise<void> {
  const exited = once(flood, "exit");
  flood.kill();
  await exited;
}

async function countsOf(flood: ChildProcess): Promise<{ called: number; answered: number; cutOff: number }> {
  const told = once(flood, "message");
  flood.send("count");
  const [counts] = await told;
  return counts;
}

/** Milliseconds until a call is answered, which must be with 200. */
async function timeOf({ url, key, agent, body }: { url: string; key: string; agent: Agent; body: string }) {
  const since = performance.now();
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const call = request(url, { method: "POST", agent, headers }).end(body);
  const [response] = await once(call, "response");
  response.resume();
  await once(response, "end");
  expect(response.statusCode).toBe(200);
  return performance.now() - since;
}

function p99(times: readonly number[]): number {
  return [...times].sort((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Number.NaN;
}
