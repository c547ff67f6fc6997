import { open } from "node:fs/promises";
import { sql } from "kysely";
import { describe, expect, it, onTestFinished } from "vitest";
import { pathOf, temporaryFolder } from "../test/harness.js";
import { connectionDestroyed, connectionOf } from "../test/media-events.js";
import { startIntake, type TestIntake } from "../test/receiver.js";
import { openStorage } from "./open-storage.js";

const PAGE_BYTES = 4096;

/** A file in which one table's first page is overwritten. */
async function damagedFile(table: string): Promise<string> {
  const file = `${await temporaryFolder()}/media.db`;
  // Closed cleanly, so that the next service has no reason to check the file.
  const storage = await openStorage(`sqlite:${file}`, { watcher: { note() {}, changed() {}, restart() {} } });
  const { rows } = await sql<{
    page: number;
  }>`select rootpage as page from sqlite_schema where name = ${table}`.execute(storage.query);
  await storage.close();
  const handle = await open(file, "r+");
  await handle.write(Buffer.alloc(PAGE_BYTES, 0xff), 0, PAGE_BYTES, ((rows[0]?.page ?? 0) - 1) * PAGE_BYTES);
  await handle.close();
  return file;
}

/** A service that uses a file, and may fail to write its last entries when it stops. */
const startOn = (file: string): Promise<TestIntake> =>
  startIntake({
    env: { MEDIA_DATABASE_URL: `sqlite:${file}` },
    atEnd: (stop) => onTestFinished(() => stop().catch(() => {})),
  });

const sendEvent = ({ send }: Pick<TestIntake, "send">) => send("event", connectionDestroyed(connectionOf()));

async function readiness({ service }: Pick<TestIntake, "service">) {
  const response = await fetch(`${service.internalUrl}/readyz`);
  const { detail } = JSON.parse(await response.text());
  return { status: response.status, detail };
}

describe("a service whose file is damaged", () => {
  it("acknowledges nothing once the damage is detected, refuses all calls, and logs the reason without a stack for each", async () => {
    const intake = await startOn(await damagedFile("quarantine"));
    expect((await sendEvent(intake)).status).toBe(200);
    expect((await intake.call(pathOf.createAccessToken)).status).toBe(200);
    // A refused event is stored in the damaged table.
    expect((await intake.send("event", { type: 5 })).status).toBe(503);
    const answers = await Promise.all([
      ...Array.from({ length: 20 }, () => sendEvent(intake)),
      intake.send("session", {}),
      intake.call(pathOf.listConnectionLogs),
      intake.call(pathOf.listSessionLogs),
    ]);
    for (const { status, headers } of answers) {
      expect({ status, retryAfter: Number(headers.get("retry-after")) > 0 }).toEqual({ status: 503, retryAfter: true });
    }
    expect(await readiness(intake)).toEqual({
      status: 503,
      detail: expect.stringMatching(/^Not ready: The database .*media\.db is damaged .*restore a backup/),
    });
    // A token for a known key needs no database.
    expect((await intake.call(pathOf.createAccessToken)).status).toBe(200);
    const lines = intake.logged().trim().split("\n");
    const refused = lines.filter((line) => line.includes('"request_id"') && !line.includes('"level":"debug"'));
    expect(refused.length).toBeGreaterThanOrEqual(answers.length);
    for (const line of refused) {
      expect(line).toMatch(/"reason":".*The database .* is damaged/);
      expect(line).not.toContain('"stack"');
    }
  });
});

describe("/readyz", () => {
  const limit = ({ service }: TestIntake, pages: number) =>
    service.storage.query.transaction().execute((all) => sql.raw(`pragma max_page_count = ${pages}`).execute(all));
  const tried = async ({ service }: TestIntake): Promise<number> => {
    const counter = service.storage.query.selectFrom("counter").select("value").where("name", "=", "tried");
    return (await counter.executeTakeFirst())?.value ?? 0;
  };

  it("attempts a write if no other has succeeded yet, and not again for each probe", async () => {
    const intake = await startOn(`${await temporaryFolder()}/media.db`);
    const probes = await Promise.all(Array.from({ length: 10 }, () => readiness(intake)));
    expect(probes.map(({ status }) => status)).toEqual(Array(10).fill(200));
    for (let probe = 0; probe < 10; probe++) await readiness(intake);
    expect(await tried(intake)).toBe(1);
  });

  it("attempts no write while events are written", async () => {
    const intake = await startOn(`${await temporaryFolder()}/media.db`);
    expect((await sendEvent(intake)).status).toBe(200);
    expect((await readiness(intake)).status).toBe(200);
    expect(await tried(intake)).toBe(0);
  });

  it("reports a full disk, and is ready again once there is space", async () => {
    const intake = await startOn(`${await temporaryFolder()}/media.db`);
    await limit(intake, 1);
    // Events are accepted until the existing pages of the file are full.
    const fill = async (): Promise<number> => (await sendEvent(intake)).status;
    await expect.poll(fill, { interval: 1 }).toBe(503);
    expect(intake.logged()).toMatch(/its disk is full \(SQLITE_FULL\)\. Make room/);
    await limit(intake, 1_000_000);
    await expect.poll(async () => (await readiness(intake)).status).toBe(200);
    expect((await sendEvent(intake)).status).toBe(200);
  });
});
