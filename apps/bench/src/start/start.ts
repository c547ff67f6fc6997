import { mapValues } from "../map-values.js";
import { quantile, takeTurns } from "../measure.js";
import { compare, oursAtMost, type Result } from "../report.js";
import { show } from "../service/feeder.js";
import { type Sandbox, withSandbox } from "../service/sandbox.js";
import { askFirst } from "./first-command.js";
import { startPlayground, type Typed } from "./playground-run.js";

const ROUNDS = 3;
const MOST_SECONDS = 5;

/** As the manual says, and without what is around the program. */
const ways = {
  whole: ["npx", "-y", "pnpm@12", "start"],
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
    const { whole, alone } = await takeTurns(turns, ROUNDS);
    return [toResult(whole, alone)];
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

function toResult(whole: readonly Times[], alone: readonly Times[]): Result {
  const answeredAfter = (times: readonly Times[]): number[] => times.map(({ answered }) => answered);
  const own = answeredAfter(whole);
  const listening = quantile(
    whole.map((times) => times.listening),
    0.5,
  );
  return compare(
    {
      name: "start",
      measure: "npx -y pnpm@12 start: seconds to the first answered command",
      against: "the program alone, without package manager and build check",
      goal: oursAtMost(MOST_SECONDS, "s"),
      note: `each start with new data; the slowest ${Math.max(...own).toFixed(2)}; the page is there after ${listening.toFixed(2)}`,
    },
    own,
    answeredAfter(alone),
  );
}
