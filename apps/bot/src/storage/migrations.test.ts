import { type Migrations, openDatabase } from "@media-ops/database";
import { databaseUrl } from "@media-ops/testing";
import { expect, it, onTestFinished } from "vitest";
import { AuditLog } from "../audit/audit-log.js";
import { mintingOf } from "../test/entries.js";
import { migrations } from "./migrations.js";
import { Mintings } from "./records.js";
import type { Tables } from "./tables.js";

const withoutLast = (all: Migrations): Migrations => Object.fromEntries(Object.entries(all).slice(0, -1));

it("the tokens of an older database are in the audit log, and their records stay", async () => {
  const url = await databaseUrl();
  const { column, names } = migrations.distributed;
  const older = {
    sqlite: withoutLast(migrations.sqlite),
    postgres: withoutLast(migrations.postgres),
    distributed: { column, names: names.filter((name) => name !== "audit") },
  };
  const before = await openDatabase<Tables>(url, { owner: "bot", migrations: older });
  const first = mintingOf({ at: 5, jti: "j1", place_id: "C01", reason: "a guest" });
  const second = mintingOf({ at: 6, jti: "j2", user_id: "U02", place_id: "U02" });
  const rows = [first, second].map((row, at) => ({ ...row, minting_id: `m${at}` }));
  for (const row of rows) await before.query.insertInto("minting").values(row).execute();
  await before.close();

  const { query, close } = await openDatabase<Tables>(url, { owner: "bot", migrations });
  onTestFinished(close);
  expect(await query.selectFrom("minting").selectAll().orderBy("at").execute()).toEqual(rows);
  const audit = { teamId: "T01", action: "token.mint", projectId: "demo", outcome: "done", via: undefined };
  expect(await new AuditLog({ query }, Date.now).find("T01", { limit: 10 })).toEqual([
    { ...audit, at: 6, id: "m1", userId: "U02", placeId: undefined, subject: "j2", detail: undefined },
    { ...audit, at: 5, id: "m0", userId: "U01", placeId: "C01", subject: "j1", detail: "a guest" },
  ]);
  expect(await new Mintings({ query }).latest("T01", { limit: 1 })).toMatchObject([{ jti: "j2" }]);
});
