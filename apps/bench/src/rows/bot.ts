import assert from "node:assert/strict";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { type FakeSlack, type Person, type Place, startFakeSlack, textOf } from "@media-ops/fake-slack";
import { serveHttp } from "@media-ops/testing/servers";
import { makeEntry, measured } from "../harness/entries.js";
import { Load, type Rate } from "../harness/load.js";
import { LogFile } from "../harness/log-file.js";
import { createProject, startBot, startService } from "../harness/programs.js";
import {
  compare,
  oursAtMost,
  type Result,
  type Row,
  type RowOptions,
  ratioAtLeast,
  ratioAtMost,
  single,
} from "../harness/report.js";
import { type Sandbox, startFloor, withSandbox } from "../harness/sandbox.js";
import { figures, quantile, takeTurns } from "../harness/turns.js";

/** The scopes that the bot asks for at its installation. */
export const SCOPES = ["commands", "chat:write", "files:write", "im:write", "usergroups:read", "users:read"];

const CONNECTIONS = 16;
const FLOOR = "a bare Bolt app that only acknowledges";
const COMMAND = "/media logs webhooks status>=400";
const ANSWER = /webhook logs of bench, status ≥ 400: \d+ of 1,000/;
const LONGEST_MS = 60_000;
const GOALS = { [FLOOR]: ratioAtLeast(0.9) };

/** How soon the bot acknowledges commands and answers them, beside a bare Bolt app. */
export const bot: Row = (options) =>
  withSandbox(async (sandbox) => {
    const [burst, rounds, many, manyRounds, alone] = options.isQuick ? [5, 1, 8, 1, 1] : [100, 12, 400, 3, 30];
    const stage = await startStage(sandbox, options, many);
    try {
      const bursts = await race(stage, burst, rounds, 3);
      const answered = bursts[0]?.rounds.flatMap((round) => round.answered) ?? [];
      const single1 = (await race(stage, 1, alone, 0))[0]?.rounds.flatMap((round) => round.answered) ?? [];
      const crowd = await race(stage, many, manyRounds, 0);
      const answer = (measure: string, ms: number): Result =>
        single({ row: "bot", measure: `command to answer, ${measure}, ms`, goal: oursAtMost(500, "ms") }, ms);
      const row = "bot";
      return [
        ...compare(
          { row, measure: `acknowledgements a second, ${burst} at once`, goals: GOALS },
          figures(bursts, ({ acknowledged }) => acknowledged.perSecond),
        ),
        ...compare(
          { row, measure: `acknowledgement, ${burst} at once, p99 ms`, goals: { [FLOOR]: ratioAtMost(1.11) } },
          figures(bursts, ({ acknowledged }) => quantile(acknowledged.times, 0.99)),
        ),
        ...compare(
          { row, measure: `acknowledgements a second, ${many} at once` },
          figures(crowd, ({ acknowledged }) => acknowledged.perSecond),
        ),
        answer(`${burst} at once, p50`, quantile(answered, 0.5)),
        answer(`${burst} at once, p99`, quantile(answered, 0.99)),
        answer("alone, p50", quantile(single1, 0.5)),
      ];
    } finally {
      await stage.slack.stop();
    }
  });

/** A Slack with people in it, and the programs that its requests are sent to. */
interface Stage {
  readonly slack: FakeSlack;
  readonly people: readonly Person[];
  readonly general: Place;
  readonly targets: readonly { readonly name: string; readonly url: string }[];
}

async function startStage(sandbox: Sandbox, { builds }: RowOptions, count: number): Promise<Stage> {
  const slack = await startFakeSlack({ scopes: SCOPES });
  const team = slack.addWorkspace({ name: "bench" });
  const people = Array.from({ length: count }, (_, at) => team.addUser({ name: `person-${at}` }));
  const general = team.addChannel({ name: "general", members: people });
  const targets: { name: string; url: string }[] = [];
  for (const [at, build] of builds.entries()) {
    const file = join(sandbox.folder, `${at}.db`);
    const apiKey = await createProject(build, `sqlite:${file}`, measured.projectId);
    const log = new LogFile(file);
    const from = Date.now() - 1000 * 7310;
    log.append(
      Array.from({ length: 1000 }, (_, nth) => makeEntry(measured.projectId, measured.kind, from + nth * 7310)),
    );
    log.close();
    const service = await startService(sandbox, build, `sqlite:${file}`);
    const settings = {
      BOT_DATABASE_URL: `sqlite:${join(sandbox.folder, `bot-${at}.db`)}`,
      SLACK_API_URL: slack.apiUrl,
      SLACK_SIGNING_SECRET: slack.app.signingSecret,
      SLACK_BOT_TOKEN: team.botToken,
      MEDIA_BASE_URL: service.url,
      MEDIA_API_KEY: apiKey,
      MEDIA_PROJECT_ID: measured.projectId,
    };
    targets.push({ name: build.name, url: (await startBot(sandbox, build, { settings })).url });
  }
  const bare = await startFloor(sandbox, "bolt", { signingSecret: slack.app.signingSecret });
  targets.push({ name: FLOOR, url: `${bare.url}/slack/events` });
  return { slack, people, general, targets };
}

/** What one burst showed: how fast it was acknowledged, and the milliseconds until each person had the answer. */
interface Burst {
  readonly acknowledged: Rate;
  readonly answered: readonly number[];
}

/** Sends bursts of commands to the bots and the floor, by turns. */
function race(stage: Stage, size: number, rounds: number, warmUp: number) {
  const contestants = stage.targets.map(({ name, url }) => ({
    name,
    turn: () => sendBurst(stage, { size, url, isAnswered: name !== FLOOR }),
  }));
  return takeTurns<Burst>(contestants, rounds, warmUp);
}

async function sendBurst(
  { slack, people, general }: Stage,
  { size, url, isAnswered }: { size: number; url: string; isAnswered: boolean },
): Promise<Burst> {
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
  // Opened each time, which is not measured: Bolt ends connections that were idle for 5 s.
  const load = await Load.open(url, CONNECTIONS);
  const acknowledged = await load.rate(requests.map((request) => [request]));
  load.close();
  if (isAnswered) {
    await slack.until(() => shownAt.length >= size, { timeoutMs: LONGEST_MS });
    for (const person of askers) {
      const [message, ...others] = person.sees(general);
      assert.deepEqual(others, [], "every person has one answer");
      assert.match(textOf(message ?? []), ANSWER);
      person.reload();
    }
  }
  unwatch();
  return { acknowledged, answered: shownAt.map((at) => at - started) };
}

/** The signed requests that Slack sends while people act, as bytes; the app does not receive them. */
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
