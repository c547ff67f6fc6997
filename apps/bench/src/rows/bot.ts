import assert from "node:assert/strict";
import { buffer } from "node:stream/consumers";
import { type FakeSlack, type Person, type Place, startFakeSlack, textOf } from "@media-ops/fake-slack";
import { serveHttp } from "@media-ops/testing/servers";
import { makeEntry, measured } from "../entries.js";
import { openLoad, type Rate } from "../load.js";
import { compare, figures, goal, type Measured, quantile, type Result, type Row, takeTurns } from "../measure.js";
import { type Build, type Sandbox, SCOPES, startBot, startFloor, startServices, withSandbox } from "../programs.js";
import { LogFile } from "../stores.js";

const CONNECTIONS = 16;
const FLOOR = "a bare Bolt app that only acknowledges";
const COMMAND = "/media logs webhooks status>=400";
const ANSWER = /\d+ webhooks of 1,000, status ≥ 400, project bench|webhook logs of bench, status ≥ 400: \d+ of 1,000/;
const LONGEST_MS = 60_000;

/** Measures how fast the bot acknowledges and answers commands, compared with a bare Bolt app. */
export const bot: Row = ({ builds, isQuick }) =>
  withSandbox(async (sandbox) => {
    const [burst, rounds, warmUp, alone] = isQuick ? [5, 1, 0, 1] : [100, 12, 3, 30];
    const stage = await startStage(sandbox, builds, burst);
    try {
      const bursts = await race(stage, burst, rounds, warmUp);
      const lone = await race(stage, 1, alone, 0);
      const rates = figures(bursts, ({ perSecond }) => perSecond);
      const p99s = figures(bursts, ({ times }) => quantile(times, 0.99));
      const [rate, p99] = [`acknowledgements a second, ${burst} at once`, `acknowledgement, ${burst} at once, p99 ms`];
      return [
        ...compare({ measure: rate, goal: goal("ratio", "≥", 0.9) }, rates),
        ...compare({ measure: p99, goal: goal("ratio", "≤", 1.11) }, p99s),
        ...answerTime(`${burst} at once, p50`, bursts, 0.5),
        ...answerTime(`${burst} at once, p99`, bursts, 0.99),
        ...answerTime("alone, p50", lone, 0.5),
      ];
    } finally {
      await stage.slack.stop();
    }
  });

/** Returns the time that people wait for the answer of each bot. The floor has none. */
function answerTime(measure: string, measured: readonly Measured<Burst>[], share: number): Result[] {
  const times = measured.slice(0, -1).map(({ name, rounds }) => {
    const all = rounds.flatMap(({ answered }) => answered);
    return { name, rounds: [quantile(all, share)] };
  });
  return compare({ measure: `command to answer, ${measure}, ms`, goal: goal("ours", "≤", 500, "ms") }, times);
}

/** A Slack with people in it, and the programs that receive its requests. */
interface Stage {
  readonly slack: FakeSlack;
  readonly people: readonly Person[];
  readonly general: Place;
  readonly targets: readonly { readonly name: string; readonly url: string }[];
}

async function startStage(sandbox: Sandbox, builds: readonly Build[], count: number): Promise<Stage> {
  const slack = await startFakeSlack({ scopes: SCOPES });
  const team = slack.addWorkspace({ name: "bench" });
  const people = Array.from({ length: count }, (_, at) => team.addUser({ name: `person-${at}` }));
  const general = team.addChannel({ name: "general", members: people });
  const targets: { name: string; url: string }[] = [];
  const { projectId, kind } = measured;
  for (const { build, name, file, url, key } of await startServices(sandbox, builds, projectId)) {
    const log = new LogFile(file);
    const from = Date.now() - 1000 * 7310;
    log.append(Array.from({ length: 1000 }, (_, nth) => makeEntry(projectId, kind, from + nth * 7310)));
    log.close();
    targets.push({ name, url: await startBot(sandbox, build, { slack, team, service: { url, key, projectId } }) });
  }
  const bare = await startFloor(sandbox, "bolt", { signingSecret: slack.app.signingSecret });
  targets.push({ name: FLOOR, url: `${bare.url}/slack/events` });
  return { slack, people, general, targets };
}

/** The result of one burst: the rate of acknowledgements, and the milliseconds until each person had the answer. */
interface Burst extends Rate {
  readonly answered: readonly number[];
}

/** Sends bursts of commands to the bots and the floor in turns. */
function race(stage: Stage, size: number, rounds: number, warmUp: number) {
  const contestants = stage.targets.map(({ name, url }) => ({ name, turn: () => sendBurst(stage, size, name, url) }));
  return takeTurns<Burst>(contestants, rounds, warmUp);
}

async function sendBurst({ slack, people, general }: Stage, size: number, name: string, url: string): Promise<Burst> {
  const askers = people.slice(0, size);
  const requests = await captured(slack, () =>
    Promise.all(askers.map((person) => person.command(COMMAND, { in: general }))),
  );
  assert.equal(requests.length, size);
  const shownAt: number[] = [];
  const unwatch = slack.watch(({ what, name, at }) => {
    if (what === "shown" && name === "message") shownAt.push(at);
  });
  const started = Date.now();
  // Opened for each burst, outside the measurement, because Bolt closes connections after 5 s without requests.
  const load = await openLoad(url, CONNECTIONS);
  const rate = await load.rate(requests.map((request) => [request]));
  load.close();
  if (name !== FLOOR) {
    await slack.until(() => shownAt.length >= size, { timeoutMs: LONGEST_MS });
    for (const person of askers) {
      const [message, ...others] = person.sees(general);
      assert.deepEqual(others, [], "every person has one answer");
      assert.match(textOf(message ?? []), ANSWER);
      person.reload();
    }
  }
  unwatch();
  return { ...rate, answered: shownAt.map((at) => at - started) };
}

/** Captures the signed requests that Slack sends while people act, as bytes. The app does not receive them. */
async function captured(slack: FakeSlack, act: () => Promise<unknown>): Promise<Buffer[]> {
  const requests: Buffer[] = [];
  const { url, close } = await serveHttp(async (incoming, response) => {
    const { connection, ...headers } = incoming.headers;
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    requests.push(
      Buffer.concat([Buffer.from(`POST /slack/events HTTP/1.1\r\n${lines.join("")}\r\n`), await buffer(incoming)]),
    );
    response.end();
  });
  slack.app.requestUrl = `${url}/slack/events`;
  await act();
  await close();
  return requests;
}
