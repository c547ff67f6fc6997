import { type Migrations, openDatabase } from "@media-ops/database";
import { MasterKeyError } from "@media-ops/secrets";
import { databaseUrl } from "@media-ops/testing";
import type { Installation } from "@slack/oauth";
import { pino } from "pino";
import { expect, it, onTestFinished } from "vitest";
import { AuditLog } from "../audit/audit-log.js";
import { Connections } from "../connections/connections.js";
import { createInstallationStore, createStateStore } from "../slack/access.js";
import { mintingOf } from "../test/entries.js";
import { openTestStorage, storedIn } from "../test/storage.js";
import { migrations } from "./migrations.js";
import { openStorage } from "./open-storage.js";
import { Mintings } from "./records.js";
import { createClockGuard, sweepAll } from "./sweep.js";
import type { Tables } from "./tables.js";

const installation: Installation<"v2", false> = {
  team: { id: "T01" },
  enterprise: undefined,
  user: { id: "U01", token: "xoxp-planted-user-token", scopes: [] },
  bot: { token: "xoxb-planted-bot-token", scopes: ["commands"], id: "B01", userId: "U0B" },
};

const withKey = (url: string, byte: number) => ({
  databaseUrl: url,
  masterKey: new Uint8Array(32).fill(byte),
  masterKeyFile: undefined,
});

it("a database is not opened with another master key, and the error names the variables to set", async () => {
  const url = await databaseUrl();
  await openTestStorage(url);
  await expect(openStorage(withKey(url, 6))).rejects.toThrow(
    /API keys and Slack tokens cannot be read.*BOT_MASTER_KEY or BOT_MASTER_KEY_FILE/,
  );
});

it("ten bots that start at once over a new database agree on its tables and one master key", async () => {
  const url = await databaseUrl();
  const keys = Array.from({ length: 10 }, (_, index) => 1 + (index % 2));
  const opened = await Promise.allSettled(keys.map((byte) => openStorage(withKey(url, byte))));
  const storages = opened.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  onTestFinished(async () => void (await Promise.all(storages.map((storage) => storage.close()))));

  const refused = opened.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
  expect(refused).toHaveLength(5);
  for (const reason of refused) expect(reason).toBeInstanceOf(MasterKeyError);
  const [first, ...others] = storages;
  const sealed = await first?.vault.seal("secret", "test");
  for (const { vault } of others) expect(await vault.open(sealed ?? "", "test")).toBe("secret");
  await expect(first?.query.selectFrom("minting").selectAll().execute()).resolves.toEqual([]);
});

it("no secret is stored in readable form, and all can be decrypted", async () => {
  const storage = await openTestStorage(await databaseUrl());
  const connections = new Connections(storage, undefined, Date.now);
  const installations = createInstallationStore(storage, Date.now);
  const states = createStateStore(storage, "planted-state-secret", Date.now);
  const baseUrl = "https://media.example";
  await connections.add({ teamId: "T01", projectId: "demo", baseUrl, apiKey: "mo_k1_planted-api-key", userId: "U01" });
  await installations.storeInstallation(installation);
  const state = await states.generateStateParam({ scopes: "commands", metadata: "planted-metadata" }, new Date());

  const stored = await storedIn(storage);
  // Data that is not secret is found, which proves that the search works.
  expect(stored.includes("https://media.example")).toBe(true);
  for (const secret of ["planted", state, "mo_k1"]) {
    expect(stored.includes(secret), secret).toBe(false);
    expect(stored.includes(Buffer.from(secret).toString("base64url").slice(0, -2)), secret).toBe(false);
  }

  const [connection] = await connections.all("T01");
  expect(connection && (await connections.apiKeyOf(connection))).toBe("mo_k1_planted-api-key");
  const query = { teamId: "T01", enterpriseId: undefined, isEnterpriseInstall: false };
  expect((await installations.fetchInstallation(query)).bot?.token).toBe("xoxb-planted-bot-token");
  expect((await states.verifyStateParam(new Date(), state)).metadata).toBe("planted-metadata");
});

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

const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;
const NOW = Date.parse("2026-06-15T12:00:00Z");

/** A bot's database with pending claims and installations, and the bot's sweep with an adjustable clock. */
async function openSweep() {
  const storage = await openTestStorage(await databaseUrl());
  const { query, database } = storage;
  const untils = [-2 * DAY, -HOUR, HOUR];
  for (const until of untils) {
    const row = { hash: `until ${until / HOUR}`, until: NOW + until };
    await query.insertInto("claim").values(row).execute();
    await query
      .insertInto("oauth_state")
      .values({ ...row, sealed: "" })
      .execute();
  }
  const lines: string[] = [];
  const start = (now: () => number) => {
    // Set only before the process starts.
    const clocks = { now, elapsed: now };
    const clock = createClockGuard(database, pino({}, { write: (line) => void lines.push(line) }), clocks);
    return async (): Promise<void> => sweepAll(database, await clock.check());
  };
  const kept = async (): Promise<string[][]> => {
    const claims = await query.selectFrom("claim").select("hash").orderBy("until").execute();
    const states = await query.selectFrom("oauth_state").select("hash").orderBy("until").execute();
    return [claims, states].map((rows) => rows.map(({ hash }) => hash));
  };
  return { start, kept, lines };
}

const all = ["until -48", "until -1", "until 1"];

it("a bot with its clock 31 days ahead deletes only what had expired before its newest data, says so, and continues when the clock is right", async () => {
  const { start, kept, lines } = await openSweep();
  await start(() => NOW + 31 * DAY)();
  expect(await kept()).toEqual([all.slice(1), all.slice(1)]);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(
    /"level":50.*Old data is deleted at most one day in an hour, as the clock may be wrong.*30 days after the last/,
  );
  await start(() => NOW)();
  // Rows that expired less than a day ago stay: a clock may be that far off unnoticed.
  expect(await kept()).toEqual([all.slice(1), all.slice(1)]);
});

it("a bot that did not run for 40 days deletes one day in an hour, without an operator", async () => {
  const { start, kept } = await openSweep();
  await start(() => NOW)();
  let now = NOW + 40 * DAY;
  const sweep = start(() => now);
  await sweep();
  expect(await kept()).toEqual([all.slice(1), all.slice(1)]);
  for (let hour = 0; hour < 2; hour++) {
    now += HOUR;
    await sweep();
  }
  expect(await kept()).toEqual([[], []]);
});
