import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";

/** What listens where by itself, as the documents say it. */
const BY_THEMSELVES = { service: 8080, intake: 8081, bot: 3000, page: 4000 };

const names = ["service", "intake", "bot", "page"] as const;

/** Where things listen in a test: their own ports may be taken on the machine that runs it. */
export type Ports = Readonly<Record<keyof typeof BY_THEMSELVES, number>>;

export async function freePorts(): Promise<Ports> {
  // All are held until all are known, so that they differ.
  const servers = names.map(() => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  const [service = 0, intake = 0, bot = 0, page = 0] = servers.map((server) => {
    const address = server.address();
    return typeof address === "object" && address ? address.port : 0;
  });
  await Promise.all(servers.map((server) => once(server.close(), "close")));
  return { service, intake, bot, page };
}

/** A document's text with the ports of the test in place of those that it names. */
export function withPorts(text: string, ports: Ports): string {
  return names.reduce((changed, name) => {
    return changed.replaceAll(`127.0.0.1:${BY_THEMSELVES[name]}`, `127.0.0.1:${ports[name]}`);
  }, text);
}

/** Settings by root script. */
export type Settings = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** What puts our programs onto the ports of a test. */
export function settingsFor({ service, intake, bot }: Ports, folder: string): Settings {
  const servicePorts = { MEDIA_PORT: String(service), MEDIA_INTAKE_PORT: String(intake) };
  return {
    media: { MEDIA_BASE_URL: `http://127.0.0.1:${service}` },
    // A machine that runs all tests is late at times.
    "media-ops": { ...servicePorts, MEDIA_MAX_LAG_MS: "0" },
    start: {
      PLAYGROUND_DATA: join(folder, ".data"),
      // It says where it is: others start at the same time.
      PLAYGROUND_PORTS: "any",
      // Whatever stands in a file .env of the repository that is tested, the real Slack is left alone.
      ...{ SLACK_BOT_TOKEN: "", SLACK_APP_TOKEN: "", SLACK_CLIENT_ID: "" },
    },
    "media-bot": { BOT_PORT: String(bot) },
  };
}

const START_MS = 45_000;
// Ctrl-C that takes longer looks as if it did nothing; supervisors kill after 10 s.
const STOP_MS = 10_000;

/** A line that does not end by itself. */
interface Endless {
  readonly name: string;
  /** Whether it is ready, by what it has said so far. */
  isReady(said: string): Promise<boolean>;
  /** The ports that it has chosen by itself, where it does. */
  portsIn?(said: string): Partial<Ports>;
}

/** A program that runs in the background. */
export interface Program {
  readonly name: string;
  readonly ports: Partial<Ports> | undefined;
  /** Ctrl-C. @throws {Error} where it does not end soon, or not with 0. */
  interrupt(): Promise<void>;
}

/** What a line starts, where it goes on until Ctrl-C; nothing where it ends by itself. */
export function endlessLine(line: string, ports: Ports): Endless | undefined {
  const command = line.replace(/^npx -y pnpm@12 /, "");
  if (command === "start") return playground;
  if (command === "media-ops serve") return { name: command, isReady: () => answers(ports.intake) };
  if (command === "media-bot") return { name: command, isReady: () => answers(ports.bot) };
  return undefined;
}

/** It says where all of it is, as it takes other ports where its own are taken. */
const playground: Endless = {
  name: "start",
  isReady: async (said) => said.includes("Ctrl-C stops it."),
  portsIn(said) {
    const portBefore = (text: string): number => Number(new RegExp(`127\\.0\\.0\\.1:(\\d+)${text}`).exec(said)?.[1]);
    return { page: portBefore(" +Slack"), service: portBefore("/docs"), intake: portBefore("/metrics") };
  },
};

/** Service and bot both say there whether they are ready. */
async function answers(port: number): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
  return response?.status === 200;
}

/** Starts a program, and waits until it is ready. */
export async function startProgram(
  { name, isReady, portsIn }: Endless,
  [file, ...args]: readonly [string, ...string[]],
  options: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<Program> {
  // A group of its own: Ctrl-C goes to all that a terminal runs in the foreground.
  const child = spawn(file, args, { ...options, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  const hear = (text: Buffer): void => {
    said += text.toString();
  };
  child.stdout.on("data", hear);
  child.stderr.on("data", hear);
  const ended = once(child, "exit");
  // Where the tests themselves are broken off.
  const killNow = (): void => signalGroup(child, "SIGKILL");
  process.once("exit", killNow);
  child.once("exit", () => process.off("exit", killNow));
  const failed = (what: string): Error => new Error(`${name} ${what}. It said:\n${said}`);

  const latest = Date.now() + START_MS;
  while (!(await isReady(said))) {
    if (hasEnded(child)) throw failed(`ended with ${child.exitCode ?? child.signalCode}`);
    if (Date.now() > latest) {
      signalGroup(child, "SIGKILL");
      throw failed(`was not ready within ${START_MS / 1000} s`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    name,
    ports: portsIn?.(said),
    async interrupt() {
      if (hasEnded(child)) throw failed(`had ended by itself with ${child.exitCode ?? child.signalCode}`);
      signalGroup(child, "SIGINT");
      const timer = setTimeout(() => signalGroup(child, "SIGKILL"), STOP_MS);
      await ended;
      clearTimeout(timer);
      if (child.exitCode !== 0) throw failed(`ended with ${child.exitCode ?? child.signalCode} after Ctrl-C`);
    },
  };
}

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

/** Sends a signal to all that a detached process runs. */
export function signalGroup({ pid }: ChildProcess, signal: "SIGINT" | "SIGKILL"): void {
  if (pid !== undefined) process.kill(-pid, signal);
}
