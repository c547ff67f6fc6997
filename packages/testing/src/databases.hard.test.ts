import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Client } from "pg";
import { expect, inject, it, onTestFinished } from "vitest";
import { databaseUrl, postgresUrl } from "./databases.js";
import { takeServer } from "./server.js";

async function ask(url: string, statement: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}

const namesOf = async (): Promise<unknown[]> =>
  (await ask(inject("postgresUrl") ?? "", "select datname as name from pg_database")).map((row) => Object(row).name);

it("each database in PostgreSQL is new and empty", async () => {
  const [one, other] = [await postgresUrl(), await postgresUrl()];
  await ask(one, "create table note (text text)");
  await expect(ask(other, "table note")).rejects.toThrow('relation "note" does not exist');
  expect(await ask(one, "table note")).toEqual([]);
});

it("a database is removed even if a connection to it is still open", async () => {
  const clearances: (() => Promise<void>)[] = [];
  const url = await postgresUrl({ atEnd: (clear) => clearances.push(clear) });
  const connected = new Client({ connectionString: url });
  connected.on("error", () => {});
  await connected.connect();
  const name = new URL(url).pathname.slice(1);
  expect(await namesOf()).toContain(name);
  for (const clear of clearances) await clear();
  expect(await namesOf()).not.toContain(name);
});

it("a project without a database setting runs on SQLite", async () => {
  expect(await databaseUrl()).toMatch(/^sqlite:.+\.db$/);
  expect(await databaseUrl({ memory: true })).toBe("sqlite::memory:");
  expect(await databaseUrl({ file: "here.db" })).toBe("sqlite:here.db");
});

it("a server whose user must not create databases is refused with the reason", async () => {
  const server = inject("postgresUrl") ?? "";
  const role = `guest_${process.pid}`;
  await ask(server, `create role ${role} login password 'guest'`);
  onTestFinished(() => ask(server, `drop role ${role}`).then(() => {}));
  const url = new URL(server);
  [url.username, url.password] = [role, "guest"];
  await expect(takeServer(url.href)).rejects.toThrow(
    "server of TEST_POSTGRES_URL cannot be used: its user may not create databases.",
  );
});

it("an unreachable server is reported with the variable that names it", async () => {
  await expect(takeServer("postgres://127.0.0.1:1/none")).rejects.toThrow(
    /server of TEST_POSTGRES_URL cannot be used: .*ECONNREFUSED/,
  );
});

it("a started server ends when the process that started it is killed", async () => {
  const keeper = fork(fileURLToPath(new URL("../dist/keeper.js", import.meta.url)), { execArgv: [] });
  const [{ url, folder }] = await once(keeper, "message");
  expect(existsSync(folder)).toBe(true);
  // Differs from byte order, so that tests detect queries without an explicit byte order.
  const sorted = "select text from (values ('a'), ('B')) as given (text) order by text";
  expect(await ask(url, sorted)).toEqual([{ text: "a" }, { text: "B" }]);
  // As if this process had ended.
  keeper.disconnect();
  await once(keeper, "exit");
  expect(existsSync(folder)).toBe(false);
  await expect(ask(url, "select 1")).rejects.toThrow("ECONNREFUSED");
});
