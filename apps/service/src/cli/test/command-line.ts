import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { databaseUrl } from "@media-ops/testing";
import { expect, onTestFinished } from "vitest";
import { readConfig } from "../../config/config.js";
import { createProject } from "../../projects/projects.js";
import { openVault } from "../../secrets/open-vault.js";
import { openStorage, type Storage } from "../../storage/open-storage.js";
import { temporaryFolder } from "../../test/harness.js";
import { runCli } from "../run.js";

/** The command line in this process, in a folder of its own: faster, and the same but for what a process is. */
export async function commandLineHere() {
  const folder = await temporaryFolder();
  const here = { MEDIA_DATABASE_URL: `sqlite:${folder}/data/media.db`, MEDIA_PORT: "0" };
  const run = async (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ran> => {
    const ran = { stdout: "", stderr: "" };
    const code = await runCli(args, {
      env: { ...here, ...env },
      now: Date.now,
      write: (text) => {
        ran.stdout += text;
      },
      complain: (text) => {
        ran.stderr += text;
      },
    });
    return { code, ...ran };
  };
  return { folder, run };
}

/** What is installed as `media-ops`. */
export const main: string = fileURLToPath(new URL("main.js", import.meta.resolve("@media-ops/service")));

interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

/** The command line as it is installed, in a folder of its own. */
export async function commandLine(env: Record<string, string> = {}) {
  const folder = await temporaryFolder();
  // Where it is by itself, so that nothing has to be set; PostgreSQL must be named, and needs a key from outside.
  const url = await databaseUrl({ file: `${folder}/data/media.db` });
  const database = url.startsWith("postgres:") && { MEDIA_DATABASE_URL: url, MEDIA_MASTER_KEY: "5".repeat(64) };
  const free = { PATH: process.env.PATH, MEDIA_PORT: "0", MEDIA_INTAKE_PORT: "0" };
  const options = { cwd: folder, env: { ...free, ...database, ...env } };
  const run = (...args: string[]): Promise<Ran> =>
    new Promise((resolve) => {
      execFile(process.execPath, [main, ...args], options, (error, stdout, stderr) => {
        resolve({ code: typeof error?.code === "number" ? error.code : 0, stdout, stderr });
      });
    });
  const json = async (...args: string[]) => {
    const { code, stdout, stderr } = await run(...args, "--json");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return JSON.parse(stdout);
  };
  /** Works with the database that the commands work with, and creates it if it is not there. */
  const inDatabase = async <T>(work: (storage: Storage) => Promise<T>): Promise<T> => {
    const storage = await openStorage(url);
    try {
      await openVault(readConfig({ ...options.env, MEDIA_DATABASE_URL: url }), storage.query);
      return await work(storage);
    } finally {
      await storage.close();
    }
  };
  return { folder, run, json, inDatabase, options };
}

/** The command line with projects, which may have webhooks that go to the loopback. */
export async function withProjects(names: readonly string[], env = { MEDIA_ALLOW_PRIVATE_WEBHOOKS: "true" }) {
  const made = await commandLine(env);
  await made.inDatabase(async ({ query }) => {
    for (const name of names) await createProject(query, name, Date.now());
  });
  return made;
}

/**
 * `media-ops serve`, once it listens.
 *
 * @param before What a shell does before, such as `ulimit -f 64`.
 */
export async function serve(options: { cwd: string; env: NodeJS.ProcessEnv }, before = ":") {
  const child: ChildProcess = spawn("/bin/sh", ["-c", `${before}; exec "$0" "$@"`, process.execPath, main, "serve"], {
    ...options,
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines: string[] = [];
  if (!child.stdout) throw new Error("The service has no output.");
  const output = createInterface({ input: child.stdout }).on("line", (line) => lines.push(line));
  const addressOf = (text: RegExp): string | undefined => lines.map((line) => text.exec(line)?.[1]).find(Boolean);
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`The service ended with ${code} before it listened.\n${lines.join("\n")}`);
  });
  ended.catch(() => {});
  while (!addressOf(/metrics are at (\S+),/)) await Promise.race([once(output, "line"), ended]);
  return {
    child,
    lines,
    url: addressOf(/operations are at (\S+),/) ?? "",
    insideUrl: addressOf(/metrics are at (\S+),/) ?? "",
  };
}

/** A webhook as it came. */
export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A receiver of webhooks on the loopback; answers as `answer` says at the time. */
export async function startReceiver() {
  const received: Received[] = [];
  const answer = { status: 200, headers: {}, body: "" };
  const server = createServer(async (request, response) => {
    received.push({ headers: request.headers, body: await text(request) });
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/hooks`, received, answer };
}
