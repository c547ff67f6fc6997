import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { runCli } from "@media-ops/service";
import { freePort } from "@media-ops/testing/servers";
import type { ProgramRun } from "./program-run.js";
import type { Sandbox } from "./sandbox.js";
import { settingsOf } from "./settings.js";

const program = fileURLToPath(new URL("main.js", import.meta.resolve("@media-ops/service")));
const START_MS = 30_000;
// Longer than the 10 s after which a supervisor kills.
const STOP_MS = 15_000;

/** The service as it is run by its command line, in a process of its own. */
export interface ServiceProcess {
  readonly url: string;
  readonly insideUrl: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Starts the service on a database; it is ready when this is done. */
export async function startServiceProcess(
  { folder, adopt }: Sandbox,
  databaseUrl: string,
  // What it says goes where our progress goes: standard output is for the figures.
  { nodeArgs = [], settings = {}, stdio = ["ignore", 2, 2] }: ProgramRun = {},
): Promise<ServiceProcess> {
  const [port, intakePort] = await Promise.all([freePort(), freePort()]);
  const child = spawn(process.execPath, [...nodeArgs, program, "serve"], {
    // A file .env of whoever measures stays out of it.
    cwd: folder,
    env: {
      ...settingsOf(databaseUrl),
      MEDIA_PORT: String(port),
      MEDIA_INTAKE_PORT: String(intakePort),
      MEDIA_LISTINGS_PER_MINUTE: "0",
      MEDIA_TOKENS_PER_MINUTE: "0",
      MEDIA_MAX_LAG_MS: "0",
      MEDIA_LOG_LEVEL: "warn",
      ...settings,
    },
    stdio,
  });
  adopt(child);
  const insideUrl = `http://127.0.0.1:${intakePort}`;
  await ready(child, insideUrl);
  return {
    url: `http://127.0.0.1:${port}`,
    insideUrl,
    pid: child.pid ?? 0,
    async stop() {
      if (child.exitCode !== null) return;
      const exited = once(child, "exit").then(() => true);
      child.kill("SIGTERM");
      if (await Promise.race([exited, setTimeout(STOP_MS, false, { ref: false })])) return;
      throw new Error(`The service did not stop within ${STOP_MS / 1000} s of SIGTERM.`);
    },
  };
}

/** Makes a project as its owner would; gives its API key. */
export async function createProject(databaseUrl: string, projectId: string): Promise<string> {
  return (await command(databaseUrl, "projects", "create", projectId)).api_key;
}

/** Makes a key for a media server. */
export async function createIntakeKey(databaseUrl: string): Promise<string> {
  return (await command(databaseUrl, "intake-keys", "create")).intake_key;
}

/** Sets where a project gets what it is told of: a receiver on this machine. */
export async function setWebhook(
  databaseUrl: string,
  { projectId, kind, url }: { projectId: string; kind: "session" | "event"; url: string },
): Promise<void> {
  await command(databaseUrl, "webhooks", "set", projectId, kind, url);
}

/** Runs the service's command line, and gives what it answers to programs. */
async function command(databaseUrl: string, ...args: string[]) {
  let [answer, complaint] = ["", ""];
  const exitCode = await runCli([...args, "--json"], {
    env: { ...settingsOf(databaseUrl), MEDIA_ALLOW_PRIVATE_WEBHOOKS: "true" },
    now: Date.now,
    write: (text) => {
      answer += text;
    },
    complain: (text) => {
      complaint += text;
    },
  });
  if (exitCode !== 0) throw new Error(`media-ops ${args.join(" ")}: ${complaint}`);
  return JSON.parse(answer);
}

/** Megabytes of memory: what the process has now, and the most it ever had. Undefined where the system does not tell. */
export async function memoryOf({ pid }: ServiceProcess): Promise<{ now: number; peak: number } | undefined> {
  const text = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  const [now, peak] = ["VmRSS", "VmHWM"].map((name) => new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(text)?.[1]);
  return now && peak ? { now: Number(now) / 1024, peak: Number(peak) / 1024 } : undefined;
}

async function ready(child: ChildProcess, insideUrl: string): Promise<void> {
  const deadline = Date.now() + START_MS;
  while (child.exitCode === null && Date.now() < deadline) {
    const response = await fetch(`${insideUrl}/readyz`).catch(() => undefined);
    await response?.body?.cancel();
    if (response?.ok) return;
    await setTimeout(5);
  }
  throw new Error("The service did not get ready. What it said about it stands above.");
}
