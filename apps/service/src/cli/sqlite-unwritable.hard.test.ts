import { execFile } from "node:child_process";
import { chmod, chown, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../test/harness.js";
import { main, serve } from "./test/command-line.js";

const isRoot = process.getuid?.() === 0;
// The system refuses root nothing unless these capabilities are dropped.
const asUser = isRoot ? "setpriv --bounding-set=-all --inh-caps=-all" : "";
const ANOTHER_USER = 65_534;

// In blocks of 512 bytes: the least that SQLite needs to open a file, plus a little.
const LITTLE_ROOM = 65;

type Ran = { code: number; stderr: string };

/** A folder with a database that contains the project "demo". */
async function madeDatabase() {
  const folder = join(await temporaryFolder(), "data");
  await chmod(join(folder, ".."), 0o755);
  await mkdir(folder);
  const file = join(folder, "media.db");
  const env = { PATH: process.env.PATH, MEDIA_PORT: "0", MEDIA_INTAKE_PORT: "0", MEDIA_DATABASE_URL: `sqlite:${file}` };
  /** Runs a command of `media-ops`, with files limited to this many blocks of 512 bytes. */
  const run = (args: readonly string[], blocks: number | "unlimited" = "unlimited"): Promise<Ran> =>
    new Promise((resolve) => {
      const command = ["-c", `ulimit -f ${blocks}; exec ${asUser} "$0" "$@"`, process.execPath, main, ...args];
      execFile("/bin/sh", command, { cwd: "/", env }, (error, _, stderr) =>
        resolve({ code: typeof error?.code === "number" ? error.code : 0, stderr }),
      );
    });
  expect(await run(["projects", "create", "demo"])).toEqual({ code: 0, stderr: "" });
  /** Runs commands in limited space until there is no room for any of them. */
  const fill = async (): Promise<void> => {
    // A row may need a new page or not, so all are tried twice.
    for (let at = 0, refusals = 0; refusals < 2; at++) {
      if (at === 20) throw new Error("There is room still.");
      let isFull = true;
      for (const args of writers(at)) if ((await run(args, LITTLE_ROOM)).code === 0) isFull = false;
      refusals = isFull ? refusals + 1 : 0;
    }
  };
  return { folder, file, env, run, fill };
}

const create = ["projects", "create", "more"];
const writers = (nth: number): readonly (readonly string[])[] => [
  ["projects", "create", `more-${nth}`],
  ["keys", "create", "demo"],
  ["intake-keys", "create", "tokyo"],
  ["webhooks", "set", "demo", "event", "https://receiver.example/hooks"],
];

/** Expects a command to fail with these words, and without a stack. */
async function expectRefused(ran: Promise<Ran>, words: RegExp): Promise<void> {
  const { code, stderr } = await ran;
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(words) });
  expect(stderr.trimEnd().split("\n")).toHaveLength(1);
}

describe("a command that cannot write explains why, and what to do,", () => {
  it("if no space is left", async () => {
    const { run } = await madeDatabase();
    await expectRefused(run(create, 8), /media\.db could not be opened: .*disk is full.*Make room/);
  });

  it("if too little space is left; a service that starts then is not ready, and still stops cleanly", async () => {
    const { env, run, fill } = await madeDatabase();
    await fill();
    const words = /media\.db cannot be used now: .*disk is full.*Make room/;
    await Promise.all(writers(99).map((args) => expectRefused(run(args, LITTLE_ROOM), words)));
    const { end, internalUrl } = await serve({ cwd: "/", env }, `ulimit -f ${LITTLE_ROOM}`);
    const response = await fetch(`${internalUrl}/readyz`);
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({
      detail: expect.stringMatching(/^Not ready: .*disk is full.*Make room/),
    });
    expect(await end()).toEqual([0, null]);
  });

  it("if the file is read-only", async () => {
    const { run, file } = await madeDatabase();
    await chmod(file, 0o400);
    await expectRefused(run(create), /media\.db cannot be used now: it may not be written.*must own the file/);
    if (!isRoot) return;
    // The file may also belong to another user, and then cannot even be read.
    await chown(file, ANOTHER_USER, ANOTHER_USER);
    await expectRefused(run(create), /media\.db could not be opened: .*must own the file/);
  });

  it("if the folder is read-only", async () => {
    const { run, folder } = await madeDatabase();
    await chmod(folder, 0o500);
    await expectRefused(
      run(create),
      /media\.db could not be opened: .*may not be written|cannot be opened.*may make files/,
    );
    expect((await readdir(folder)).sort()).toEqual(["media.db", "media.db.key"]);
  });
});
