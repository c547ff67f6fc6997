import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { sql } from "kysely";
import { expect, it } from "vitest";
import { openStorage } from "../storage/open-storage.js";
import { temporaryFolder } from "../test/harness.js";

const ROUNDS = 50;
const built = import.meta.resolve("@media-ops/service");

/** Runs the service, appends entries as fast as they become durable, and says which of them were acknowledged. */
const program = `
  import { createLog, readConfig, startService } from ${JSON.stringify(built)};
  const service = await startService({ config: readConfig(process.env), log: createLog({ level: "silent" }) });
  let next = Number(process.env.FIRST_ID);
  const appendForever = async () => {
    for (;;) {
      const ids = Array.from({ length: 1 + (next % 20) }, () => next++);
      const entries = ids.map((id) => {
        const timestamp = new Date(Date.now() - (id % 1000)).toISOString();
        return { projectId: "demo", kind: "webhooks", timestamp, text: JSON.stringify({ timestamp, id }) };
      });
      await service.writer.append(entries);
      process.stdout.write(ids.join(" ") + "\\n");
    }
  };
  await Promise.all([appendForever(), appendForever(), appendForever(), appendForever()]);
`;

it(`loses nothing that was acknowledged, and has nothing twice, when it is killed ${ROUNDS} times while it writes`, async () => {
  const url = `sqlite:${await temporaryFolder()}/media.db`;
  const acknowledged: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const firstId = round * 1_000_000;
    const acknowledgements = 1 + Math.floor(Math.random() * 25);
    acknowledged.push(...(await writeUntilKilled(url, firstId, acknowledgements)));

    const storage = await openStorage(url);
    const { rows: faults } = await sql`pragma quick_check`.execute(storage.query);
    expect(faults).toEqual([{ quick_check: "ok" }]);
    const stored = await storage.query.selectFrom("log_entry").select("entry").execute();
    await storage.close();
    const ids = new Set(stored.map(({ entry }) => Number(JSON.parse(entry).id)));
    expect(ids.size).toBe(stored.length);
    expect(acknowledged.filter((id) => !ids.has(id))).toEqual([]);
  }
  expect(acknowledged.length).toBeGreaterThan(ROUNDS);
}, 300_000);

/** Gives what was acknowledged before the end came. */
async function writeUntilKilled(url: string, firstId: number, acknowledgements: number): Promise<number[]> {
  const child: ChildProcess = spawn(process.execPath, ["--input-type=module", "-e", program], {
    env: {
      ...process.env,
      MEDIA_DATABASE_URL: url,
      MEDIA_PORT: "0",
      MEDIA_INTAKE_PORT: "0",
      FIRST_ID: String(firstId),
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const ids: number[] = [];
  let lines = 0;
  if (!child.stdout) throw new Error("The child has no output.");
  for await (const line of createInterface({ input: child.stdout })) {
    ids.push(...line.split(" ").map(Number));
    lines += 1;
    if (lines === acknowledgements) child.kill("SIGKILL");
  }
  expect(await exited).toEqual([null, "SIGKILL"]);
  return ids;
}
