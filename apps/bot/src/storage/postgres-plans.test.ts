import { postgresUrl } from "@media-ops/testing";
import { sql } from "kysely";
import { expect, it } from "vitest";
import { RequestStore } from "../approvals/request-store.js";
import { openTestStorage } from "../test/storage.js";
import { migrations } from "./migrations.js";
import { sweep, sweepAll } from "./sweep.js";

/** Small tables that belong to no workspace. */
const OF_NO_WORKSPACE = ["bot_migrations", "bot_migrations_lock", "bot_setting", "claim", "oauth_state"];
/** Tables of workspaces that Citus does not distribute. */
const ON_THE_COORDINATOR = ["installation", "token_request", "watch_team"];

it("every key of a workspace's table starts with the workspace, so that its rows can be stored together", async () => {
  const { query } = await openTestStorage(await postgresUrl());
  const { rows } = await sql<{ name: string; first: string }>`
    select keyed.relname as name, attname as first
    from pg_index join pg_class as keyed on keyed.oid = indrelid
      join pg_attribute on attrelid = indrelid and attnum = indkey[0]
    where relnamespace = to_regnamespace(current_schema()) and indisunique
    order by name`.execute(query);
  const others = rows.filter(({ first }) => first !== "team_id").map(({ name }) => name);
  expect(others).toEqual(OF_NO_WORKSPACE);
  const led = rows.filter(({ first }) => first === "team_id").map(({ name }) => name);
  expect(led).toEqual([...migrations.distributed.names, ...ON_THE_COORDINATOR].sort());
});

it("what a bot asks every few seconds about the requests of all workspaces uses an index", async () => {
  const { database, query } = await openTestStorage(await postgresUrl());
  await query.connection().execute(async (connection) => {
    const requests = new RequestStore({ query: connection }, Date.now);
    await requests.lapse();
    await requests.failStuck();
    await requests.unshown();
    await sweepAll({ ...database, query: connection }, Date.now());
    const { rows: asked } = await sql<{ name: string; values: number }>`
      select name, cardinality(parameter_types) as values
      from pg_prepared_statements where statement like ${'%"token_request"%'}`.execute(connection);
    expect(asked).toHaveLength(4);
    // As on PostgreSQL without Citus, where plans don't depend on the values.
    await sql`set plan_cache_mode = force_generic_plan`.execute(connection);
    for (const { name, values } of asked) {
      const nulls = sql.join(Array.from({ length: values }, () => sql.lit(null)));
      const { rows } = await sql`explain (costs off) execute ${sql.id(name)} (${nulls})`.execute(connection);
      expect(JSON.stringify(rows)).toMatch(/Index Scan using token_request_(open|over) /);
    }
  });
});

it("a sweep in PostgreSQL does not wait for locked rows, and skips those that are being replaced", async () => {
  const { database, query } = await openTestStorage(await postgresUrl());
  await query
    .insertInto("claim")
    .values(["a", "b", "c"].map((hash) => ({ hash, until: 10 })))
    .execute();
  await query.transaction().execute(async (transaction) => {
    await transaction.updateTable("claim").set({ until: 90 }).where("hash", "=", "b").execute();
    expect(await sweep(database, "claim", 10)).toBe(false);
    expect(await query.selectFrom("claim").select("hash").execute()).toEqual([{ hash: "b" }]);
  });
  await sweep(database, "claim", 50);
  expect(await query.selectFrom("claim").selectAll().execute()).toEqual([{ hash: "b", until: 90 }]);
});
