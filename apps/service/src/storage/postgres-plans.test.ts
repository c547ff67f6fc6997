import { randomUUID } from "node:crypto";
import { databaseUrl } from "@media-ops/testing";
import { sql } from "kysely";
import { expect, it } from "vitest";
import { Listings } from "../logs/listings.js";
import { batchNames, type LogName, logKinds } from "../logs/log-store.js";
import { unhurried } from "../reads/along.js";
import { LogIndexer } from "../search/log-indexer.js";
import { SegmentStore } from "../search/segment-store.js";
import { openLogs, openQueue } from "../stores.js";
import { pathOf } from "../test/harness.js";
import { SMALL_SIZES } from "../test/indexed-logs.js";
import {
  connectionCreated,
  connectionDestroyed,
  connectionFailed,
  connectionOf,
  sessionDestroyed,
  sessionVanished,
} from "../test/media-events.js";
import { type Planned, plansOf, type Step } from "../test/plans.js";
import { startIntake, startReceiver, type TestIntake } from "../test/receiver.js";
import { sweepTokens } from "../tokens/issued-tokens.js";
import { openStorage, type Storage } from "./open-storage.js";

const CONNECTIONS = 2;
const DAY_MS = 24 * 60 * 60 * 1000;
// PostgreSQL's default settings.
const FREE = [
  "plan_cache_mode = auto",
  "enable_seqscan = on",
  "enable_bitmapscan = on",
  "enable_sort = on",
  "enable_incremental_sort = on",
];

/** Statements whose rows must be read in order, without sorting. */
const inOrder = [
  /string_agg\(entry/,
  /^select entry, seq from log_entry/,
  /^select at, seq, entry from log_entry where .* order by at asc, seq asc limit/,
  /^select at, seq, entry from log_entry where .* order by at desc, seq desc limit/,
  /^select from_at .* from log_segment where/,
  /from "delivery" where "project_id" = \$1 and exists .* and "next_at" <= /,
  /from "delivery" where "project_id" = \$1 and exists .* and "resend_at" is not null/,
  /from "token_batch" where .* order by "second" desc, "batch_id" desc limit/,
  /^update "delivery" set "next_at" = .* in \(select "delivery_id" from "delivery" where .* case tries/,
  /^update "delivery_queue" set "owner" = \$1, "owned_until" = \$2 where "project_id" in \(select/,
];
/** Frequent statements, each matched by a part, so that none is left out unnoticed. */
const askedOften = [
  ...inOrder,
  /from log_head/,
  /insert into log_entry/,
  /insert into last_batch/,
  /from project where project_id .* for no key update|pg_advisory_xact_lock/,
  /as asked \(channel_id, since, place\)/,
  /insert into seat/,
  /insert into ended/,
  /delete from seat using/,
  /select found\.at, found\.seq, found\.entry from "log_entry" as found/,
  /select found\.part, found\.data from "log_part" as found/,
  /select at, seq from log_late/,
  /^update log_head set sealed_at/,
  /^delete from log_segment/,
  /^insert into log_part/,
  /^delete from log_late/,
  /from "seat" where "connection_id"/,
  /from "seat" where "node_name"/,
  /json_object_agg\(role, number\)/,
  /from "seat" where .* order by at desc, connection_id limit/,
  /insert into delivery /,
  /insert into delivery_queue/,
  /^update delivery set/,
  /min\(next_at\)/,
  /from "api_key"/,
  /from "intake_key"/,
  /insert into "token_batch"/,
  /from "token_batch" where .*"jwt_id" = /,
  /^delete from "token_batch"/,
  /insert into "token_revocation"/,
  /insert into "audit_entry"/,
  /from "audit_entry" where "project_id"/,
  /from "token_revocation" where "version" >/,
];
/** Rare statements for all projects at once, which may scan a whole table. */
const chores = [
  /^select distinct "project_id" from "seat" where "until"/,
  /^select distinct project_id from last_batch/,
  /^delete from "?\w+_early/,
  /^delete from "audit_entry"/,
  /^delete from "token_revocation"/,
  // The newest entry of any log: read once, when a database has no record of its clock yet.
  /from "log_head" as "head" order by "head"."seq" desc/,
];
/** Statements about all projects, which run in all shards if the tables are distributed. */
const aboutAll = [
  ...chores,
  // An event that names no channel, and a node that is gone.
  /from "seat" where "connection_id" = /,
  /^select distinct "project_id" from "seat" where "node_name" = /,
  // What the indexer and the sweeps have to do: every few seconds to hours.
  /^select "project_id", "kind", count\(\*\) as "entries" from "log_late" group by/,
  /from "log_head" where \("project_id", "kind"\) > .* limit/,
  /^select distinct "project_id" from "(refused_client|delivery)"/,
  /^select project_id from "\w+_early" where/,
];
const listing =
  /from log_entry where project_id = \$\d and kind = \$\d and at >= \$\d order by at desc, seq desc limit/;
const backwards: Partial<Step> = {
  kind: "Index Scan",
  direction: "Backward",
  condition: expect.stringMatching(/project_id = .*kind = .*at >= /),
};

it("every query of the service uses an index or one shard, and listings are read in order, without sorting", async () => {
  const url = `${await databaseUrl()}?connections=${CONNECTIONS}`;
  await makeDays(url);
  const intake = await startIntake({ env: { MEDIA_DATABASE_URL: url } });
  const { storage } = intake.service;
  await askAll(intake);
  if (storage.isDistributed) {
    await expectOneShard(storage);
    return;
  }
  await fill(storage);

  // A new table has no statistics, and PostgreSQL assumes that all tables are small.
  for (const statistics of ["none", "right"]) {
    if (statistics === "right") await sql`analyze`.execute(storage.query);
    const plans = await plansOf(storage, { connections: CONNECTIONS });
    const asked = plans.map(({ statement }) => statement);
    for (const part of askedOften) expect(asked).toContainEqual(expect.stringMatching(part));
    expect(plans.filter(readsAll).map(({ statement }) => statement)).toEqual([]);
    const ordered = plans.filter(({ statement }) => inOrder.some((part) => part.test(statement)));
    for (const { statement, steps } of ordered) expect(steps.filter(isSort), statement).toEqual([]);
  }

  // The index provides the order even without the connection's settings.
  const log = ["'demo'", "5"];
  const plansFor = (of: RegExp, values: string[]) =>
    plansOf(storage, { connections: CONNECTIONS, settings: FREE, of, values: [...values, "'2000-01-01'"] });
  const free = [
    ...(await plansFor(/string_agg\(entry.* from log_entry/, [...log, ...log])),
    ...(await plansFor(/^select entry, seq from log_entry/, log)),
  ];
  expect(free).toHaveLength(2);
  for (const { statement, steps } of free) {
    expect(steps.filter(isSort), statement).toEqual([]);
    const days = steps.filter(({ relation }) => relation?.startsWith("log_entry"));
    expect(days.length).toBeGreaterThan(30);
    expect(days).toEqual(days.map(() => expect.objectContaining(backwards)));
  }
});

/** Expects every statement about one project to run in one shard. There, indexes are chosen by statistics. */
async function expectOneShard(storage: Storage): Promise<void> {
  const plans = await plansOf(storage, { connections: CONNECTIONS });
  const asked = plans.map(({ statement }) => statement);
  for (const part of askedOften) expect(asked).toContainEqual(expect.stringMatching(part));
  const inSeveral = plans.filter(({ shards = 1 }) => shards > 1).map(({ statement }) => statement);
  expect(inSeveral.filter((statement) => !aboutAll.some((one) => one.test(statement)))).toEqual([]);
  const search = [/from log_segment where/, /from "log_part" as found/, /select found\.at, found\.seq, found\.entry/];
  for (const part of [listing, ...search, /insert into log_entry/]) {
    const found = plans.filter(({ statement }) => part.test(statement));
    expect(found.map(({ statement, shards }) => ({ statement, shards }))).toEqual(
      found.map(({ statement }) => ({ statement, shards: 1 })),
    );
    expect(found, String(part)).not.toEqual([]);
  }
}

const readsAll = ({ statement, steps }: Planned): boolean =>
  steps.some(({ kind, relation }) => /Seq Scan|Bitmap/.test(kind) && relation !== undefined) &&
  !chores.some((chore) => chore.test(statement));

const isSort = ({ kind }: Step): boolean => /Sort|Merge Append/.test(kind);

/** Creates partitions as if the service had run for a month. */
async function makeDays(url: string): Promise<void> {
  const storage = await openStorage(url);
  for (let ago = 30; ago > 0; ago -= 6) await openLogs(storage, () => Date.now() - ago * DAY_MS);
  await storage.close();
}

/** Makes the service run all its queries for events, deliveries and listings. */
async function askAll(intake: TestIntake): Promise<void> {
  const { send, call, service, clock } = intake;
  const receiver = await startReceiver(({ body }) => ({ status: body.type === "connection.created" ? 500 : 200 }));
  await intake.setAddress("event", receiver.url);
  await intake.allowAnonymous();
  const connection = connectionOf();
  const { connectionId, channelId } = connection;
  await send("auth", { channel_id: channelId, connection_id: connectionId, role: "sendrecv" });
  await send("event", connectionCreated(connection));
  await send("event", connectionFailed(connectionOf()));
  await send("event", connectionDestroyed(connection));
  await send("session", sessionDestroyed(connection));
  const timestamp = new Date(clock.now()).toISOString();
  await send("session", sessionVanished("node-1", timestamp));
  await expect.poll(async () => (await intake.tries()).length).toBeGreaterThan(1);
  await call(pathOf.listWebhookLogs);
  await send("event", connectionCreated(connectionOf()));
  for (const body of [{}, { channel_id: channelId }]) await call(pathOf.listLiveChannels, { body });

  await call(pathOf.createAccessToken);
  const jwtId = randomUUID();
  const acts: [string, object][] = [
    [pathOf.listAccessTokens, {}],
    [pathOf.listAccessTokens, { jwt_id: jwtId }],
    [pathOf.revokeAccessToken, { jwt_id: jwtId }],
    [pathOf.revokeAccessToken, { channel_id: channelId }],
    [pathOf.listAccessTokenRevocations, {}],
    [pathOf.listDeliveries, {}],
    [pathOf.resendDeliveries, { since: timestamp }],
    [pathOf.listWebhookEndpoints, {}],
    [pathOf.listAuditLog, {}],
  ];
  for (const [path, body] of acts) expect(await call(path, { body })).toMatchObject({ status: 200 });

  const { store, storage } = service;
  const old = { project_id: "demo", second: 0, batch_id: "old", last_end: 0, tokens: "[]" };
  await storage.query.insertInto("token_batch").values(old).execute();
  await sweepTokens(storage.query, clock.now(), new AbortController().signal);
  const entry = { projectId: "demo", kind: "webhooks", timestamp, text: "{}" } as const;
  const nextBatch = batchNames();
  const listings = new Listings(storage, clock.now);
  for (const batch of [undefined, nextBatch()]) {
    await store.append([entry], batch);
    await listings.list("demo", "webhooks");
  }
  await searchIn(storage, clock.now() + DAY_MS);
  const queue = openQueue(storage, { owner: "test", now: clock.now });
  const name = { projectId: "demo", deliveryId: "none" };
  const outcome = {
    ...name,
    state: "delivered",
    tries: 1,
    nextAt: null,
    status: 200,
    fault: null,
    triedAt: 0,
  } as const;
  await queue.settle([{ outcome, entry }], nextBatch());
  const due = storage.query.updateTable("delivery_queue").set({ due_at: 0, owned_until: 0 });
  await due.where("project_id", "=", "demo").execute();
  await queue.claim();
  await queue.renew(["demo"]);
  await queue.retry([name]);
  await queue.resend([name], clock.now());
  await queue.dueAgain("demo");
  await queue.bringForward(new AbortController().signal);
  await queue.remove([name]);
  await queue.giveUp("demo", "none");
}

/** Indexes a log, and reads all that a search reads. */
async function searchIn(storage: Storage, now: number): Promise<void> {
  const log: LogName = ["demo", logKinds.connections.number];
  const sizes = { ...SMALL_SIZES, smallest: 1 };
  const indexer = new LogIndexer({ database: storage, write: (all) => storage.writeAll(all), now: () => now, sizes });
  for (let times = 0; times < 2; times++) await indexer.indexLog(log);
  const reader = new SegmentStore(storage);
  const all = { from: "", until: "~" };
  const segments = await reader.segments(log, all, "newest", 10);
  expect(segments).toHaveLength(1);
  for (const segment of segments) await reader.column(log, segment, "channel_id", unhurried.pause);
  await reader.rollups(log, segments);
  await reader.postings(log, segments, "channel_id", ["lobby@demo"]);
  for (const order of ["newest", "oldest"] as const) {
    await reader.late(log, all, order);
    const [row] = await reader.rows(log, all, order, 10);
    await reader.rows(log, all, order, 10, row);
    await reader.rowsAt(log, [row?.at ?? ""], order);
  }
}

/** Inserts many rows of many projects, and ten days of a log. */
async function fill({ query }: Storage): Promise<void> {
  const now = Date.now();
  const later = now + DAY_MS;
  const statements = [
    sql`
      insert into log_entry (project_id, kind, at, seq, entry)
      select case when n % 5 = 0 then 'p' || n % 50 else 'demo' end, 5,
        to_char(to_timestamp(${now}::bigint / 1000 - n * 17), 'YYYY-MM-DD"T"HH24:MI:SS'), n, repeat('{"status":200}', 20)
      from generate_series(1, 50000) as n`,
    sql`
      insert into delivery
        (project_id, delivery_id, event_id, type, lane, body, state, tries, created_at, next_at, ended_at)
      select 'p' || n % 50, 'd' || n, 'e' || n, 'a.b', '', '{}',
        case when n % 3 = 0 then 'waiting' else 'delivered' end, 0, 0,
        case when n % 3 = 0 then ${later}::bigint end, case when n % 3 > 0 then ${now}::bigint end
      from generate_series(1, 20000) as n`,
    sql`
      insert into delivery_queue (project_id, due_at, owner, owned_until)
      select 'p' || n, ${later}::bigint, '', 0 from generate_series(1, 2000) as n`,
    sql`
      insert into seat (project_id, channel_id, connection_id, node_name, connected, at, until)
      select 'p' || n % 50, 'c' || n % 500, 'c' || n, 'n' || n % 20, 1, '2026', ${later}::bigint
      from generate_series(1, 10000) as n`,
    sql`
      insert into token_batch (project_id, second, batch_id, jwt_id, last_end, tokens)
      select 'p' || n % 50, ${now}::bigint / 1000 - n * 60, 'b' || n, case when n % 2 = 0 then 't' || n end,
        ${later}::bigint, '[]'
      from generate_series(1, 10000) as n`,
    sql`
      insert into token_revocation (project_id, subject, jwt_id, revoked_at, until, version)
      select 'p' || n % 50, 't t' || n, 't' || n, 0, ${later}::bigint, n + 1000 from generate_series(1, 10000) as n`,
    sql`
      insert into audit_entry (project_id, audit_id, action, entry)
      select 'p' || n % 50, 'a' || n, 'token.revoke', '{}' from generate_series(1, 10000) as n`,
    sql`
      insert into ended (project_id, id, event_id, until)
      select 'p' || n % 50, 'c' || n, 'e' || n, ${later}::bigint + n * 100000 from generate_series(1, 10000) as n`,
  ];
  for (const statement of statements) await statement.execute(query);
}

/** Small tables that belong to no project. */
const OF_NO_PROJECT = [
  "counter",
  "intake_key",
  "quarantine",
  "service_migrations",
  "service_migrations_lock",
  "setting",
];

it("every key of a table starts with the project, so that a project's rows can be stored together", async () => {
  const storage = await openStorage(await databaseUrl());
  try {
    const { rows } = await sql<{ name: string; first: string }>`
      select keyed.relname as name, attname as first
      from pg_index join pg_class as keyed on keyed.oid = indrelid
        join pg_attribute on attrelid = indrelid and attnum = indkey[0]
      where relnamespace = to_regnamespace(current_schema()) and indisunique`.execute(storage.query);
    const others = rows.filter(({ first }) => first !== "project_id").map(({ name }) => name);
    expect(others.sort()).toEqual(OF_NO_PROJECT);
    const led = rows.filter(({ first }) => first === "project_id").map(({ name }) => name);
    expect(led).toEqual(
      expect.arrayContaining([
        ...["api_key", "delivery", "ended", "last_batch", "log_entry", "log_head", "seat"],
        ...["log_late", "log_segment", "log_part"],
      ]),
    );
  } finally {
    await storage.close();
  }
});
