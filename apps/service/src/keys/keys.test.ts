import { readFile, stat } from "node:fs/promises";
import { createVault } from "@media-ops/secrets";
import { apiKeyToTokenKey, verifyToken } from "@media-ops/tokens";
import { describe, expect, it, onTestFinished } from "vitest";
import { openVault } from "../secrets/open-vault.js";
import { openStorage } from "../storage/open-storage.js";
import { pathOf, startTestService, temporaryFolder, testConfig } from "../test/harness.js";
import { createApiKey, listApiKeys, purposeOf, revokeApiKey } from "./api-keys.js";
import { credentialOf, newCredential } from "./credential.js";
import { KeyRing } from "./key-ring.js";

const keyIdOf = (apiKey: string): string => apiKey.split("_")[1] ?? "";

describe("an API key", () => {
  it("is mo_<key id>_<256 random bits>, each another one", () => {
    const [a, b] = [newCredential("mo"), newCredential("mo")];
    expect(a.text).toMatch(/^mo_[0-9a-f]{16}_[\w-]{43}$/);
    expect(Buffer.from(a.text.split("_").slice(2).join("_"), "base64url")).toHaveLength(32);
    expect(a.text).not.toBe(b.text);
    expect(credentialOf(`Bearer ${a.text}`, "mo")).toEqual(a);
    expect(credentialOf(`Bearer ${a.text}`, "mi")).toBeUndefined();
  });

  it("works at once when another process has made it", async () => {
    const url = `sqlite:${await temporaryFolder()}/media.db`;
    const { call, config } = await startTestService({ env: { MEDIA_DATABASE_URL: url } });
    const other = await openStorage(url);
    onTestFinished(() => other.close());
    const { text } = await createApiKey(other.query, await openVault(config, other.query), "demo", Date.now());
    expect((await call(pathOf.listApiLogs, { key: text })).status).toBe(200);
  });

  it("is one of several that work side by side; revoking one leaves the others", async () => {
    const { call, createKey, apiKey, service } = await startTestService();
    const second = await createKey("demo");
    await revokeApiKey(service.storage.query, keyIdOf(apiKey), Date.now());
    await expect.poll(async () => (await call(pathOf.listApiLogs)).status, { timeout: 20_000 }).toBe(401);
    expect((await call(pathOf.listApiLogs, { key: second })).status).toBe(200);
  });

  it("is answered the same whether it is missing, malformed, unknown, wrong or revoked", async () => {
    const { call, createKey, apiKey, service } = await startTestService();
    const revoked = await createKey("demo");
    await revokeApiKey(service.storage.query, keyIdOf(revoked), Date.now());
    const wrong = `${apiKey.slice(0, -1)}${apiKey.endsWith("A") ? "B" : "A"}`;
    await call(pathOf.listApiLogs, { key: wrong });
    const answers = [];
    for (const key of [undefined, "", "demo", newCredential("mo").text, newCredential("mi").text, wrong, revoked]) {
      const { status, headers, body } = await call(pathOf.listApiLogs, { key });
      answers.push({ status, scheme: headers.get("www-authenticate"), body: { ...(body as object), request_id: "" } });
    }
    expect(answers[0]).toMatchObject({ status: 401, scheme: "Bearer", body: { title: "Not authorized" } });
    for (const answer of answers) expect(answer).toEqual(answers[0]);
  });

  it("is not in the database, nor is its secret part", async () => {
    const folder = await temporaryFolder();
    const { apiKey, service } = await startTestService({ env: { MEDIA_DATABASE_URL: `sqlite:${folder}/media.db` } });
    await service.stop();
    const bytes = await readFile(`${folder}/media.db`, "latin1");
    expect(bytes).toContain(keyIdOf(apiKey));
    expect(bytes).not.toContain(apiKey.split("_").slice(2).join("_"));
  });

  it("can be read again with the master key, and with no other", async () => {
    const { apiKey, config, service } = await startTestService();
    const [key] = await listApiKeys(service.storage.query, "demo");
    const vault = await openVault(config, service.storage.query);
    expect(await vault.open(key?.sealed ?? "", purposeOf(key?.keyId ?? ""))).toBe(apiKey);
    const other = createVault(Buffer.alloc(32, 1));
    await expect(other.open(key?.sealed ?? "", purposeOf(key?.keyId ?? ""))).rejects.toThrow("decryption");
  });
});

describe("a revoked key", () => {
  it("ends the tokens signed with it: it is no longer among those that a token may be signed with", async () => {
    const { call, apiKey, createKey, service } = await startTestService();
    const second = await createKey("demo");
    const { body } = await call(pathOf.createAccessToken);
    const token = String((body as { access_token: string }).access_token);
    const ring = await KeyRing.open(service.storage.query, () => {});
    onTestFinished(() => ring.close());
    const textOf = new Map([apiKey, second].map((text) => [keyIdOf(text), text]));
    const check = () => {
      const keys = ring.activeOf("demo").map(({ keyId }) => apiKeyToTokenKey(textOf.get(keyId) ?? ""));
      return verifyToken(token, keys, { now: Date.now() });
    };
    expect((await check()).key.kid).toBe(keyIdOf(apiKey));

    await revokeApiKey(service.storage.query, keyIdOf(apiKey), Date.now());
    await ring.refresh();
    await expect(check()).rejects.toMatchObject({ code: "unknown-key" });
  });

  it("cannot be revoked twice", async () => {
    const { apiKey, service } = await startTestService();
    expect(await revokeApiKey(service.storage.query, keyIdOf(apiKey), Date.now())).toBe(true);
    expect(await revokeApiKey(service.storage.query, keyIdOf(apiKey), Date.now())).toBe(false);
  });
});

describe("the key ring", () => {
  it("reads all keys, however many there are", async () => {
    const { service, config, createKey } = await startTestService();
    await createKey("many");
    const vault = await openVault(config, service.storage.query);
    const made = [];
    for (let i = 0; i < 1100; i++) made.push(await createApiKey(service.storage.query, vault, "many", i));
    const ring = await KeyRing.open(service.storage.query, () => {});
    onTestFinished(() => ring.close());
    expect(ring.activeOf("many")).toHaveLength(1101);
    for (const credential of made) expect(ring.identify(credential)?.keyId).toBe(credential.keyId);
  });
});

describe("the master key", () => {
  it("is made once, beside the database, for its owner's eyes alone", async () => {
    const folder = await temporaryFolder();
    const config = testConfig({ MEDIA_DATABASE_URL: `sqlite:${folder}/media.db` });
    const ids = [];
    for (let i = 0; i < 2; i++) {
      const storage = await openStorage(config.databaseUrl);
      ids.push((await openVault(config, storage.query)).keyId);
      await storage.close();
    }
    expect(ids[0]).toBe(ids[1]);
    expect((await stat(`${folder}/media.db.key`)).mode & 0o777).toBe(0o600);
  });

  it("is the same for many that start at once", async () => {
    const folder = await temporaryFolder();
    const config = testConfig({ MEDIA_DATABASE_URL: `sqlite:${folder}/media.db` });
    const ids = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const storage = await openStorage(config.databaseUrl);
        const { keyId } = await openVault(config, storage.query);
        await storage.close();
        return keyId;
      }),
    );
    expect(new Set(ids).size).toBe(1);
  });

  it.each([
    ["of another database is refused", { MEDIA_MASTER_KEY: "6".repeat(64) }, /not the master key that the database/],
    ["that was lost is not made anew", {}, /could not be read from .*media\.db\.key/],
  ])("%s", async (_, env: Record<string, string>, message) => {
    const databaseUrl = `sqlite:${await temporaryFolder()}/media.db`;
    const storage = await openStorage(databaseUrl);
    onTestFinished(() => storage.close());
    await openVault(testConfig({ MEDIA_DATABASE_URL: databaseUrl, MEDIA_MASTER_KEY: "5".repeat(64) }), storage.query);
    const opening = openVault(testConfig({ MEDIA_DATABASE_URL: databaseUrl, ...env }), storage.query);
    await expect(opening).rejects.toMatchObject({ name: "MasterKeyError", message: expect.stringMatching(message) });
  });
});
