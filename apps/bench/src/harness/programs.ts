import { type ChildProcess, execFile, type StdioOptions, spawn } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import type { FakeSlack, Workspace } from "@media-ops/fake-slack";
import { freePort } from "@media-ops/testing/servers";
import type { Sandbox } from "./sandbox.js";

const START_MS = 30_000;
// Databases exist only for the run that created them.
const masterKey = randomBytes(32).toString("base64");

/** A checkout with built programs. */
export interface Build {
  /** The name in the tables. */
  readonly name: string;
  readonly folder: string;
}

/** This checkout. */
export const ours: Build = { name: "ours", folder: fileURLToPath(new URL("../../../../", import.meta.url)) };

/** Returns another checkout, to compare this one with. */
export const buildIn = (folder: string): Build => ({ name: folder, folder: resolve(folder) });

/** Imports a built module from a package of a checkout. */
export const importFrom = ({ folder }: Build, name: string, file: string) =>
  import(pathToFileURL(join(folder, "packages", name, "dist", file)).href);

/** Options for starting a measured program. */
export interface ProgramOptions {
  /** Arguments for Node itself. */
  readonly nodeArgs?: readonly string[];
  readonly stdio?: StdioOptions;
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
  readonly pid: number;
  readonly child: ChildProcess;
}

/** Starts the service without rate limits, and waits until it is ready. */
export async function startService(
  { folder, adopt }: Sandbox,
  build: Build,
  databaseUrl: string,
  { nodeArgs = [], stdio = ["ignore", 2, 2] }: ProgramOptions = {},
): Promise<Service> {
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
  const args = [...nodeArgs, programOf(build, "service"), "serve"];
  // The sandbox's folder has no .env file, so that none of the user is read.
  const child = adopt(spawn(process.execPath, args, { cwd: folder, env, stdio }));
  const internalUrl = `http://127.0.0.1:${internalPort}`;
  for (const deadline = Date.now() + START_MS; child.exitCode === null && Date.now() < deadline; await setTimeout(5)) {
    const response = await fetch(`${internalUrl}/readyz`).catch(() => undefined);
    await response?.body?.cancel();
    if (response?.ok) return { url: `http://127.0.0.1:${port}`, internalUrl, pid: child.pid ?? 0, child };
  }
  throw new Error(`The service was not ready within ${START_MS / 1000} s. Its own output, above, says why.`);
}

/** The service of one build on its own SQLite file, with a project and an intake key. */
export interface ProjectService extends Service {
  readonly build: Build;
  readonly name: string;
  readonly file: string;
  /** The API key. */
  readonly key: string;
  readonly intakeKey: string;
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
    const databaseUrl = `sqlite:${file}`;
    const { api_key: key } = await mediaOps(build, databaseUrl, "projects", "create", projectId);
    const { intake_key: intakeKey } = await mediaOps(build, databaseUrl, "intake-keys", "create");
    const service = await startService(sandbox, build, databaseUrl);
    services.push({ ...service, build, name: build.name, file, key, intakeKey });
  }
  return services;
}

/** Options for starting a bot. */
export interface BotOptions extends ProgramOptions {
  readonly slack: FakeSlack;
  readonly team: Workspace;
  readonly service: { readonly url: string; readonly key: string; readonly projectId: string };
}

/** Starts the Slack bot, and returns the URL that Slack sends requests to. */
export async function startBot(
  { folder, adopt }: Sandbox,
  build: Build,
  { slack, team, service, nodeArgs = [], stdio = ["ignore", "pipe", "inherit"] }: BotOptions,
): Promise<{ url: string; child: ChildProcess }> {
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
  const child = adopt(spawn(process.execPath, [...nodeArgs, programOf(build, "bot")], { cwd: folder, env, stdio }));
  if (!child.stdout) throw new Error("The bot writes its address to standard output, which must be a pipe.");
  for await (const line of createInterface(child.stdout)) {
    const [, url] = /(http:\/\/[^"\s]+\/slack\/events)/.exec(line) ?? [];
    if (url === undefined) continue;
    child.stdout.resume();
    return { url, child };
  }
  throw new Error("The bot ended before it listened. Its own output, above, says why.");
}
