import { type ChildProcess, execFile, fork, spawn } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import type { FakeSlack, Workspace } from "@media-ops/fake-slack";
import { freePort } from "@media-ops/testing/servers";

// Long enough for a machine with much else to do.
const START_MS = 120_000;
// Databases exist only for the run that created them.
const masterKey = randomBytes(32).toString("base64");

/** A checkout with built programs. */
export interface Build {
  /** The name in the tables. */
  readonly name: string;
  readonly folder: string;
}

/** This checkout. */
export const ours: Build = { name: "ours", folder: fileURLToPath(new URL("../../../", import.meta.url)) };

/** Returns another checkout, to compare this one with. */
export const buildIn = (folder: string): Build => ({ name: folder, folder: resolve(folder) });

/** Returns the built module that a package of a checkout exports, by default under its own name. */
export async function moduleOf({ folder }: Build, name: string, exported = "."): Promise<string> {
  const home = join(folder, "packages", name);
  const { exports } = JSON.parse(await readFile(join(home, "package.json"), "utf8"));
  return join(home, exports[exported].import.default);
}

/** Imports a module that a package of a checkout exports. */
export const importFrom = async (build: Build, name: string, exported?: string) =>
  import(pathToFileURL(await moduleOf(build, name, exported)).href);

/** A folder and the processes of one row, all removed when the row ends. */
export interface Sandbox {
  readonly folder: string;
  /** Ends a process when the row ends. */
  adopt<Child extends ChildProcess>(child: Child): Child;
}

/** Runs work in a sandbox, which is cleaned up even if the work fails or Ctrl-C interrupts it. */
export async function withSandbox<T>(work: (sandbox: Sandbox) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "media-bench-"));
  const children: ChildProcess[] = [];
  const clear = (): void => {
    for (const child of children) child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  };
  const leave = (): never => process.exit(130);
  process.once("exit", clear).once("SIGINT", leave).once("SIGTERM", leave);
  try {
    return await work({
      folder,
      adopt(child) {
        children.push(child);
        return child;
      },
    });
  } finally {
    await Promise.all(children.map((child) => ended(child, "SIGKILL")));
    process.off("exit", clear).off("SIGINT", leave).off("SIGTERM", leave);
    clear();
  }
}

/** Sends a signal to a process and waits for its exit. Does nothing if the process has exited. */
export async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill(signal);
  await exit;
}

/** Starts one of the baseline servers in `floors.ts`, which do only the necessary minimum, in its own process. */
export async function startFloor({ adopt }: Sandbox, name: string, settings: object = {}) {
  const child = adopt(fork(new URL("floors.js", import.meta.url), [name]));
  child.send(settings);
  const [url] = await once(child, "message");
  return { url: String(url) };
}

const settingsOf = (databaseUrl: string) => ({
  MEDIA_DATABASE_URL: databaseUrl,
  MEDIA_MASTER_KEY: masterKey,
  MEDIA_ALLOW_PRIVATE_WEBHOOKS: "true",
});

const programOf = ({ folder }: Build, app: "service" | "bot"): string => join(folder, "apps", app, "dist/main.js");

/** Runs a `media-ops` command and returns its JSON output. */
export async function mediaOps(build: Build, databaseUrl: string, ...args: string[]) {
  const command = [programOf(build, "service"), ...args, "--json"];
  const { stdout } = await promisify(execFile)(process.execPath, command, { env: settingsOf(databaseUrl) });
  return JSON.parse(stdout);
}

/** A running service, as started by `media-ops serve`. */
export interface Service {
  readonly url: string;
  /** The URL of the internal listener, which serves intake, health and metrics. */
  readonly internalUrl: string;
  readonly child: ChildProcess;
}

/** Starts the service without rate limits, and waits until it is ready. */
export async function startService({ folder, adopt }: Sandbox, build: Build, databaseUrl: string): Promise<Service> {
  const [port, internalPort] = [await freePort(), await freePort()];
  const env = {
    ...settingsOf(databaseUrl),
    MEDIA_PORT: String(port),
    MEDIA_INTAKE_PORT: String(internalPort),
    MEDIA_LISTINGS_PER_MINUTE: "0",
    MEDIA_SEARCHES_PER_MINUTE: "0",
    MEDIA_TOKENS_PER_MINUTE: "0",
    MEDIA_MAX_LAG_MS: "0",
    MEDIA_LOG_LEVEL: "warn",
  };
  const args = [programOf(build, "service"), "serve"];
  // The sandbox's folder has no .env file, so that none of the user is read.
  const child = adopt(spawn(process.execPath, args, { cwd: folder, env, stdio: ["ignore", 2, 2] }));
  const internalUrl = `http://127.0.0.1:${internalPort}`;
  for (const deadline = Date.now() + START_MS; child.exitCode === null && Date.now() < deadline; await setTimeout(5)) {
    const response = await fetch(`${internalUrl}/readyz`).catch(() => undefined);
    await response?.body?.cancel();
    if (response?.ok) return { url: `http://127.0.0.1:${port}`, internalUrl, child };
  }
  throw new Error(`The service was not ready within ${START_MS / 1000} s. Its own output, above, says why.`);
}

/** The service of one build on its own SQLite file, with a project. */
export interface ProjectService extends Service {
  readonly build: Build;
  readonly name: string;
  readonly file: string;
  /** The API key. */
  readonly key: string;
}

/** Starts the service of each build. */
export async function startServices(
  sandbox: Sandbox,
  builds: readonly Build[],
  projectId: string,
): Promise<ProjectService[]> {
  const services: ProjectService[] = [];
  for (const [at, build] of builds.entries()) {
    const file = join(sandbox.folder, `${at}.db`);
    const { api_key: key } = await mediaOps(build, `sqlite:${file}`, "projects", "create", projectId);
    const service = await startService(sandbox, build, `sqlite:${file}`);
    services.push({ ...service, build, name: build.name, file, key });
  }
  return services;
}

/** Creates a key for a service's intake. */
export async function createIntakeKey({ build, file }: ProjectService): Promise<string> {
  return (await mediaOps(build, `sqlite:${file}`, "intake-keys", "create")).intake_key;
}

/** The Slack and the service that a bot connects. */
export interface BotOptions {
  readonly slack: FakeSlack;
  readonly team: Workspace;
  readonly service: { readonly url: string; readonly key: string; readonly projectId: string };
}

/** The scopes that the bot requests when it is installed. */
export const SCOPES = ["commands", "chat:write", "files:write", "im:write", "usergroups:read", "users:read"];

/** Starts the Slack bot, and returns the URL that Slack sends requests to. */
export async function startBot(
  { folder, adopt }: Sandbox,
  build: Build,
  { slack, team, service }: BotOptions,
): Promise<string> {
  const env = {
    BOT_PORT: "0",
    BOT_DATABASE_URL: `sqlite:${join(folder, `bot-${randomUUID()}.db`)}`,
    SLACK_API_URL: slack.apiUrl,
    SLACK_SIGNING_SECRET: slack.app.signingSecret,
    SLACK_BOT_TOKEN: team.botToken,
    MEDIA_BASE_URL: service.url,
    MEDIA_API_KEY: service.key,
    MEDIA_PROJECT_ID: service.projectId,
  };
  const stdio = ["ignore", "pipe", "inherit"] as const;
  const child = adopt(spawn(process.execPath, [programOf(build, "bot")], { cwd: folder, env, stdio: [...stdio] }));
  for await (const line of createInterface(child.stdout)) {
    const [, url] = /(http:\/\/[^"\s]+\/slack\/events)/.exec(line) ?? [];
    if (url === undefined) continue;
    child.stdout.resume();
    return url;
  }
  throw new Error("The bot ended before it listened. Its own output, above, says why.");
}
