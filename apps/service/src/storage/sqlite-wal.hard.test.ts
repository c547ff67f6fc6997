import { lookAtDatabase } from "@media-ops/database";
import { databaseUrl } from "@media-ops/testing";
import { sql } from "kysely";
import { expect, it } from "vitest";
import { startTestService } from "../test/harness.js";
import { migrations } from "./migrations.js";
import type { Tables } from "./tables.js";

const MIB = 2 ** 20;

it("the write-ahead log grows while another program keeps a transaction open, as its metric shows, and shrinks afterwards", async () => {
  const url = await databaseUrl();
  const { service } = await startTestService({ env: { MEDIA_DATABASE_URL: url } });
  const { storage } = service;
  await sql`create table filler (bytes blob)`.execute(storage.query);
  const write = async (mib: number): Promise<void> => {
    for (let written = 0; written < mib; written++) {
      await storage.writeAll([{ sql: `insert into filler values (zeroblob(${MIB}))`, parameters: [] }]);
    }
  };
  const walMib = async (): Promise<number> => {
    const text = await (await fetch(`${service.internalUrl}/metrics`)).text();
    return Number(/^media_sqlite_wal_bytes (\S+)$/m.exec(text)?.[1]) / MIB;
  };

  await write(30);
  expect(await walMib()).toBeLessThan(20);

  const outsider = await lookAtDatabase<Tables>(url, { owner: "service", migrations });
  await sql`begin`.execute(outsider.query);
  await outsider.query.selectFrom("project").selectAll().execute();
  await write(80);
  expect(await walMib()).toBeGreaterThan(80);

  await sql`commit`.execute(outsider.query);
  await outsider.close();
  // The first commit writes the log back, the second restarts it.
  await write(2);
  expect(await walMib()).toBe(64);
});
