import type { Rate } from "../load/load.js";
import { quantile } from "../measure.js";
import { compare, oursAtMost, type Result, ratioAtLeast, ratioAtMost, tell } from "../report.js";
import { withSandbox } from "../service/sandbox.js";
import { askBot, CONNECTIONS, makeBurst, send } from "./burst.js";
import { type Stage, startStage } from "./stage.js";

// As many as may have something to ask in the same moment.
const BURST = 100;
const ROUNDS = 12;
const BURSTS_A_ROUND = 2;
const WARM_UP = 3;
const ALONE = 30;
// So many that the bot answers the first while the last still come.
const MANY = 400;
const MANY_ROUNDS = 3;
const GOAL = 0.9;
const LATEST_ANSWER_MS = 500;

/** How soon people who ask the bot are heard, and have their answer. */
export function benchBot(): Promise<Result[]> {
  return withSandbox(async (sandbox) => {
    const stage = await startStage(sandbox, MANY);
    try {
      for (let burst = 0; burst < WARM_UP; burst++) await askBoth(stage, { size: BURST, isBareFirst: true });
      const bursts = await inRounds(stage, { rounds: ROUNDS, bursts: BURSTS_A_ROUND, size: BURST });
      const alone: number[] = [];
      for (let nth = 0; nth < ALONE; nth++) alone.push(...(await askBot(stage, await makeBurst(stage, 1))).answered);
      const many = await inRounds(stage, { rounds: MANY_ROUNDS, bursts: 1, size: MANY });
      return rows(bursts, many, alone);
    } finally {
      await stage.slack.stop();
    }
  });
}

/** What both did, round by round. */
interface Raced {
  readonly bot: Acknowledging;
  readonly bare: Acknowledging;
  /** Milliseconds until each person had the answer. */
  readonly answered: number[];
}

interface Acknowledging {
  readonly perSecond: number[];
  /** Milliseconds: the 99th percentile of each round. */
  readonly p99: number[];
}

/** Sends the same requests to both by turns. */
async function inRounds(
  stage: Stage,
  { rounds, bursts, size }: { rounds: number; bursts: number; size: number },
): Promise<Raced> {
  const raced: Raced = { bot: { perSecond: [], p99: [] }, bare: { perSecond: [], p99: [] }, answered: [] };
  for (let round = 0; round < rounds; round++) {
    const rates: { bot: Rate[]; bare: Rate[] } = { bot: [], bare: [] };
    for (let burst = 0; burst < bursts; burst++) {
      const { asked, bare } = await askBoth(stage, { size, isBareFirst: (round + burst) % 2 === 0 });
      raced.answered.push(...asked.answered);
      rates.bot.push(asked.acknowledged);
      rates.bare.push(bare);
    }
    for (const name of ["bot", "bare"] as const) {
      const seconds = rates[name].reduce((sum, { count, perSecond }) => sum + count / perSecond, 0);
      raced[name].perSecond.push((bursts * size) / seconds);
      const times = rates[name].flatMap((rate) => rate.times);
      raced[name].p99.push(quantile(times, 0.99));
    }
  }
  return raced;
}

async function askBoth(stage: Stage, { size, isBareFirst }: { size: number; isBareFirst: boolean }) {
  const requests = await makeBurst(stage, size);
  const first = isBareFirst ? await send(stage.urls.bare, requests) : undefined;
  const asked = await askBot(stage, requests);
  return { asked, bare: first ?? (await send(stage.urls.bare, requests)) };
}

const IN_THE_WAY = "the bot also notes down what it is asked; a burst is short, so that whatever else runs weighs much";

function rows(bursts: Raced, many: Raced, alone: readonly number[]): Result[] {
  const base = { name: "bot", against: "a bare Bolt app that only acknowledges" };
  const sent = `bursts of ${BURST} signed requests over ${CONNECTIONS} connections, the same ones for both`;
  const answer = (measure: string, ms: number, note: string): Result =>
    tell({ name: "bot", measure, against: "–", goal: oursAtMost(LATEST_ANSWER_MS, "ms"), note }, ms);
  return [
    compare(
      {
        ...base,
        measure: "acknowledgements a second",
        goal: ratioAtLeast(GOAL),
        note: `${sent}; the answers follow, before the next burst comes`,
        inTheWay: IN_THE_WAY,
      },
      bursts.bot.perSecond,
      bursts.bare.perSecond,
    ),
    compare(
      {
        ...base,
        measure: "acknowledgement, p99 ms",
        goal: ratioAtMost(Number((1 / GOAL).toFixed(2))),
        note: sent,
        inTheWay: IN_THE_WAY,
      },
      bursts.bot.p99,
      bursts.bare.p99,
    ),
    compare(
      {
        ...base,
        measure: "acknowledgements a second while others are answered",
        note: `${MANY} without a pause: after some ms the first are answered, by the same thread, so that nobody waits for the last to ask`,
      },
      many.bot.perSecond,
      many.bare.perSecond,
    ),
    answer("command to answer, 100 at once, p50 ms", quantile(bursts.answered, 0.5), "1000 entries in the log"),
    answer(
      "command to answer, 100 at once, p99 ms",
      quantile(bursts.answered, 0.99),
      "Slack's part of it is the bench's",
    ),
    answer("command to answer, alone, p50 ms", quantile(alone, 0.5), "1000 entries in the log"),
  ];
}
