import { type Migrations, openDatabase } from "@media-ops/database";
import { databaseUrl } from "@media-ops/testing";
import { expect, it } from "vitest";
import { unhurried } from "../reads/along.js";
import { listTokens } from "../tokens/issued-tokens.js";
import { openRevocations } from "../tokens/revocations.js";
import { migrations } from "./migrations.js";
import { openStorage } from "./open-storage.js";

const before = (name: string, all: Migrations): Migrations =>
  Object.fromEntries(Object.entries(all).filter(([other]) => other < name));

it("tokens that were recorded one by one are listed as before", async () => {
  const url = await databaseUrl();
  const first = "006-token-batches";
  const older = await openDatabase<{ access_token: Record<string, unknown> }>(url, {
    owner: "service",
    migrations: { sqlite: before(first, migrations.sqlite), postgres: before(first, migrations.postgres) },
  });
  const token = { project_id: "demo", issued_at: 1_800_000_000_123, jwt_id: "a", key_id: "k", kept_until: 0 };
  const full = {
    ...{ channel_id: "lobby@demo", role: "recvonly", max_connections: 5, requested_by: 'ann "a" ü' },
    ...{ not_before: 1_800_000_001_000, ends_at: 1_800_000_600_000 },
  };
  const rows = [token, { ...token, jwt_id: "b", ...full }, { ...token, jwt_id: "c", project_id: "other" }];
  for (const row of rows) await older.query.insertInto("access_token").values(row).execute();
  await older.close();

  const storage = await openStorage(url);
  const { query } = storage;
  const revocations = await openRevocations(query, () => {});
  const reading = { work: unhurried, query, projectId: "demo", revocations, now: token.issued_at };
  const found = [
    {
      jwt_id: "b",
      key_id: "k",
      issued_at: "2027-01-15T08:00:00.123Z",
      channel_id: "lobby@demo",
      role: "recvonly",
      max_channel_connections: 5,
      not_before: "2027-01-15T08:00:01.000Z",
      expiration_time: "2027-01-15T08:10:00.000Z",
      requested_by: 'ann "a" ü',
      state: "not-yet-valid",
    },
    { jwt_id: "a", key_id: "k", issued_at: "2027-01-15T08:00:00.123Z", state: "active" },
  ];
  expect((await listTokens(reading, {}, 10)).tokens).toEqual(found);
  expect((await listTokens(reading, { jwtId: "b" }, 10)).tokens).toEqual(found.slice(0, 1));
  expect((await listTokens(reading, { requestedBy: 'ann "a" ü' }, 10)).tokens).toEqual(found.slice(0, 1));
  revocations.close();
  await storage.close();
});
