import assert from "node:assert/strict";
import { textOf } from "@media-ops/fake-slack";
import { Load, type Rate } from "../load/load.js";
import { captured } from "./requests.js";
import type { Stage } from "./stage.js";

/** Over how many connections a burst comes. */
export const CONNECTIONS = 16;
const COMMAND = "/media logs webhooks status>=400";
const ANSWER = /webhook logs of bench, status ≥ 400: \d+ of 1,000/;
// On a busy machine, too.
const LONGEST_MS = 60_000;

/** Slack's requests for so many commands, each of another person; made beforehand, so that this is not measured. */
export async function makeBurst({ slack, people, general }: Stage, size: number): Promise<Buffer[]> {
  const askers = people.slice(0, size);
  const requests = await captured(slack, () =>
    Promise.all(askers.map((person) => person.command(COMMAND, { in: general }))),
  );
  assert.equal(requests.length, size);
  return requests;
}

/** Sends a burst as fast as it is acknowledged. */
export async function send(url: string, requests: readonly Buffer[]): Promise<Rate> {
  // They are opened each time, which is not measured: Bolt ends those that have been idle for 5 s.
  const load = await Load.open([url], CONNECTIONS);
  try {
    return await load.rate(requests.map((request) => [request]));
  } finally {
    load.close();
  }
}

/** Sends a burst to the bot, and waits until everybody has the right answer, once. */
export async function askBot(
  { slack, people, general, urls }: Stage,
  requests: readonly Buffer[],
): Promise<{ acknowledged: Rate; answered: number[] }> {
  const shownAt: number[] = [];
  const unwatch = slack.watch(({ what, name, at }) => {
    if (what === "shown" && name === "message") shownAt.push(at);
  });
  const started = Date.now();
  const acknowledged = await send(urls.bot, requests);
  await slack.until(() => shownAt.length >= requests.length, { timeoutMs: LONGEST_MS });
  unwatch();
  for (const person of people.slice(0, requests.length)) {
    const [message, ...others] = person.sees(general);
    assert.deepEqual(others, []);
    assert.match(textOf(message ?? []), ANSWER);
    person.reload();
  }
  return { acknowledged, answered: shownAt.map((at) => at - started) };
}
