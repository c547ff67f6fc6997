import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readdir, readlink } from "node:fs/promises";
import { createInterface } from "node:readline";
import type { ProgramRun } from "../service/program-run.js";
import type { Sandbox } from "../service/sandbox.js";

/** What a program holds at a moment. */
export interface Held {
  /** Megabytes that it has of the machine's memory. */
  readonly memory: number;
  /** Megabytes that its objects take. */
  readonly heap: number;
  readonly handles: number;
  /** How many of the handles are sockets. */
  readonly sockets: number;
}

type Handles = Pick<Held, "handles" | "sockets">;

const MB = 1024 * 1024;
const QUIET_LEVELS = ["trace", "debug", "info"];

/** A program that runs for long, with all that it complains of. */
export class Watched {
  /** Lines that it should not have said. */
  readonly complaints: string[] = [];
  /** What handles there were, since it was last told. */
  #looks: Handles[] = [];
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
    for (const input of [child.stdout, child.stderr]) {
      if (input) createInterface({ input }).on("line", (line) => this.#hear(line));
    }
  }

  /** Starts a program so that it is watched from its first moment. */
  static async start<Started>(
    sandbox: Sandbox,
    start: (sandbox: Sandbox, run: ProgramRun) => Promise<Started>,
  ): Promise<{ program: Watched; started: Started }> {
    let program: Watched | undefined;
    const watching: Sandbox = {
      ...sandbox,
      adopt(child) {
        program = new Watched(child);
        return sandbox.adopt(child);
      },
    };
    const memory = new URL("bare-memory.js", import.meta.url).href;
    const started = await start(watching, {
      nodeArgs: ["--expose-gc", `--import=${memory}`],
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    if (!program) throw new Error("Nothing was started that could be watched.");
    return { program, started };
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Looks how many handles are open. */
  async look(): Promise<void> {
    this.#looks.push(await handlesOf(this.pid));
  }

  /** What it holds once it has given up what it does not need; of handles, the least that were seen. */
  async held(): Promise<Held> {
    const answered = once(this.#child, "message");
    this.#child.send("How much?");
    const [{ rss, heapUsed }] = (await answered) as [NodeJS.MemoryUsage];
    const looks = this.#looks;
    this.#looks = [];
    // Connections come and go with what is under way; one that is never closed is there at every look.
    const least = (name: keyof Handles): number => Math.min(...looks.map((look) => look[name]));
    return { memory: rss / MB, heap: heapUsed / MB, handles: least("handles"), sockets: least("sockets") };
  }

  #hear(line: string): void {
    const level = /^\{"level":"(\w+)"/.exec(line)?.[1] ?? "";
    if (!QUIET_LEVELS.includes(level)) this.complaints.push(line);
  }
}

async function handlesOf(pid: number): Promise<Handles> {
  const folder = `/proc/${pid}/fd`;
  const names = await readdir(folder);
  // One may be closed before it is looked at.
  const targets = await Promise.all(names.map((name) => readlink(`${folder}/${name}`).catch(() => "")));
  const open = targets.filter((target) => target !== "");
  return { handles: open.length, sockets: open.filter((target) => target.startsWith("socket:")).length };
}
