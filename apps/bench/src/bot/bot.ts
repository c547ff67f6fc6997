import assert from "node:assert/strict";
import { join } from "node:path";
import { type FakeSlack, type Person, type Place, startFakeSlack, textOf, type Workspace } from "@media-ops/fake-slack";
import { entries } from "../format/entries.js";
import { quantile } from "../measure.js";
import type { Result } from "../report.js";
import { measured } from "../service/entries.js";
import { fill } from "../service/feeder.js";
import { type Sandbox, withSandbox } from "../service/sandbox.js";
import { createProject, startServiceProcess } from "../service/service-process.js";
import { SCOPES, startBareBolt, startBotProcess } from "./bot-process.js";
import { captured, send } from "./requests.js";

const AT_ONCE = 100;
const ROUNDS = 10;
const WARM_UP = 3;
const ALONE = 30;
const LATEST_ACK_MS = 50;
const LATEST_ANSWER_MS = 500;

/** How soon people who ask the bot are heard, and have their answer. */
export function benchBot(): Promise<Result[]> {
  return withSandbox(async (sandbox) => {
    const stages = [await bareStage(sandbox), await botStage(sandbox)] as const;
    try {
      const [bare, bot] = stages;
      for (let round = 0; round < WARM_UP; round++) await Promise.all([crowd(bare), crowd(bot)]);
      const acks: { bare: number[]; bot: number[] } = { bare: [], bot: [] };
      const answered: number[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        acks.bare.push(...(await crowd(bare)).acks);
        const ours = await crowd(bot);
        acks.bot.push(...ours.acks);
        answered.push(...ours.answered);
      }
      const alone: number[] = [];
      for (let at = 0; at < ALONE; at++) alone.push(...(await crowd(bot, 1)).answered);
      return rows(acks, answered, alone);
    } finally {
      for (const { slack } of stages) await slack.stop();
    }
  });
}

interface Stage {
  slack: FakeSlack;
  people: Person[];
  general: Place;
  /** Where Slack's requests go. */
  url: string;
  /** Whether it answers, beside acknowledging. */
  answers: boolean;
}

async function stageWith(
  start: (slack: FakeSlack, team: Workspace) => Promise<string>,
  answers: boolean,
): Promise<Stage> {
  const slack = await startFakeSlack({ scopes: SCOPES });
  const team = slack.addWorkspace({ name: "bench" });
  const people = Array.from({ length: AT_ONCE }, (_, at) => team.addUser({ name: `person-${at}` }));
  const general = team.addChannel({ name: "general", members: people });
  const url = await start(slack, team);
  return { slack, people, general, url, answers };
}

const bareStage = (sandbox: Sandbox): Promise<Stage> => stageWith((slack) => startBareBolt(sandbox, slack), false);

async function botStage(sandbox: Sandbox): Promise<Stage> {
  const database = `sqlite:${join(sandbox.folder, "media.db")}`;
  const apiKey = await createProject(database, measured.projectId);
  const now = Date.now();
  const stored = entries.map((entry, at) => {
    const timestamp = new Date(now - at * 7310).toISOString();
    return { ...measured, timestamp, text: JSON.stringify({ ...entry, timestamp }) };
  });
  await fill(database, stored.length, stored);
  const { url } = await startServiceProcess(sandbox, database);
  const service = { url, apiKey, projectId: measured.projectId };
  return stageWith((slack, team) => startBotProcess(sandbox, { slack, team, service }), true);
}

interface Times {
  /** Milliseconds until Slack had the acknowledgement. */
  acks: number[];
  /** Milliseconds until the person had the answer. */
  answered: number[];
}

/**
 * Each of them types a command in the same moment. Slack's requests are made and signed beforehand, so that what is
 * measured begins when they are sent.
 */
async function crowd({ slack, people, general, url, answers }: Stage, size = AT_ONCE): Promise<Times> {
  const askers = people.slice(0, size);
  const requests = await captured(slack, () =>
    Promise.all(askers.map((person) => person.command("/media logs webhooks status>=400", { in: general }))),
  );
  assert.equal(requests.length, size);
  const { length } = slack.transcript;
  const started = Date.now();
  const acks = await Promise.all(requests.map((request) => send(url, request)));
  if (!answers) return { acks, answered: [] };
  const shown = () => slack.transcript.slice(length).filter(({ what, name }) => what === "shown" && name === "message");
  await slack.until(() => shown().length >= size);
  for (const person of askers) {
    const [message, ...others] = person.sees(general);
    assert.deepEqual(others, []);
    assert.match(textOf(message ?? []), /webhook logs of bench, status ≥ 400: \d+ of 1,000/);
    person.reload();
  }
  return { acks, answered: shown().map(({ at }) => at - started) };
}

function rows(acks: { bare: number[]; bot: number[] }, answered: number[], alone: number[]): Result[] {
  const ack = (at: number) => [acks.bot, acks.bare].map((times) => quantile(times, at)) as [number, number];
  const base = { name: "bot", against: "a bare Bolt app" };
  const [p50, bare50] = ack(0.5);
  const [p99, bare99] = ack(0.99);
  const told = (measure: string, ours: number, goalMs: number): Result => ({
    name: "bot",
    measure,
    against: "–",
    ours,
    theirs: Number.NaN,
    ratio: Number.NaN,
    goal: `≤ ${goalMs} ms`,
    met: ours <= goalMs,
    note: "1000 entries in the log",
  });
  return [
    {
      ...base,
      measure: "acknowledgement, 100 commands at once, p50 ms",
      ours: p50,
      theirs: bare50,
      ratio: p50 / bare50,
      goal: null,
      met: null,
      note: "",
    },
    {
      ...base,
      measure: "acknowledgement, 100 commands at once, p99 ms",
      ours: p99,
      theirs: bare99,
      ratio: p99 / bare99,
      goal: `≤ ${LATEST_ACK_MS} ms`,
      met: p99 <= LATEST_ACK_MS,
      note: "Slack's requests are made beforehand",
    },
    told("command to answer, 100 at once, p50 ms", quantile(answered, 0.5), LATEST_ANSWER_MS),
    told("command to answer, 100 at once, p99 ms", quantile(answered, 0.99), LATEST_ANSWER_MS),
    told("command to answer, alone, p50 ms", quantile(alone, 0.5), LATEST_ANSWER_MS),
  ];
}
