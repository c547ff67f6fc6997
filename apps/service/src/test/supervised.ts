import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { freePort } from "@media-ops/testing/servers";
import { onTestFinished } from "vitest";
import { main } from "../cli/test/command-line.js";

export type Supervised = Awaited<ReturnType<typeof supervise>>;

const PAUSE_MS = 50;
// Less than tests and hooks may take. A start takes a second, and some on a busy machine.
const READY_MS = 45_000;
const ANSWER_MS = 5000;
const KEPT_CHARACTERS = 2000;

/** Keeps a service running on fixed ports: it is restarted whenever it exits, as a supervisor does. */
export async function supervise(
  env: Readonly<Record<string, string>>,
  { atEnd = onTestFinished }: { atEnd?: (end: () => Promise<void>) => void } = {},
) {
  const [port, insidePort] = [await freePort(), await freePort()];
  /** All exits without a stop or a kill, with the end of the output. */
  const ended: { readonly code: number | null; readonly said: string }[] = [];
  /** The lines of its log about faults of its own: answers with status 500. */
  const faults: string[] = [];
  let isStopping = false;
  let child: ChildProcess | undefined;
  let wasKilled = false;
  let said = "";

  const keepRunning = async (): Promise<number | null> => {
    for (;;) {
      wasKilled = false;
      child = spawn(process.execPath, [main, "serve"], {
        cwd: "/",
        env: { ...env, PATH: process.env.PATH, MEDIA_PORT: String(port), MEDIA_INTAKE_PORT: String(insidePort) },
        stdio: ["ignore", "pipe", "pipe"],
      });
      said = "";
      for (const input of [child.stdout, child.stderr]) {
        if (!input) continue;
        createInterface({ input }).on("line", (line) => {
          said = `${said}${line}\n`.slice(-KEPT_CHARACTERS);
          if (line.includes('"status":500')) faults.push(line);
        });
      }
      const [code] = await once(child, "exit");
      if (isStopping) return code;
      if (!wasKilled) ended.push({ code, said });
      await setTimeout(PAUSE_MS);
      if (isStopping) return code;
    }
  };
  const running = keepRunning();
  const internalUrl = `http://127.0.0.1:${insidePort}`;
  const stop = (signal: "SIGTERM" | "SIGKILL"): Promise<number | null> => {
    isStopping = true;
    child?.kill(signal);
    return running;
  };
  atEnd(() => stop("SIGKILL").then(() => {}));
  return {
    url: `http://127.0.0.1:${port}`,
    internalUrl,
    ended,
    faults,
    /** Kills it, and does not wait until it runs again. */
    async kill(): Promise<void> {
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      wasKilled = true;
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
    },
    /** Waits until it reports that it is ready, which another process at one of its ports prevents. */
    async ready(): Promise<void> {
      const end = performance.now() + READY_MS;
      while (!(await answersWell(`${internalUrl}/readyz`))) {
        const taken = ended.find((one) => one.said.includes(" is taken. "));
        if (taken) throw new Error(`A port of the service is another's. The service said:\n${taken.said}`);
        if (performance.now() > end) {
          const outputs = [...ended.slice(-2).map((one) => `Exit ${one.code}:\n${one.said}`), `Now:\n${said}`];
          throw new Error(`The service was not ready within ${READY_MS / 1000} s.\n${outputs.join("\n")}`);
        }
        await setTimeout(PAUSE_MS);
      }
    },
    /** Stops it for good, cleanly; returns its exit code. */
    stop: () => stop("SIGTERM"),
  };
}

async function answersWell(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) })).ok;
  } catch {
    return false;
  }
}
