import { setTimeout } from "node:timers/promises";
import { cpuOf } from "../databases/cpu.js";
import type { Result } from "../report.js";
import { show } from "../service/feeder.js";
import { withSandbox } from "../service/sandbox.js";
import { type Sample, toResults } from "./results.js";
import { type Deeds, type Stage, startStage } from "./stage.js";
import { acknowledged, differentIn, writtenIn } from "./written.js";

// For a look, it may be shorter.
const SECONDS = Number(process.env.SOAK_SECONDS || 600);
const SAMPLES = 60;
// For each sample it is looked so often how many handles there are.
const LOOKS = 10;
const SHOW_EVERY = 6;
const QUIET_MS = 10_000;

/** Whether the service and the bot can do all that they do at once for long: without a fault, and without growing. */
export function benchSoak(): Promise<Result[]> {
  return withSandbox(async (sandbox) => {
    const faults: unknown[] = [];
    const onFault = (fault: unknown): void => {
      faults.push(fault);
      show(`soak: ${fault}`);
    };
    const stage = await startStage(sandbox, onFault);
    const running = new AbortController();
    const cpuBefore = await cpuOfBoth(stage);
    const [deeds, samples] = await Promise.all([
      stage.run({ signal: running.signal, onFault }),
      watch(stage).finally(() => running.abort()),
    ]);
    const cpu = ((await cpuOfBoth(stage)) - cpuBefore) / SECONDS;
    await quiet(stage, deeds);
    const wanted = await acknowledged(deeds.sums, stage.service, stage.receiver.count);
    // The last entries are written once the service ends.
    await stage.service.stop();
    const [written, different] = [await writtenIn(stage.databaseUrl), await differentIn(stage.databaseUrl)];
    const complaints = Object.values(stage.programs).flatMap((program) => program.complaints);
    for (const complaint of complaints) show(`soak: ${complaint}`);
    await stage.stop();
    const logs = { before: stage.before, wanted, written, different };
    return toResults({ seconds: SECONDS, samples, deeds, cpu, faults, complaints, logs });
  });
}

/** Looks at both programs again and again. */
async function watch({ programs: { service, bot } }: Stage): Promise<Sample[]> {
  const samples: Sample[] = [];
  const started = performance.now();
  for (let nth = 1; nth <= SAMPLES * LOOKS; nth++) {
    const due = started + (nth * SECONDS * 1000) / SAMPLES / LOOKS;
    await setTimeout(Math.max(0, due - performance.now()));
    if (service.hasEnded || bot.hasEnded) throw new Error("A program ended before its time.");
    await Promise.all([service.look(), bot.look()]);
    if (nth % LOOKS > 0) continue;
    const minute = (performance.now() - started) / 60_000;
    const sample: Sample = { minute, service: await service.held(), bot: await bot.held() };
    samples.push(sample);
    if (samples.length % SHOW_EVERY === 0) show(inWords(sample));
  }
  return samples;
}

function inWords({ minute, service, bot }: Sample): string {
  const words = [service, bot].map(
    ({ memory, heap, handles }) => `${memory.toFixed(0)} MB (heap ${heap.toFixed(1)}), ${handles} handles`,
  );
  return `soak: minute ${minute.toFixed(1)}: service ${words[0]}; bot ${words[1]}`;
}

const cpuOfBoth = ({ programs: { service, bot } }: Stage): Promise<number> => cpuOf([service.pid, bot.pid]);

/** Waits until what is under way has been delivered. */
async function quiet({ receiver }: Stage, { sums }: Deeds): Promise<void> {
  const sent = Object.values(sums.events).reduce((sum, event) => sum + event.acknowledged, 0);
  for (const deadline = Date.now() + QUIET_MS; receiver.count < sent && Date.now() < deadline; ) await setTimeout(50);
}
