import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

export const root = join(import.meta.dirname, "../..");

/** What is read of a package.json. */
export interface Manifest {
  name: string;
  version: string;
  private?: boolean;
  bin?: Record<string, string>;
  exports?: Record<string, unknown>;
  dependencies?: Record<string, string>;
  publishConfig?: object;
}

export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}

/** Where the packages are that are published, from the root of the repository. */
export const publishedFolders: readonly string[] = ["packages", "apps"]
  .flatMap((place) => readdirSync(join(root, place)).map((name) => `${place}/${name}`))
  .filter((folder) => existsSync(join(root, folder, "package.json")) && !readManifest(join(root, folder)).private);

type Variables = Readonly<Record<string, string>>;

interface Running {
  /** The exit code, or the signal that ended it. */
  readonly ended: Promise<unknown>;
  kill(signal: NodeJS.Signals): void;
}

/** Starts a program with the given variables and the way to programs, and nothing else of this environment. */
export function start(command: string, args: readonly string[], cwd: string, env: Variables): Running {
  const child = spawn(command, args, { cwd, env: { PATH: process.env.PATH, ...env }, stdio: "ignore" });
  return {
    ended: once(child, "exit").then(([code, signal]) => code ?? signal),
    kill: (signal) => void child.kill(signal),
  };
}

/** Runs a program to its end and gives what it wrote. Without variables of its own, it has those of this process. */
export async function run(command: string, args: readonly string[], cwd: string, env?: Variables): Promise<string> {
  const all = env ? { PATH: process.env.PATH, ...env } : process.env;
  const child = spawn(command, args, { cwd, env: all, stdio: ["ignore", "pipe", "pipe"] });
  let written = "";
  let complaints = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    written += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text) => {
    complaints += text;
  });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${code}: ${complaints || written}`);
  return written;
}

/** What the bot asks of Slack before it listens: who it is. */
export async function answerAsSlack(): Promise<{ url: string; stop(): Promise<void> }> {
  const who = { ok: true, url: "https://acme.example/", team: "acme", team_id: "T01", user: "media", user_id: "U01" };
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ ...who, bot_id: "B01" }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${portOf(server.address())}/api/`,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === "string") throw new Error("It does not listen at a port.");
  return address.port;
}
