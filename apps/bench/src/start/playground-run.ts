import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Sandbox } from "../service/sandbox.js";

/** What is typed to start it, word by word. */
export type Typed = readonly [program: string, ...words: string[]];

/** The playground as somebody has started it. */
export interface PlaygroundRun {
  readonly pageUrl: string;
  /** Ends it as Ctrl-C does; throws where something of it is left. */
  stop(): Promise<void>;
}

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const START_MS = 30_000;
const STOP_MS = 10_000;
const LOOK_MS = 20;

/** Starts it with data of its own, at ports that are free; it is there when it has said where its page is. */
export async function startPlayground({ folder, adopt }: Sandbox, [program, ...words]: Typed): Promise<PlaygroundRun> {
  const child = spawn(program, words, {
    cwd: root,
    env: {
      ...process.env,
      PLAYGROUND_DATA: mkdtempSync(join(folder, "data-")),
      PLAYGROUND_PORTS: "any",
      // Empty ones are not read from a file .env either.
      ...{ SLACK_BOT_TOKEN: "", SLACK_APP_TOKEN: "", SLACK_CLIENT_ID: "" },
    },
    stdio: ["ignore", "pipe", "pipe"],
    // Package managers start others: all of them are one group, and end together.
    detached: true,
  });
  child.kill = (signal) => signalGroup(child, signal ?? "SIGTERM");
  adopt(child);
  return { pageUrl: await pageUrlOf(child), stop: () => stop(child) };
}

async function pageUrlOf(child: ChildProcess): Promise<string> {
  let said = "";
  const found = new Promise<string>((done) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (text) => {
        said += text;
        const [, url] = /(http:\S+) +Slack, as it looks/.exec(said) ?? [];
        if (url !== undefined) done(url);
      });
    }
  });
  const late = setTimeout(START_MS, undefined, { ref: false });
  const url = await Promise.race([found, once(child, "exit").then(() => undefined), late]);
  if (url === undefined) throw new Error(`The playground did not start. It said:\n${said}`);
  return url;
}

async function stop(child: ChildProcess): Promise<void> {
  signalGroup(child, "SIGINT");
  for (const deadline = Date.now() + STOP_MS; Date.now() < deadline; ) {
    if (!signalGroup(child, 0)) return;
    await setTimeout(LOOK_MS);
  }
  throw new Error(`Something of the playground was left ${STOP_MS / 1000} s after Ctrl-C.`);
}

/** Whether there was still somebody who got it. */
function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals | number): boolean {
  try {
    // A process that did not start has no id.
    return pid !== undefined && process.kill(-pid, signal);
  } catch {
    return false;
  }
}
