import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { freePort } from "@media-ops/testing/servers";
import { start } from "../processes.mjs";

/** The default ports, which the documents use. */
const DEFAULT_PORTS = { service: 8080, intake: 8081, bot: 3000, page: 4000 };

const portNames = ["service", "intake", "bot", "page"] as const;

/** The ports of a test, because the default ones may be in use. */
export type Ports = Readonly<typeof DEFAULT_PORTS>;

/** Free ports for all programs. */
export const freePorts = async (): Promise<Ports> => ({
  service: await freePort(),
  intake: await freePort(),
  bot: await freePort(),
  page: await freePort(),
});

/** A document's text with the ports of the test instead of the default ones. */
export const withPorts = (text: string, ports: Ports): string =>
  portNames.reduce(
    (changed, name) => changed.replaceAll(`127.0.0.1:${DEFAULT_PORTS[name]}`, `127.0.0.1:${ports[name]}`),
    text,
  );

/** Environment variables for a test by root script ("media-bot"), on top of those that a reader sets. */
export type Settings = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Returns the settings that make our programs listen on the ports of a test. */
export const settingsFor = ({ service, intake, bot }: Ports, folder: string): Settings => ({
  media: { MEDIA_BASE_URL: `http://127.0.0.1:${service}` },
  // No lag limit, because a machine that runs all tests is slow at times.
  "media-ops": { MEDIA_PORT: String(service), MEDIA_INTAKE_PORT: String(intake), MEDIA_MAX_LAG_MS: "0" },
  start: {
    PLAYGROUND_DATA: join(folder, ".data"),
    PLAYGROUND_PORTS: "any",
    // Keeps the real Slack out, even if the tested repository has an .env file.
    ...{ SLACK_BOT_TOKEN: "", SLACK_APP_TOKEN: "", SLACK_CLIENT_ID: "" },
  },
  "media-bot": { BOT_PORT: String(bot) },
});

/** A command that runs until Ctrl-C. */
interface Endless {
  /** Whether the program is ready, judged by its output or its port. */
  isReady(printed: string, ports: Ports): boolean | Promise<boolean>;
  /** The ports that the program chose itself. */
  portsIn?(printed: string): Partial<Ports>;
}

const endless: Readonly<Record<string, Endless>> = {
  "media-ops serve": { isReady: (_, { intake }) => answers(intake) },
  "media-bot": { isReady: (_, { bot }) => answers(bot) },
  start: {
    isReady: (printed) => printed.includes("Ctrl-C stops it."),
    portsIn(printed) {
      const portBefore = (text: string) => Number(new RegExp(`127\\.0\\.0\\.1:(\\d+)${text}`).exec(printed)?.[1]);
      return { page: portBefore(" +Slack"), service: portBefore("/docs"), intake: portBefore("/metrics") };
    },
  },
};

async function answers(port: number): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
  return response?.status === 200;
}

/** Returns the name of the program that a line starts, if it runs until Ctrl-C. */
export function endlessName(line: string): string | undefined {
  const name = line.replace(/^npx -y pnpm@12 /, "");
  return Object.hasOwn(endless, name) ? name : undefined;
}

/** A program that runs in the background. */
export interface Program {
  readonly name: string;
  /** The ports that the program chose itself. */
  readonly ports: Partial<Ports> | undefined;
  /** Presses Ctrl-C. Rejects unless the program exits soon, with code 0. */
  interrupt(): Promise<void>;
}

const START_MS = 45_000;

/** Starts a program that runs until Ctrl-C, and waits until it is ready. */
export async function startProgram(
  name: string,
  [file, ...args]: readonly [string, ...string[]],
  { ports, ...options }: { cwd: string; env: NodeJS.ProcessEnv; ports: Ports },
): Promise<Program> {
  const { isReady, portsIn } = endless[name] ?? { isReady: () => true };
  const { output, ended, stop } = start(file, args, options);
  const failed = (what: string): Error => new Error(`${name} ${what}. It printed:\n${output.stdout}${output.stderr}`);
  const deadline = Date.now() + START_MS;
  while (!(await isReady(output.stdout, ports))) {
    const code = await Promise.race([ended, setTimeout(50)]);
    if (code !== undefined) throw failed(`ended with ${code}`);
    if (Date.now() < deadline) continue;
    await stop("SIGKILL");
    throw failed(`was not ready within ${START_MS / 1000} s`);
  }
  return {
    name,
    ports: portsIn?.(output.stdout),
    async interrupt() {
      const early = await Promise.race([ended, setTimeout(0)]);
      if (early !== undefined) throw failed(`ended by itself with ${early}`);
      const code = await stop("SIGINT");
      if (code !== 0) throw failed(`ended with ${code} after Ctrl-C`);
    },
  };
}
