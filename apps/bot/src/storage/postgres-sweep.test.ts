import { postgresUrl } from "@media-ops/testing";
import { expect, it } from "vitest";
import { openTestStorage } from "../test/storage.js";
import { sweep } from "./sweep.js";

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
