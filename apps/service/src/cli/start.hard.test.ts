import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { postgresUrl } from "@media-ops/test-databases";
import { sql } from "kysely";
import { expect, it, onTestFinished } from "vitest";
import { openStorage } from "../storage/open-storage.js";
import { temporaryFolder } from "../test/harness.js";
import { main } from "./test/command-line.js";

// What a supervisor, and whoever waits at a terminal, can count on.
const MAX_START_MS = 15_000;
// The lock that is held while tables change.
const MIGRATIONS_LOCK = 7_206_414_915_014;

const masterKey = { MEDIA_MASTER_KEY: "5".repeat(64) };

/** How a program ended. */
interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly said: string;
  readonly ms: number;
}

function start(args: readonly string[], env: Readonly<Record<string, string>>) {
  const since = performance.now();
  const child: ChildProcess = spawn(process.execPath, [main, ...args], {
    cwd: "/",
    env: { PATH: process.env.PATH, MEDIA_PORT: "0", MEDIA_INTAKE_PORT: "0", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let said = "";
  for (const output of [child.stdout, child.stderr]) output?.on("data", (bytes) => (said += bytes));
  const ended = once(child, "exit").then(
    ([code, signal]): Ended => ({ code, signal, said, ms: performance.now() - since }),
  );
  return { child, ended };
}

/** Each start ends with 1 in time, and says this, in words and not by a stack. */
async function expectFailed(starts: readonly { ended: Promise<Ended> }[], words: RegExp): Promise<void> {
  for (const { ended } of starts) {
    const { code, said, ms } = await ended;
    expect({ code, said }).toEqual({ code: 1, said: expect.stringMatching(words) });
    expect(said).not.toMatch(/^\s+at /m);
    expect(ms).toBeLessThan(MAX_START_MS);
  }
}

/** A signal ends a start that waits for something, at once. */
async function expectStoppable(args: readonly string[], env: Readonly<Record<string, string>>): Promise<void> {
  const { child, ended } = start(args, env);
  // It has no sign to give while it waits; when it has had time to begin, it is told to stop.
  setTimeout(() => child.kill("SIGTERM"), 4000);
  const { signal, ms } = await ended;
  expect(signal).toBe("SIGTERM");
  expect(ms).toBeLessThan(6000);
}

const both = (env: Readonly<Record<string, string>>) => [
  start(["serve"], env),
  start(["projects", "create", "x"], env),
];

async function listening(server: Server): Promise<number> {
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** A way to PostgreSQL that is silent for good once the server has said so many things on all connections together. */
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

it("a start ends in time where another process holds the lock of PostgreSQL's tables, and serves when it has let go", async () => {
  const url = await postgresUrl();
  const env = { MEDIA_DATABASE_URL: url, ...masterKey };
  const holder = await openStorage(url);
  await holder.query.connection().execute(async (one) => {
    await sql.raw(`select pg_advisory_lock(${MIGRATIONS_LOCK})`).execute(one);
    const failed = expectFailed(both(env), /^Another process is changing the tables in PostgreSQL.*10 s\. Start again/);
    await Promise.all([failed, expectStoppable(["serve"], env)]);
    await sql.raw(`select pg_advisory_unlock(${MIGRATIONS_LOCK})`).execute(one);
  });
  await holder.close();
  expect((await start(["projects", "create", "x"], env).ended).code).toBe(0);
});

it("a start ends in time where PostgreSQL is silent, from whichever moment on, or is not there", async () => {
  const url = await postgresUrl();
  await (await openStorage(url)).close();
  const ways = await Promise.all([0, 2, 4, 6].map((count) => silentAfter(url, count)));
  const silent = ways.map((way) => start(["serve"], { MEDIA_DATABASE_URL: way, ...masterKey }));
  const nowhere = start(["serve"], { MEDIA_DATABASE_URL: "postgres://nobody.invalid/media", ...masterKey });
  await Promise.all([
    expectFailed(silent, /^PostgreSQL (could not be opened: .*Does it run there|fell silent .*start again)/),
    expectFailed([nowhere], /^PostgreSQL could not be opened: .*nobody\.invalid.* Does it run there/),
    expectStoppable(["serve"], { MEDIA_DATABASE_URL: ways[1] ?? "", ...masterKey }),
  ]);
});

it("a start ends in time where another process keeps the SQLite file locked, and serves when it has let go", async () => {
  const folder = `${await temporaryFolder()}/data`;
  await mkdir(folder);
  const env = { MEDIA_DATABASE_URL: `sqlite:${folder}/media.db` };
  expect((await start(["projects", "create", "demo"], env).ended).code).toBe(0);
  const Sqlite = createRequire(import.meta.resolve("@media-ops/database"))("better-sqlite3-12");
  const holder = new Sqlite(`${folder}/media.db`);
  onTestFinished(() => holder.close());
  holder.exec("begin immediate");
  await Promise.all([
    expectFailed(both(env), /media\.db cannot be used now: another process has kept it locked for 10 s/),
    expectStoppable(["serve"], env),
  ]);
  holder.exec("rollback");
  expect((await start(["projects", "create", "x"], env).ended).code).toBe(0);
});

it("a start ends in time where its port is taken", async () => {
  const port = String(await listening(createServer()));
  const env = { MEDIA_DATABASE_URL: `sqlite:${await temporaryFolder()}/data/media.db`, MEDIA_INTAKE_PORT: port };
  await expectFailed([start(["serve"], env)], /is taken\. Set MEDIA_INTAKE_PORT to another port/);
});
