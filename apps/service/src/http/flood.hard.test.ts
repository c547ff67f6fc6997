// Takes some 15 s: the rate without a flood and with one is measured for some seconds each, in the same run.
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
const SECONDS = 4;
// As fast as a busy media server sends, over as few connections.
const EVENTS_PER_SECOND = 400;
const MEDIA_CONNECTIONS = 8;
const LISTERS = 3;
const LIST_EVERY_MS = 100;

/** What callers saw for some seconds. */
interface Measured {
  readonly eventsPerSecond: number;
  readonly intakeP99: number;
  readonly listingP99: number;
}

it(`${CALLERS} callers with a wrong key do not slow down the intake, and callers with a good key are answered`, async () => {
  const { options, json } = await commandLine({ MEDIA_LISTINGS_PER_MINUTE: "0" });
  const { api_key: apiKey } = await json("projects", "create", "demo");
  const { intake_key: intakeKey } = await json("intake-keys", "create");
  const { url, insideUrl } = await serve(options);
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());

  const measure = async (): Promise<Measured> => {
    const since = performance.now();
    const until = since + SECONDS * 1000;
    const [taken, listed]: [number[], number[]] = [[], []];
    let sent = 0;
    const media = Array.from({ length: MEDIA_CONNECTIONS }, async () => {
      while (performance.now() < until) {
        const due = since + (sent++ * 1000) / EVENTS_PER_SECOND;
        await setTimeout(Math.max(0, due - performance.now()));
        const body = JSON.stringify(connectionDestroyed(connectionOf()));
        taken.push(await timeOf({ agent, url: `${insideUrl}/intake/event`, key: intakeKey, body }));
      }
    });
    const listers = Array.from({ length: LISTERS }, async () => {
      while (performance.now() < until) {
        listed.push(await timeOf({ agent, url: url + pathOf.listConnectionLogs, key: apiKey, body: "{}" }));
        await setTimeout(LIST_EVERY_MS);
      }
    });
    await Promise.all([...media, ...listers]);
    const eventsPerSecond = (taken.length * 1000) / (performance.now() - since);
    return { eventsPerSecond, intakeP99: p99(taken), listingP99: p99(listed) };
  };

  const quiet = await measure();
  const flood = await startFlood(new URL(url).port);
  const flooded = await measure();
  const { answered, cutOff } = await countsOf(flood);
  const seen = JSON.stringify({ quiet, flooded, answered, cutOff });
  expect(answered + cutOff, seen).toBeGreaterThan(CALLERS / 2);
  expect(flooded.eventsPerSecond / quiet.eventsPerSecond, seen).toBeGreaterThan(0.7);
  expect(flooded.intakeP99, seen).toBeLessThan(100);
  expect(flooded.listingP99, seen).toBeLessThan(2000);
});

/** Callers with a wrong key, in a process of their own, once they are at it. */
async function startFlood(port: string): Promise<ChildProcess> {
  const program = fileURLToPath(new URL("../test/flood.mjs", import.meta.url));
  const flood = fork(program, [port, String(CALLERS), pathOf.listConnectionLogs]);
  onTestFinished(() => void flood.kill());
  await expect.poll(async () => (await countsOf(flood)).called).toBeGreaterThanOrEqual(CALLERS);
  return flood;
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
