import { openDatabase } from "@media-ops/database";
import { sql } from "kysely";
import { expect, it, onTestFinished } from "vitest";
import { type Notes, newUrl, noteMigrations, statement } from "../test/notes.js";

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
  await expect(database.check()).rejects.toMatchObject({ code: "moved", message: expect.stringMatching(/pg_restore/) });
  const insert = statement(database, "insert into note (text) values (?)", "one");
  await expect(database.writeAll([insert])).rejects.toMatchObject({ code: "moved" });
  expect(restarts).toEqual([]);
  await (await openDatabase<Notes>(url, options)).close();
  await expect(database.check()).rejects.toMatchObject({ code: "moved" });
  expect(restarts).toEqual([expect.stringMatching(/must be started again/)]);
  expect(changes).toHaveLength(2);
});
