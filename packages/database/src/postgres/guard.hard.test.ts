import { lookAtDatabase, openDatabase } from "@media-ops/database";
import { type Migration, sql } from "kysely";
import { expect, it, onTestFinished } from "vitest";
import { type Notes, newUrl, noteMigrations, openNotes, refusal, statement } from "../test/notes.js";

const options = { owner: "test", migrations: noteMigrations };

it("a PostgreSQL database whose tables are dropped accepts no writes, and another one in its place requires a restart", async () => {
  const url = await newUrl("PostgreSQL");
  const changes: (string | undefined)[] = [];
  const restarts: string[] = [];
  const database = await openDatabase<Notes>(url, {
    ...options,
    watcher: {
      note: () => {},
      changed: (error) => changes.push(error?.message),
      restart: ({ message }) => restarts.push(message),
    },
  });
  onTestFinished(() => database.close());
  await expect(database.check()).resolves.toBeUndefined();
  await sql`drop table note, test_migrations, test_migrations_lock`.execute(database.query);
  await expect(database.check()).rejects.toMatchObject(refusal("moved", /pg_restore/));
  const insert = statement(database, "insert into note (text) values (?)", "one");
  await expect(database.writeAll([insert])).rejects.toMatchObject({ code: "moved" });
  expect(restarts).toEqual([]);
  await (await openDatabase<Notes>(url, options)).close();
  await expect(database.check()).rejects.toMatchObject({ code: "moved" });
  expect(restarts).toEqual([expect.stringMatching(/must be started again/)]);
  expect(changes).toHaveLength(2);
});

it("a PostgreSQL that may lose commits is reported, with its settings", async () => {
  const url = await newUrl("PostgreSQL");
  const { query } = await openNotes(url);
  await sql`alter database ${sql.id(new URL(url).pathname.slice(1))} set synchronous_commit = off`.execute(query);
  const glimpse = await lookAtDatabase<Notes>(url, options);
  onTestFinished(() => glimpse.close());
  await expect(glimpse.describe()).rejects.toMatchObject(
    refusal("unsafe", /set to lose what was written.*: .*synchronous_commit = off\. Switch that on\./),
  );
});

it("a migration in PostgreSQL has no timeout, while a query has one", async () => {
  const timeout = sql<{ statement_timeout: string }>`show statement_timeout`;
  const url = await newUrl("PostgreSQL");
  const during: unknown[] = [];
  const look: Migration = {
    async up(db) {
      during.push(...(await timeout.execute(db)).rows);
    },
  };
  const { query } = await openNotes(url, { "002-look": look });
  expect(during).toEqual([{ statement_timeout: "0" }]);
  expect((await timeout.execute(query)).rows).not.toEqual(during);
});
