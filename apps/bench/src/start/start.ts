import { mapValues } from "../map-values.js";
import { quantile, takeTurns } from "../measure.js";
import { compare, oursAtMost, type Result, type Telling } from "../report.js";
import { show } from "../service/feeder.js";
import { type Sandbox, withSandbox } from "../service/sandbox.js";
import { askFirst } from "./first-command.js";
import { startPlayground, type Typed } from "./playground-run.js";

const ROUNDS = 3;
const MOST_SECONDS = 5;

/** With pnpm installed, as somebody does who has nothing but node, and without what is around the program. */
const ways = {
  pnpm: ["pnpm", "start"],
  npx: ["npx", "-y", "pnpm@12", "start"],
  alone: [process.execPath, "apps/playground/dist/main.js"],
} as const satisfies Record<string, Typed>;

/** Seconds from the start. */
interface Times {
  readonly listening: number;
  readonly answered: number;
}

/** How long it takes from the start, with everything installed and built, until a first command is answered. */
export function benchStart(): Promise<Result[]> {
  return withSandbox(async (sandbox) => {
    const turns = mapValues(ways, (typed) => async () => {
      const time = await firstAnswer(sandbox, typed);
      show(`start: ${typed.join(" ")}: ${time.answered.toFixed(2)} s`);
      return time;
    });
    const { pnpm, npx, alone } = await takeTurns(turns, ROUNDS);
    return [
      toResult("pnpm start", pnpm, alone, { goal: oursAtMost(MOST_SECONDS, "s") }),
      toResult("npx -y pnpm@12 start", npx, alone, { note: "npx looks for pnpm before anything of ours runs" }),
    ];
  });
}

async function firstAnswer(sandbox: Sandbox, typed: Typed): Promise<Times> {
  const started = performance.now();
  const seconds = (): number => (performance.now() - started) / 1000;
  const playground = await startPlayground(sandbox, typed);
  const listening = seconds();
  await askFirst(playground.pageUrl);
  const answered = seconds();
  await playground.stop();
  return { listening, answered };
}

function toResult(
  typed: string,
  times: readonly Times[],
  alone: readonly Times[],
  { goal, note }: Pick<Telling, "goal" | "note">,
): Result {
  const answered = times.map((time) => time.answered);
  const listening = quantile(
    times.map((time) => time.listening),
    0.5,
  );
  const facts = `each start with new data; the slowest ${Math.max(...answered).toFixed(2)}; the page is there after ${listening.toFixed(2)}`;
  return compare(
    {
      name: "start",
      measure: `${typed}: seconds to the first answered command`,
      against: "the program alone, without package manager and build check",
      goal,
      note: note ? `${note}; ${facts}` : facts,
    },
    answered,
    alone.map((time) => time.answered),
  );
}
