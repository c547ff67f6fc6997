import { once } from "node:events";
import { existsSync } from "node:fs";
import { copyFile, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { runCli } from "../cli/run.js";
import { commandLine, serve } from "../cli/test/command-line.js";
import { createIntakeKey } from "../keys/intake-keys.js";
import { logKinds } from "../logs/log-store.js";
import { createProject, updateProject } from "../projects/projects.js";
import { temporaryFolder } from "../test/harness.js";
import { connectionDestroyed, connectionOf } from "../test/media-events.js";
import { openStorage } from "./open-storage.js";

/** Runs a command on a file, in this process. */
async function runOn(file: string, ...args: string[]): Promise<{ code: number; stderr: string }> {
  let stderr = "";
  const code = await runCli(args, {
    env: { MEDIA_DATABASE_URL: `sqlite:${file}`, MEDIA_PORT: "0", MEDIA_INTAKE_PORT: "0" },
    now: Date.now,
    write() {},
    complain(text) {
      stderr += text;
    },
  });
  return { code, stderr };
}

/** A service that receives a stream of distinct events, as a single process without a supervisor. */
async function busyService() {
  const { folder, inDatabase, options } = await commandLine();
  const key = await inDatabase(async ({ query }) => {
    await createProject(query, "demo", Date.now());
    await updateProject(query, "demo", { allowAnonymous: true });
    return (await createIntakeKey(query, "test", Date.now())).text;
  });
  const file = join(folder, "data/media.db");
  const start = () => serve({ ...options, cwd: folder });
  const first = await start();
  let { internalUrl } = first;
  const acknowledged: string[] = [];
  const refused: number[] = [];
  let isOver = false;
  const send = async (): Promise<void> => {
    while (!isOver) {
      const at = new Date().toISOString();
      const connection = connectionOf({ createdAt: at, destroyedAt: at });
      const answer = await fetch(`${internalUrl}/intake/event`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify(connectionDestroyed(connection)),
      }).catch(() => undefined);
      if (answer?.status === 200) acknowledged.push(connection.connectionId);
      else {
        if (answer) refused.push(answer.status);
        await setTimeout(5);
      }
    }
  };
  const sending = Promise.all([send(), send(), send()]);
  const endSending = async (): Promise<void> => {
    isOver = true;
    await sending;
  };
  onTestFinished(endSending);
  await expect.poll(() => acknowledged.length).toBeGreaterThan(50);
  return {
    ...first,
    file,
    run: (...args: string[]) => runOn(file, ...args),
    acknowledged,
    refused,
    endSending,
    /** Waits until events are refused. Returns how many were acknowledged since the call. */
    async untilRefused(statuses = [503]) {
      const before = acknowledged.length;
      await expect.poll(() => refused.length, { interval: 5 }).toBeGreaterThan(0);
      const seen = acknowledged.length;
      await setTimeout(300);
      expect(acknowledged.length).toBe(seen);
      expect(statuses).toEqual(expect.arrayContaining([...new Set(refused)]));
      return seen - before;
    },
    /** Resolves to the exit code. */
    exited: once(first.child, "exit").then(([code]): number | null => code),
    async ready() {
      const answer = await fetch(`${internalUrl}/readyz`);
      return { status: answer.status, text: await answer.text() };
    },
    /** Starts the service again, as a supervisor does. */
    async startAgain() {
      const again = await start();
      internalUrl = again.internalUrl;
      const count = acknowledged.length;
      await expect.poll(() => acknowledged.length).toBeGreaterThan(count + 20);
      return again;
    },
    async stop(child = first.child) {
      await endSending();
      const exited = child.exitCode === null ? once(child, "exit") : [child.exitCode];
      child.kill("SIGTERM");
      return (await exited)[0];
    },
  };
}

async function keptIn(file: string): Promise<Set<string>> {
  const storage = await openStorage(`sqlite:${file}`, { mustExist: true });
  try {
    const rows = await storage.query
      .selectFrom("log_entry")
      .select("entry")
      .where("kind", "=", logKinds.connections.number)
      .execute();
    return new Set(rows.map(({ entry }) => String(JSON.parse(entry).connection_id)));
  } finally {
    await storage.close();
  }
}

const missingIn = async (file: string, ids: readonly string[]): Promise<string[]> => {
  const kept = await keptIn(file);
  return ids.filter((id) => !kept.has(id));
};

// Each of three senders may have had one request in flight when the file disappeared.
const UNDER_WAY = 3;

describe("a database file that a service loses", () => {
  it("by deletion is saved and put back, and contains every acknowledged event after a restart", async () => {
    const service = await busyService();
    for (const suffix of ["", "-wal", "-shm"]) await rm(service.file + suffix, { force: true });
    expect(await service.untilRefused()).toBeLessThanOrEqual(UNDER_WAY);
    expect(await service.exited).toBe(1);
    expect(service.lines.join("\n")).toContain("All that it held was saved and is in its place again");
    expect((await readdir(join(service.file, ".."))).sort()).toEqual(["media.db", "media.db.key"]);
    const again = await service.startAgain();
    expect(await service.stop(again.child)).toBe(0);
    expect(await missingIn(service.file, service.acknowledged)).toEqual([]);
  });

  it("by a move is not written until it is moved back, and then used again at once", async () => {
    const service = await busyService();
    await rename(service.file, `${service.file}.away`);
    expect(await service.untilRefused()).toBeLessThanOrEqual(UNDER_WAY);
    const { status, text } = await service.ready();
    expect({ status, text }).toEqual({ status: 503, text: expect.stringContaining("Move it back to") });
    const count = service.acknowledged.length;
    await rename(`${service.file}.away`, service.file);
    await expect.poll(() => service.acknowledged.length, { interval: 20 }).toBeGreaterThan(count + 20);
    expect((await service.ready()).status).toBe(200);
    expect(await service.stop()).toBe(0);
    expect(await missingIn(service.file, service.acknowledged)).toEqual([]);
  });

  it("to another file in its place keeps all acknowledged events at its new path, and the other file is unchanged", async () => {
    const service = await busyService();
    const backup = `${service.file}.backup`;
    expect((await service.run("backup", backup)).code).toBe(0);
    await rename(service.file, `${service.file}.away`);
    await copyFile(backup, service.file);
    expect(await service.untilRefused()).toBeLessThanOrEqual(UNDER_WAY);
    expect((await service.ready()).text).toContain("Another file was put in the place of");
    await expect.poll(() => service.lines.join("\n")).toContain("holds all that was acknowledged");
    const acknowledged = [...service.acknowledged];
    service.child.kill("SIGTERM");
    expect(await service.exited).toBe(0);
    expect(await readFile(service.file)).toEqual(await readFile(backup));
    expect(await missingIn(`${service.file}.away`, acknowledged)).toEqual([]);
    const again = await service.startAgain();
    expect(await service.stop(again.child)).toBe(0);
    expect(await missingIn(service.file, service.acknowledged.slice(acknowledged.length))).toEqual([]);
  });

  it("to a backup copied over it is neither written nor read any more, and the backup stays intact", async () => {
    const service = await busyService();
    const backup = `${service.file}.backup`;
    expect((await service.run("backup", backup)).code).toBe(0);
    await copyFile(backup, service.file);
    expect(await service.untilRefused([500, 503])).toBeLessThanOrEqual(UNDER_WAY);
    expect((await service.ready()).text).toContain("Another database was written into");
    service.child.kill("SIGTERM");
    expect(await service.exited).toBe(0);
    await service.endSending();
    expect(await readFile(service.file)).toEqual(await readFile(backup));
    const { code, stderr } = await service.run("serve");
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("media.db-wal is not the log of") });
    // The message's instructions.
    await rename(`${service.file}-wal`, `${service.file}.old-wal`);
    await rm(`${service.file}-shm`, { force: true });
    expect((await service.run("projects", "list")).code).toBe(0);
  });

  it("by the deletion of its log loses nothing: the log is written into the file, and the service starts again", async () => {
    const service = await busyService();
    await rm(`${service.file}-wal`);
    expect(await service.untilRefused()).toBeLessThanOrEqual(UNDER_WAY);
    expect(await service.exited).toBe(1);
    const again = await service.startAgain();
    expect(await service.stop(again.child)).toBe(0);
    expect(await missingIn(service.file, service.acknowledged)).toEqual([]);
  });
});

it("a database that is missing next to its master key is created again only on request", async () => {
  const file = join(await temporaryFolder(), "data/media.db");
  const run = (...args: string[]) => runOn(file, ...args);
  expect((await run("projects", "create", "demo")).code).toBe(0);
  await rm(file);
  for (const [args, anew] of [
    [["serve"], "media-ops serve --new"],
    [["projects", "create", "demo"], "media-ops projects create demo --new"],
  ] as const) {
    const { code, stderr } = await run(...args);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(anew) });
  }
  expect(await readdir(join(file, ".."))).toEqual(["media.db.key"]);
  expect((await run("projects", "create", "demo", "--new")).code).toBe(0);
});

describe("a service that was killed", () => {
  it("refuses a damaged file, and says what to do", async () => {
    const service = await busyService();
    await expect.poll(() => service.acknowledged.length, { timeout: 20_000 }).toBeGreaterThan(300);
    await service.endSending();
    service.child.kill("SIGKILL");
    await service.exited;
    // Opening and closing the file merges its log.
    await openStorage(`sqlite:${service.file}`).then((storage) => storage.close());
    expect(existsSync(`${service.file}-wal`)).toBe(false);
    const bytes = await readFile(service.file);
    bytes.fill(0xa5, bytes.length - 5 * 4096, bytes.length - 4096);
    await writeFile(service.file, bytes);
    const { code, stderr } = await service.run("serve");
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/media\.db is damaged: .*restore/s) });
  });
});
