import { setTimeout } from "node:timers/promises";
import { cpuOf, memoryOf, socketsOf } from "../harness/proc.js";
import { compare, oursAtMost, type Result, type Row, ratioAtMost, single } from "../harness/report.js";
import { show, withSandbox } from "../harness/sandbox.js";
import { median } from "../harness/turns.js";
import { startSoak, type Watched } from "./soak-stage.js";

const SAMPLES = 50;
// A leaked socket is open in every sample. Other sockets open and close.
const LOOKS = 10;
const MB = 1024 * 1024;
const row = "soak";

/**
 * Checks that the service and the bot can do everything at once for long, without an error, a lost entry, or growth.
 */
export const soak: Row = ({ builds: [build], isQuick }) =>
  withSandbox(async (sandbox) => {
    const seconds = Number(process.env.SOAK_SECONDS ?? (isQuick ? 3 : 120));
    const errors: unknown[] = [];
    const stage = await startSoak(sandbox, build, (error) => {
      errors.push(error);
      show(`soak: ${error}`);
    });
    const { service, bot } = stage.programs;
    const running = new AbortController();
    const cpuOfBoth = async (): Promise<number> => (await cpuOf(service.pid)) + (await cpuOf(bot.pid));
    const started = performance.now();
    const cpuBefore = await cpuOfBoth();
    const [counts, [serviceUsage, botUsage]] = await Promise.all([
      stage.work(running.signal),
      Promise.all([watch(service, seconds), watch(bot, seconds)]).finally(() => running.abort()),
    ]);
    const elapsed = (performance.now() - started) / 1000;
    const cpu = (await cpuOfBoth()) - cpuBefore;
    const stored = await stage.stop(counts.events);

    const complaints = [...service.complaints, ...bot.complaints];
    for (const complaint of complaints) show(`soak: ${complaint}`);
    const exactly = { text: "ratio = 1", isMet: ({ ratio }: Pick<Result, "ratio">) => ratio === 1 };
    return [
      ...growth("service", serviceUsage, isQuick),
      ...growth("bot", botUsage, isQuick),
      ...single({ row, measure: "wrong or missing answers", goal: oursAtMost(0) }, errors.length),
      ...single({ row, measure: "warnings and errors in both logs", goal: oursAtMost(0) }, complaints.length),
      ...single({ row, measure: "CPU of service and bot, cores" }, cpu / elapsed),
      ...Object.entries(counts).flatMap(([what, count]) =>
        single({ row, measure: `${what} a second` }, count / elapsed),
      ),
      ...stored.flatMap(({ kind, entries, expected }) =>
        single({ row, measure: `${kind}: entries stored`, goal: exactly }, entries, "acknowledged", expected),
      ),
    ];
  });

/** The resource usage of a program at one moment, with memory in megabytes. */
interface Usage {
  readonly rss: number;
  readonly heap: number;
  readonly sockets: number;
}

const measures = [
  ["rss", "memory (RSS), MB"],
  ["heap", "memory of live objects, MB"],
  ["sockets", "sockets that stay open"],
] as const;

async function watch(program: Watched, seconds: number): Promise<Usage[]> {
  const samples: Usage[] = [];
  for (let nth = 1; nth <= SAMPLES; nth++) {
    let sockets = Number.POSITIVE_INFINITY;
    for (let looks = 0; looks < LOOKS; looks++) {
      await setTimeout((seconds * 1000) / SAMPLES / LOOKS);
      sockets = Math.min(sockets, await socketsOf(program.pid));
    }
    const heap = (await program.heapUsed()) / MB;
    samples.push({ rss: await memoryOf(program.pid), heap, sockets });
  }
  return samples;
}

/** Compares the medians of the last fifth with those of the second. In the first, caches fill and code is compiled. */
function growth(program: string, samples: readonly Usage[], isQuick: boolean): Result[] {
  const fifth = SAMPLES / 5;
  const [first, last] = [samples.slice(fifth, 2 * fifth), samples.slice(-fifth)];
  const itself = "itself after a fifth of the time";
  const goals = isQuick ? undefined : { [itself]: ratioAtMost(1.1) };
  return measures.flatMap(([what, measure]) => {
    const medianOf = (some: readonly Usage[]): number[] => [median(some.map((sample) => sample[what]))];
    return compare({ row, measure: `${program}: ${measure}`, goals }, [
      { name: program, rounds: medianOf(last) },
      { name: itself, rounds: medianOf(first) },
    ]);
  });
}
