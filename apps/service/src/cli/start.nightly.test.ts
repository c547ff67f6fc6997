import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { postgresUrl } from "@media-ops/testing";
import { closeAfterAll } from "@media-ops/testing/after-all";
import { sql } from "kysely";
import { beforeAll, describe, expect, it } from "vitest";
import { openStorage } from "../storage/open-storage.js";
import { main } from "./test/command-line.js";

// Together with the startup time itself, less than 15 s.
const MAX_WAIT_MS = 13_000;
// By then a start is waiting, unless the machine is overloaded.
const STOP_AFTER_MS = 6000;
// The lock that is held while tables change.
const MIGRATIONS_LOCK = 7_206_414_915_014;

const atEnd = closeAfterAll();

const masterKey = { MEDIA_MASTER_KEY: "5".repeat(64) };

type Started = ReturnType<typeof start>;
/** The exit of a program. */
type Ended = Awaited<Started["ended"]>;

function start(args: readonly string[], env: Readonly<Record<string, string>>) {
  const since = performance.now();
  const child: ChildProcess = spawn(process.execPath, [main, ...args], {
    cwd: "/",
    env: { PATH: process.env.PATH, MEDIA_PORT: "0", MEDIA_INTAKE_PORT: "0", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  atEnd(async () => void child.kill("SIGKILL"));
  let said = "";
  for (const output of [child.stdout, child.stderr]) output?.on("data", (bytes) => (said += bytes));
  const ended = once(child, "exit").then(([code, signal]: (number | string | null)[]) => {
    return { code, signal, said, ms: performance.now() - since };
  });
  return { child, ended };
}

async function listening(server: Server): Promise<number> {
  await once(server.listen(0, "127.0.0.1"), "listening");
  atEnd(async () => void server.close());
  return (server.address() as AddressInfo).port;
}

/** A proxy to PostgreSQL that stops responding for good after `count` server messages on all connections together. */
async function silentAfter(url: string, count: number): Promise<string> {
  const target = new URL(url);
  let said = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    client.on("data", (bytes) => upstream.write(bytes));
    upstream.on("data", (bytes) => {
      said += 1;
      if (said <= count) client.write(bytes);
    });
    for (const [one, other] of [[client, upstream] as const, [upstream, client] as const]) {
      one.on("error", () => {}).on("close", () => other.destroy());
    }
  });
  const proxied = new URL(url);
  proxied.port = String(await listening(server));
  return proxied.href;
}

const serve = ["serve"];
const create = ["projects", "create", "x"];

/** Sends SIGTERM to a waiting start, and measures how long it takes to end. */
async function stop({ child, ended }: Started) {
  await setTimeout(STOP_AFTER_MS);
  const since = performance.now();
  child.kill("SIGTERM");
  const { signal } = await ended;
  return { signal, ms: performance.now() - since };
}

/** Starts that wait for the lock of PostgreSQL's tables, which another process holds. */
async function whileTablesAreLocked() {
  const url = await postgresUrl({ atEnd });
  const env = { MEDIA_DATABASE_URL: url, ...masterKey };
  const holder = await openStorage(url);
  atEnd(() => holder.close());
  return holder.query.connection().execute(async (one) => {
    await sql.raw(`select pg_advisory_lock(${MIGRATIONS_LOCK})`).execute(one);
    const starts = [start(serve, env), start(create, env)];
    const stopped = await stop(start(serve, env));
    const ended = await Promise.all(starts.map((started) => started.ended));
    await sql.raw(`select pg_advisory_unlock(${MIGRATIONS_LOCK})`).execute(one);
    return { ended, stopped, after: await start(create, env).ended };
  });
}

/** Starts on a PostgreSQL that stops responding at different stages. */
async function whileServerIsSilent() {
  const url = await postgresUrl({ atEnd });
  await (await openStorage(url)).close();
  const ways = await Promise.all([0, 2, 5].map((count) => silentAfter(url, count)));
  const starts = ways.map((way) => start(serve, { MEDIA_DATABASE_URL: way, ...masterKey }));
  return { ended: await Promise.all(starts.map((started) => started.ended)) };
}

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "media-service-"));
  atEnd(() => rm(folder, { recursive: true }));
  return folder;
}

/** Starts on an SQLite file that another process keeps locked. */
async function whileFileIsLocked() {
  const folder = await newFolder();
  const env = { MEDIA_DATABASE_URL: `sqlite:${folder}/media.db` };
  await start(["projects", "create", "demo"], env).ended;
  const holder = await openStorage(env.MEDIA_DATABASE_URL);
  atEnd(() => holder.close());
  return holder.query.transaction().execute(async (one) => {
    await one.deleteFrom("counter").where("name", "=", "held").execute();
    const starts = [start(serve, env), start(create, env)];
    const stopped = await stop(start(serve, env));
    return { ended: await Promise.all(starts.map((started) => started.ended)), stopped };
  });
}

/** A start that fails at the last step, because its port is taken. Its duration is that of a start without waits. */
async function withoutPort() {
  const folder = await newFolder();
  const port = String(await listening(createServer()));
  const env = { MEDIA_DATABASE_URL: `sqlite:${folder}/data/media.db`, MEDIA_INTAKE_PORT: port };
  return { ended: [await start(serve, env).ended] };
}

/** Expects each start to have exited with 1 in time, with this message and without a stack. */
function expectFailed(ended: readonly Ended[], words: RegExp): void {
  for (const { code, said, ms } of ended) {
    expect({ code, said }).toEqual({ code: 1, said: expect.stringMatching(words) });
    expect(said).not.toMatch(/^\s+at /m);
    expect(ms - soon).toBeLessThan(MAX_WAIT_MS);
  }
}

function expectStopped({ signal, ms }: Awaited<ReturnType<typeof stop>>): void {
  expect(signal).toBe("SIGTERM");
  // Much less than the 10 s for which it would have waited.
  expect(ms).toBeLessThan(5000);
}

// The starts mostly wait, so they all run at once.
const startAll = async () => {
  const all = [whileTablesAreLocked(), whileServerIsSilent(), whileFileIsLocked(), withoutPort()] as const;
  const [tables, server, file, port] = await Promise.all(all);
  return { tables, server, file, port };
};
let results: Awaited<ReturnType<typeof startAll>>;
let soon = 0;

beforeAll(async () => {
  results = await startAll();
  soon = results.port.ended[0]?.ms ?? 0;
});

describe("a start exits with 1 within 15 s, and says what to do, if", () => {
  it("another process holds the lock of PostgreSQL's tables; once it is released, a start succeeds", () => {
    expectFailed(results.tables.ended, /^Another process is changing the tables in PostgreSQL.*10 s\. Start again/);
    expect(results.tables.after.code).toBe(0);
  });

  it("PostgreSQL stops responding, at any stage", () => {
    const words = /^PostgreSQL (could not be opened: .*Does it run there|fell silent .*start again)/;
    expectFailed(results.server.ended, words);
    expect(results.server.ended.some(({ said }) => said.includes("fell silent"))).toBe(true);
  });

  it("another process keeps the SQLite file locked", () => {
    expectFailed(results.file.ended, /media\.db cannot be used now: another process has kept it locked for 10 s/);
  });

  it("its port is taken", () => {
    expectFailed(results.port.ended, /is taken\. Set MEDIA_INTAKE_PORT to another port/);
  });
});

it("SIGTERM ends a waiting start at once", () => {
  expectStopped(results.tables.stopped);
  expectStopped(results.file.stopped);
});
