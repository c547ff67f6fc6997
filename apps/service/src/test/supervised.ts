import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { freePort } from "@media-ops/testing/servers";
import { onTestFinished } from "vitest";
import { main } from "../cli/test/command-line.js";

/** How a service has ended without being stopped. */
interface Ended {
  readonly code: number | null;
  /** The end of its output. */
  readonly said: string;
}

/** A service that is started again whenever it ends, as a supervisor does. */
export interface Supervised {
  /** Where the operations are, each time that it runs. */
  readonly url: string;
  readonly internalUrl: string;
  /** Each time that it has ended without being stopped or killed. */
  readonly ended: Ended[];
  /** Kills it, and does not wait until it runs again. */
  kill(): Promise<void>;
  /** Waits until it says that it is ready. */
  ready(): Promise<void>;
  /** Ends it for good, in good order; gives how it has ended. */
  stop(): Promise<number | null>;
}

const PAUSE_MS = 50;
const KEPT_CHARACTERS = 2000;

/** Keeps a service running on ports of its own, each time the same ones. */
export async function supervise(
  env: Readonly<Record<string, string>>,
  { atEnd = onTestFinished }: { atEnd?: (end: () => Promise<void>) => void } = {},
): Promise<Supervised> {
  const [port, insidePort] = [await freePort(), await freePort()];
  const ended: Ended[] = [];
  let isStopping = false;
  let child: ChildProcess | undefined;
  let wasKilled = false;

  const keepRunning = async (): Promise<number | null> => {
    for (;;) {
      wasKilled = false;
      child = spawn(process.execPath, [main, "serve"], {
        cwd: "/",
        env: { ...env, PATH: process.env.PATH, MEDIA_PORT: String(port), MEDIA_INTAKE_PORT: String(insidePort) },
        stdio: ["ignore", "pipe", "pipe"],
      });
      let said = "";
      for (const output of [child.stdout, child.stderr]) {
        output?.on("data", (bytes: Buffer) => {
          said = (said + bytes.toString()).slice(-KEPT_CHARACTERS);
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
    async kill() {
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      wasKilled = true;
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
    },
    async ready() {
      while (!(await answersWell(`${internalUrl}/readyz`))) await setTimeout(PAUSE_MS);
    },
    stop: () => stop("SIGTERM"),
  };
}

async function answersWell(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
}
