import { postgresUrl } from "@media-ops/testing";
import { startPostgresProxy } from "@media-ops/testing/postgres-proxy";
import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { insertNote, openNotes, refusal, textsOf } from "../test/notes.js";
import { expectNoPassword, expectUnavailable, urlWithPassword } from "../test/postgres-fault.js";

type NotesDatabase = Awaited<ReturnType<typeof openNotes>>;

const withParameter = (url: string, parameter: string): string => `${url}${url.includes("?") ? "&" : "?"}${parameter}`;

const wait = (database: NotesDatabase, seconds: number) => sql`select pg_sleep(${seconds})`.execute(database.query);

/** An observer with connections of its own, which are neither counted nor cut. */
async function openObserver(url: string) {
  const { query } = await openNotes(withParameter(url, "application_name=observer&connections=2"));
  const others = sql`pg_stat_activity where datname = current_database() and application_name = 'media-ops'`;
  return {
    async count(state: "active" | "idle" | "idle in transaction" | "%"): Promise<number> {
      const { rows } = await sql<{ n: number }>`select count(*) as n from ${others} and state like ${state}`.execute(
        query,
      );
      return rows[0]?.n ?? 0;
    },
    /** Cuts all connections except its own. */
    async cut(): Promise<void> {
      await sql`select pg_terminate_backend(pid) from ${others}`.execute(query);
    },
  };
}

describe("cut connections", () => {
  it("fail running requests of every kind, and the next request succeeds", async () => {
    const url = await urlWithPassword();
    const [database, observer] = [await openNotes(url), await openObserver(url)];
    const asked = [
      wait(database, 60),
      database.query.transaction().execute((transaction) => sql`select pg_sleep(60)`.execute(transaction)),
      database.writeAll([
        { sql: "insert into note (text) values ('lost')", parameters: [] },
        { sql: "select pg_sleep(60)", parameters: [] },
      ]),
    ];
    const failing = Promise.all(asked.map((one) => expectUnavailable(one, url)));
    await expect.poll(() => observer.count("active")).toBe(3);
    await observer.cut();
    await failing;
    expect(await textsOf(database)).toEqual([]);
    await database.writeAll([{ sql: "insert into note (text) values ('kept')", parameters: [] }]);
    expect(await textsOf(database)).toEqual(["kept"]);
  });

  it("are replaced without an error if they are idle", async () => {
    const url = await urlWithPassword();
    const [database, observer] = [await openNotes(url), await openObserver(url)];
    await Promise.all(Array.from({ length: 8 }, () => wait(database, 0.05)));
    await expect.poll(() => observer.count("idle")).toBe(8);
    await observer.cut();
    await expect.poll(() => observer.count("%")).toBe(0);
    // The process notices a moment after the server has cut the connections.
    await expect.poll(() => textsOf(database).catch(() => "not yet")).toEqual([]);
    expect(await Promise.all(Array.from({ length: 20 }, () => textsOf(database)))).toEqual(Array(20).fill([]));
  });

  it("after the last statement of a transaction fail it: it is not reported as committed", async () => {
    const url = await urlWithPassword();
    const [database, observer] = [await openNotes(url), await openObserver(url)];
    const failing = database.query.transaction().execute(async (transaction) => {
      await transaction.insertInto("note").values({ text: "lost" }).execute();
      await observer.cut();
      await expect.poll(() => observer.count("%")).toBe(0);
    });
    await expectUnavailable(failing, url);
    expect(await textsOf(database)).toEqual([]);
  });
});

describe("a server that is unreachable", () => {
  it("fails all requests at once, and answers them when it is back", async () => {
    const url = await urlWithPassword();
    const proxy = await startPostgresProxy(url);
    const database = await openNotes(proxy.url);
    await insertNote(database, "before");
    const underWay = expectUnavailable(wait(database, 60), url);
    await proxy.close();
    await underWay;
    const before = performance.now();
    await expectUnavailable(textsOf(database), url);
    await expectUnavailable(database.writeAll([{ sql: "select 1", parameters: [] }]), url);
    await expectUnavailable(
      database.query.transaction().execute(async () => {}),
      url,
    );
    await Promise.all(Array.from({ length: 30 }, () => expectUnavailable(textsOf(database), url)));
    expect(performance.now() - before).toBeLessThan(15_000);
    await proxy.open();
    expect(await textsOf(database)).toEqual(["before"]);
    await insertNote(database, "after");
    expect(await textsOf(database)).toEqual(["before", "after"]);
  });
});

describe("a server that is silent", () => {
  it("times out, and is queried again when it responds", async () => {
    const url = await urlWithPassword();
    const proxy = await startPostgresProxy(url);
    const database = await openNotes(withParameter(proxy.url, "query_timeout=500"));
    await insertNote(database, "before");
    proxy.silence(true);
    await Promise.all([
      expectUnavailable(textsOf(database), url),
      expectUnavailable(database.writeAll([{ sql: "select 1", parameters: [] }]), url),
      expectUnavailable(
        database.query.transaction().execute((transaction) => sql`select 1`.execute(transaction)),
        url,
      ),
    ]);
    proxy.silence(false);
    expect(await textsOf(database)).toEqual(["before"]);
  });
});

describe("connections", () => {
  it("never exceed the limit in the URL under load, and all requests succeed", async () => {
    const url = await postgresUrl();
    const [database, observer] = [await openNotes(withParameter(url, "connections=4")), await openObserver(url)];
    let most = 0;
    let isDone = false;
    const asked = Promise.all(Array.from({ length: 60 }, () => wait(database, 0.02))).then(() => {
      isDone = true;
    });
    while (!isDone) most = Math.max(most, await observer.count("%"));
    await asked;
    expect(most).toBe(4);
  });

  it("with an outdated statement of a changed table are not reused", async () => {
    const database = await openNotes(withParameter(await postgresUrl(), "connections=2"));
    const read = () => database.query.selectFrom("note").selectAll().execute();
    await Promise.all([read(), read()]);
    await sql`alter table note add column more text`.execute(database.query);
    await Promise.allSettled([read(), read()]);
    expect(await Promise.all([read(), read()])).toEqual([[], []]);
  });
});

it("a query that runs too long times out, as does one that waits too long for a lock", async () => {
  const url = await urlWithPassword();
  const database = await openNotes(url);
  const slow = database.query.transaction().execute(async (transaction) => {
    await sql`set local statement_timeout = 50`.execute(transaction);
    await sql`select pg_sleep(10)`.execute(transaction);
  });
  await expectUnavailable(slow, url);
  await insertNote(database, "one");
  await database.query.transaction().execute(async (transaction) => {
    await transaction.updateTable("note").set({ text: "mine" }).execute();
    const locked = database.query.transaction().execute(async (other) => {
      await sql`set local lock_timeout = 50`.execute(other);
      await other.updateTable("note").set({ text: "theirs" }).execute();
    });
    await expectUnavailable(locked, url);
  });
  expect(await textsOf(database)).toEqual(["mine"]);
});

it("a wrong password is reported, but not shown", async () => {
  const url = await urlWithPassword();
  const wrong = new URL(url);
  [wrong.username, wrong.password] = ["nobody_of_this_name", "correct-horse"];
  const error = await openNotes(wrong.href).catch((thrown) => thrown);
  expect(error).toMatchObject(refusal("open", /nobody_of_this_name/));
  expectNoPassword(error, wrong.href);
});
