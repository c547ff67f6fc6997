import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { lostOf, runTraffic, startFakeMedia } from "@media-ops/fake-media";
import { startFakeSlack } from "@media-ops/fake-slack";
import { serveHttp } from "@media-ops/testing/servers";
import { HOUR_MS, kinds, listings, makeEntry, tokenPath } from "../harness/entries.js";
import { post } from "../harness/http.js";
import { LogFile } from "../harness/log-file.js";
import { type Build, mediaOps, startBot, startService } from "../harness/programs.js";
import { ended, type Sandbox } from "../harness/sandbox.js";
import { SCOPES } from "./bot.js";
import { askerOf, repeat } from "./soak-people.js";

const PROJECTS = ["soak-0", "soak-1"];
// A listing has 1000. All logs start full, so that their memory use stays constant.
const ENTRIES_EACH = 1100;
const TRAFFIC = { rate: 10, channels: 24, staysMs: 8000, updateEveryMs: 2000, projects: PROJECTS, for: HOUR_MS };
const CALL_EVERY_MS = 60;
const COMMAND_EVERY_MS = 250;
const LISTED = 1000;

/** Reports the memory of live objects to the parent process on each message. */
const HEAP_REPORTER = `data:text/javascript,${encodeURIComponent(`
  import { isMainThread } from "node:worker_threads";
  if (isMainThread && process.channel) {
    process.on("message", () => { gc(); gc(); process.send(process.memoryUsage().heapUsed); });
    process.channel.unref();
  }`)}`;
const WATCHED = {
  nodeArgs: ["--expose-gc", `--import=${HEAP_REPORTER}`],
  stdio: ["ignore", "pipe", "pipe", "ipc"] as ("ignore" | "pipe" | "ipc")[],
};

/** A program that is observed while it works. */
export class Watched {
  /** The log lines above level info. */
  readonly complaints: string[] = [];
  readonly #child: ChildProcess;

  constructor(child: ChildProcess) {
    this.#child = child;
    for (const input of [child.stdout, child.stderr]) {
      if (!input) continue;
      createInterface({ input }).on("line", (line) => {
        if (!/^\{"level":"(trace|debug|info)"/.test(line)) this.complaints.push(line);
      });
    }
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Returns the bytes of live objects. Rejects if the program has exited. */
  async heapUsed(): Promise<number> {
    assert.deepEqual([this.#child.exitCode, this.#child.signalCode], [null, null], "the program still runs");
    const answered = once(this.#child, "message");
    this.#child.send("heap");
    return (await answered)[0];
  }
}

/** Starts the service and the bot on full logs, with a media server, programs and people that use them. */
export async function startSoak(sandbox: Sandbox, build: Build, onError: (error: unknown) => void) {
  const file = join(sandbox.folder, "media.db");
  const databaseUrl = `sqlite:${file}`;
  const received = new Set<string>();
  const receiver = await serveHttp(async (request, response) => {
    const { id }: { id?: string } = JSON.parse(await text(request));
    if (id === undefined || received.has(id)) onError(new Error(`A webhook without an id, or a second time: ${id}`));
    else received.add(id);
    response.writeHead(200, { "content-type": "application/json", "content-length": 2 }).end("{}");
  });
  const run = (...args: string[]) => mediaOps(build, databaseUrl, ...args);
  const keys: string[] = [];
  for (const projectId of PROJECTS) {
    keys.push((await run("projects", "create", projectId)).api_key);
    for (const kind of ["session", "event"]) await run("webhooks", "set", projectId, kind, receiver.url);
  }
  const { intake_key: intakeKey } = await run("intake-keys", "create");
  const log = new LogFile(file);
  const past = Date.now() - HOUR_MS;
  for (const projectId of PROJECTS) {
    for (const kind of kinds)
      log.append(Array.from({ length: ENTRIES_EACH }, (_, at) => makeEntry(projectId, kind, past + at * 3000)));
  }
  const before = counted.map((kind) => log.count(kind));

  const service = await startService(sandbox, build, databaseUrl, WATCHED);
  const watchedService = new Watched(service.child);
  /** Calls an operation, rotating through the projects. */
  const call = async (nth: number, path: string) => {
    const { body } = await post({ url: service.url, key: keys[nth % keys.length] ?? "" }, path);
    return JSON.parse(body.toString());
  };
  const tokens = new Map<string, string>();
  const mint = async (nth: number): Promise<void> => {
    tokens.set(PROJECTS[nth % PROJECTS.length] ?? "", (await call(nth, tokenPath)).access_token);
  };
  for (let at = 0; at < PROJECTS.length; at++) await mint(at);
  const media = await startFakeMedia({
    intakeUrl: `${service.internalUrl}/intake`,
    intakeKey,
    keepsRecords: false,
    accessToken: (channelId) => tokens.get(channelId.slice(channelId.indexOf("@") + 1)),
  });
  const slack = await startFakeSlack({ scopes: SCOPES, keeps: 100, keepsMessages: 20 });
  const team = slack.addWorkspace({ name: "soak" });
  const project = { projectId: PROJECTS[0] ?? "", url: service.url, key: keys[0] ?? "" };
  const bot = await startBot(sandbox, build, { ...WATCHED, slack, team, service: project });
  const watchedBot = new Watched(bot.child);
  slack.app.requestUrl = bot.url;

  const list = async (nth: number): Promise<void> => {
    const entries: { timestamp: string }[] = await call(nth, listings[kinds[nth % kinds.length] ?? "sessions"]);
    const times = entries.map(({ timestamp }) => Date.parse(timestamp));
    assert(entries.length === LISTED && times.every((time, at) => at === 0 || time <= (times[at - 1] ?? 0)));
  };
  const ask = askerOf(slack, team);

  /** Runs all activities concurrently until the signal. */
  async function work(signal: AbortSignal) {
    const [sums, listed, minted, answered] = await Promise.all([
      runTraffic(media, {
        ...TRAFFIC,
        signal,
        onConnect: (client) => void (client.allowed || onError(new Error(client.reason))),
      }),
      repeat(CALL_EVERY_MS, list, signal, onError),
      repeat(CALL_EVERY_MS, mint, signal, onError),
      repeat(COMMAND_EVERY_MS, ask, signal, onError),
    ]);
    if (lostOf(sums) > 0) onError(new Error(`The media server lost ${lostOf(sums)} events.`));
    const events = Object.values(sums.events).reduce((sum, { acknowledged }) => sum + acknowledged, 0);
    return { events, admissions: sums.allowed, listings: listed, tokens: minted, "answers of the bot": answered };
  }

  /** Waits for all webhooks and stops everything. Returns the stored and expected number of entries per log. */
  async function stop(events: number) {
    for (const deadline = Date.now() + 10_000; received.size < events && Date.now() < deadline; ) await setTimeout(50);
    const { sessions, connections } = media.sums;
    const calls = await answeredCalls(service.internalUrl);
    // The service writes the last entries on shutdown.
    await ended(service.child, "SIGTERM");
    const stored = counted.map((kind) => log.count(kind));
    log.close();
    await media.close();
    await slack.stop();
    await receiver.close();
    const expected = { sessions, connections, api: calls, webhooks: received.size };
    return counted.map((kind, at) => ({
      kind,
      entries: (stored[at] ?? 0) - (before[at] ?? 0),
      expected: expected[kind],
    }));
  }

  return { programs: { service: watchedService, bot: watchedBot }, work, stop };
}

const counted = ["sessions", "connections", "api", "webhooks"] as const;

/** Returns how many calls the service reports as answered. Each has an entry in the API log. */
async function answeredCalls(internalUrl: string): Promise<number> {
  const metrics = await (await fetch(`${internalUrl}/metrics`)).text();
  const counts = metrics.matchAll(/^media_answers_total\{.*path="\/.*\} (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}
