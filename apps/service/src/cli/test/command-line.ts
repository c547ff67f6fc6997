import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { databaseUrl } from "@media-ops/testing";
import { expect, onTestFinished } from "vitest";
import { readConfig } from "../../config/config.js";
import { createLog } from "../../log.js";
import { createProject } from "../../projects/projects.js";
import { openVault } from "../../secrets/open-vault.js";
import { startService } from "../../service.js";
import { openStorage, type Storage } from "../../storage/open-storage.js";
import { temporaryFolder } from "../../test/harness.js";
import type { IntakeKind } from "../../test/intake-harness.js";
import { runCli } from "../run.js";

interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

/** The path of the program that is installed as `media-ops`. */
export const main: string = fileURLToPath(new URL("main.js", import.meta.resolve("@media-ops/service")));

const MASTER_KEY = "5".repeat(64);

interface Given {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly url: string;
  /** @default each command opens the database, as a process of its own would */
  readonly openStorage?: typeof openStorage;
}

/** Runs commands in this process, which is much faster than in their own. */
function commandsWith({ env, url, openStorage: open = openStorage }: Given) {
  const runWith = async (more: Readonly<Record<string, string>>, ...args: string[]): Promise<Ran> => {
    const ran = { stdout: "", stderr: "" };
    const code = await runCli(args, {
      env: { ...env, MEDIA_DATABASE_URL: env.MEDIA_DATABASE_URL || url, ...more },
      now: Date.now,
      write: (text) => {
        ran.stdout += text;
      },
      complain: (text) => {
        ran.stderr += text;
      },
      openStorage: open,
    });
    return { code, ...ran };
  };
  const run = (...args: string[]): Promise<Ran> => runWith({}, ...args);
  const json = async (...args: string[]) => {
    const { code, stdout, stderr } = await run(...args, "--json");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return JSON.parse(stdout);
  };
  /** Runs work on the database that the commands use, and creates it if it does not exist. */
  const inDatabase = async <T>(work: (storage: Storage) => Promise<T>): Promise<T> => {
    const storage = await open(url);
    try {
      await openVault(readConfig({ ...env, MEDIA_DATABASE_URL: url }), storage.query);
      return await work(storage);
    } finally {
      await storage.close();
    }
  };
  return { url, run, runWith, json, inDatabase };
}

// A busy machine has delays, too, for which a service must not refuse calls.
const free = { PATH: process.env.PATH, MEDIA_PORT: "0", MEDIA_INTAKE_PORT: "0", MEDIA_MAX_LAG_MS: "0" };

/** A command line with its own folder and database. `runProgram` runs the installed program. */
export async function commandLine(given: Record<string, string> = {}) {
  const folder = await temporaryFolder();
  // The default file in this folder; PostgreSQL needs a URL, and a key from the environment.
  const file = `${folder}/data/media.db`;
  const url = given.MEDIA_DATABASE_URL === "" ? `sqlite:${file}` : await databaseUrl({ file });
  const isPostgres = url.startsWith("postgres:");
  const env = { ...free, ...(isPostgres && { MEDIA_DATABASE_URL: url, MEDIA_MASTER_KEY: MASTER_KEY }), ...given };
  const options = { cwd: folder, env };
  const runProgram = (...args: string[]): Promise<Ran> =>
    new Promise((resolve) => {
      execFile(process.execPath, [main, ...args], options, (error, stdout, stderr) => {
        resolve({ code: typeof error?.code === "number" ? error.code : 0, stdout, stderr });
      });
    });
  /** Starts the service on this database in this process; the test stops it. */
  const serveHere = async () => {
    const config = readConfig({ ...env, MEDIA_DATABASE_URL: url });
    const service = await startService({ config, log: createLog({ level: "silent" }) });
    onTestFinished(() => service.stop());
    return service;
  };
  return { ...commandsWith({ env, url }), folder, runProgram, serveHere, options };
}

/** Commands on one database with some projects, which stays open until the test ends. */
export async function withProjects(names: readonly string[], given = { MEDIA_ALLOW_PRIVATE_WEBHOOKS: "true" }) {
  const url = await databaseUrl({ memory: true });
  const storage = await openStorage(url);
  onTestFinished(() => storage.close());
  const shared = { ...storage, close: async () => {} };
  const env = { ...free, MEDIA_MASTER_KEY: MASTER_KEY, ...given };
  const made = commandsWith({ env, url, openStorage: async () => shared });
  await made.inDatabase(async ({ query }) => {
    for (const name of names) await createProject(query, name, Date.now());
  });
  return made;
}

/** Runs `media-ops serve` after a shell command such as `ulimit -f 64`, and resolves once it listens. */
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
  const internalUrl = addressOf(/metrics are at (\S+),/) ?? "";
  return {
    ...{ child, lines, internalUrl },
    url: addressOf(/operations are at (\S+),/) ?? "",
    /** Sends to the intake, as a media server does. Returns the answer, which must be a success. */
    async tell<Answer = unknown>(kind: IntakeKind, intakeKey: string, body: object): Promise<Answer> {
      const headers = { "content-type": "application/json", authorization: `Bearer ${intakeKey}` };
      const request = { method: "POST", headers, body: JSON.stringify(body) };
      const answer = await fetch(`${internalUrl}/intake/${kind}`, request);
      expect(answer.status).toBe(200);
      return (await answer.json()) as Answer;
    },
    /** Waits until it has ended after a signal. Returns its exit code and the signal that has killed it. */
    async end(signal: NodeJS.Signals = "SIGTERM"): Promise<unknown[]> {
      const exited = once(child, "exit");
      child.kill(signal);
      return exited;
    },
  };
}
