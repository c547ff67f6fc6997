import { MasterKeyError } from "@media-ops/secrets";
import { databaseUrl } from "@media-ops/testing";
import type { Installation } from "@slack/oauth";
import { expect, it, onTestFinished } from "vitest";
import { Connections } from "../connections/connections.js";
import { createInstallationStore, createStateStore } from "../slack/access.js";
import { openTestStorage, storedIn } from "../test/storage.js";
import { openStorage } from "./open-storage.js";

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
