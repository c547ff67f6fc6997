import { once } from "node:events";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Storage } from "../storage/open-storage.js";
import { callWithin, pathOf } from "../test/harness.js";
import { commandLine, serve } from "./test/command-line.js";

/** A service that was backed up after two calls, and killed after two more. */
async function crashedService() {
  // As in the harness: other tests may take the processor.
  const made = await commandLine({ MEDIA_MAX_LAG_MS: "0" });
  const backup = join(made.folder, "backup.db");
  const { api_key: key } = await made.json("projects", "create", "demo");
  const { child, url } = await serve(made.options);
  const call = async (times: number): Promise<void> => {
    for (let at = 0; at < times; at++) await callWithin(url, pathOf.createAccessToken, { key });
  };
  const entries = async (): Promise<number> => (await made.inDatabase(entriesIn)).length;
  await call(2);
  await expect.poll(entries).toBe(2);
  await made.json("backup", backup);
  await call(2);
  await expect.poll(entries).toBe(4);
  child.kill("SIGKILL");
  await once(child, "exit");
  expect((await stat(join(made.folder, "data/media.db-wal"))).size).toBeGreaterThan(0);
  return { ...made, key, backup, data: join(made.folder, "data") };
}

const entriesIn = ({ query }: Storage) => query.selectFrom("log_entry").selectAll().execute();

describe("a backup restored after a kill", () => {
  it("contains the same data, and the service continues with it", async () => {
    const { run, json, options, data, key, backup } = await crashedService();
    const { kept } = await json("restore", backup);
    expect(kept).toEqual([expect.stringMatching(/data\/media\.db\.before-restore-\d{4}-\d\d-\d\dT/)]);
    expect((await readdir(data)).sort()).toEqual(["media.db", "media.db.key", kept[0].slice(data.length + 1)].sort());
    for (const name of await readdir(data)) expect((await stat(join(data, name))).mode & 0o777).toBe(0o600);
    const { url } = await serve(options);
    const { body, text } = await callWithin(url, pathOf.listApiLogs, { key });
    expect(body, text).toHaveLength(2);
    // A database in use is not replaced.
    expect(await run("restore", backup)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/media\.db is in use\. Nothing was changed/),
    });
  });
});
