import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Installation } from "@slack/oauth";
import { expect, it, onTestFinished } from "vitest";
import { createConnections } from "../connections/connections.js";
import { createInstallationStore } from "../installations/installation-store.js";
import { createStateStore } from "../installations/state-store.js";
import { bytesIn, openTestStorage, temporaryFolder } from "../test/storage.js";
import { openStorage } from "./open-storage.js";

const installation: Installation<"v2", false> = {
  team: { id: "T01" },
  enterprise: undefined,
  user: { id: "U01", token: "xoxp-planted-user-token", scopes: [] },
  bot: { token: "xoxb-planted-bot-token", scopes: ["commands"], id: "B01", userId: "U0B" },
};

it("a new database gets a master key beside it, for its owner's eyes alone, and opens again with it", async () => {
  const file = join(await temporaryFolder(), "data", "bot.db");
  const settings = { databaseUrl: `sqlite:${file}`, masterKey: undefined, masterKeyFile: undefined };
  const first = await openStorage(settings);
  const sealed = await first.vault.seal("secret", "test");
  await first.close();
  expect((await stat(`${file}.key`)).mode & 0o777).toBe(0o600);
  const again = await openStorage(settings);
  onTestFinished(() => again.close());
  expect(await again.vault.open(sealed, "test")).toBe("secret");
});

it("a database is not opened with another master key, and the message says which variables to set", async () => {
  const file = join(await temporaryFolder(), "bot.db");
  await openTestStorage(file);
  const other = { databaseUrl: `sqlite:${file}`, masterKey: new Uint8Array(32).fill(6), masterKeyFile: undefined };
  await expect(openStorage(other)).rejects.toThrow(
    /API keys and Slack tokens cannot be read.*BOT_MASTER_KEY or BOT_MASTER_KEY_FILE/,
  );
});

it("no secret can be found in what lies on the disk, and all can be read again", async () => {
  const folder = await temporaryFolder();
  const storage = await openTestStorage(join(folder, "bot.db"));
  const connections = createConnections(storage, undefined, Date.now);
  const installations = createInstallationStore(storage, Date.now);
  const states = createStateStore(storage, "planted-state-secret", Date.now);
  const baseUrl = "https://media.example";
  await connections.add({ teamId: "T01", projectId: "demo", baseUrl, apiKey: "mo_k1_planted-api-key", userId: "U01" });
  await installations.storeInstallation(installation);
  const state = await states.generateStateParam({ scopes: "commands", metadata: "planted-metadata" }, new Date());

  const bytes = await bytesIn(folder);
  // What is not secret is there, so that the look at the bytes is worth something.
  expect(bytes.includes("https://media.example")).toBe(true);
  expect((await readFile(join(folder, "bot.db-wal"))).length).toBeGreaterThan(0);
  for (const secret of ["planted", state, "mo_k1"]) {
    expect(bytes.includes(secret), secret).toBe(false);
    expect(bytes.includes(Buffer.from(secret).toString("base64url").slice(0, -2)), secret).toBe(false);
  }

  const [connection] = await connections.all("T01");
  expect(connection && (await connections.apiKeyOf(connection))).toBe("mo_k1_planted-api-key");
  const query = { teamId: "T01", enterpriseId: undefined, isEnterpriseInstall: false };
  expect((await installations.fetchInstallation(query)).bot?.token).toBe("xoxb-planted-bot-token");
  expect((await states.verifyStateParam(new Date(), state)).metadata).toBe("planted-metadata");
});
