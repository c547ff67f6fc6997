import { createVault } from "@media-ops/secrets";
import { databaseUrl } from "@media-ops/testing";
import { apiKeyToTokenKey, verifyToken } from "@media-ops/tokens";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { openVault } from "../secrets/open-vault.js";
import { openStorage } from "../storage/open-storage.js";
import { pathOf, startTestService, temporaryFolder, testConfig } from "../test/harness.js";
import { keptIn } from "../test/kept-in.js";
import { createApiKey, listApiKeys, openKeyRing, purposeOf, revokeApiKey } from "./api-keys.js";
import { credentialOf, newCredential } from "./credential.js";

const shared = await startTestService({ atEnd: afterAll });
const { call, createKey, vault } = shared;
const { query } = shared.service.storage;

const keyIdOf = (apiKey: string): string => apiKey.split("_")[1] ?? "";

describe("an API key", () => {
  it("has the form mo_<key id>_<256 random bits>, and is unique", () => {
    const [a, b] = [newCredential("mo"), newCredential("mo")];
    expect(a.text).toMatch(/^mo_[0-9a-f]{16}_[\w-]{43}$/);
    expect(Buffer.from(a.text.split("_").slice(2).join("_"), "base64url")).toHaveLength(32);
    expect(a.text).not.toBe(b.text);
    expect(credentialOf(`Bearer ${a.text}`, "mo")).toEqual(a);
    expect(credentialOf(`Bearer ${a.text}`, "mi")).toBeUndefined();
  });

  it("works as soon as another process has created it; its secret part is not stored in the database", async () => {
    const url = await databaseUrl();
    const { call, vault, service } = await startTestService({ env: { MEDIA_DATABASE_URL: url } });
    const other = await openStorage(url);
    const { text: key } = await createApiKey(other.query, vault, "demo", Date.now());
    await other.close();
    expect((await call(pathOf.listApiLogs, { key })).status).toBe(200);
    await service.stop();
    const kept = await keptIn(url);
    expect(kept).toContain(keyIdOf(key));
    expect(kept).not.toContain(key.split("_").slice(2).join("_"));
  });

  it("is one of several that work in parallel; each can be revoked once, which leaves the others", async () => {
    const [first, second] = [await createKey("demo"), await createKey("demo")];
    expect(await revokeApiKey(query, keyIdOf(first), Date.now())).toBe(true);
    expect(await revokeApiKey(query, keyIdOf(first), Date.now())).toBe(false);
    await expect.poll(async () => (await call(pathOf.listApiLogs, { key: first })).status).toBe(401);
    expect((await call(pathOf.listApiLogs, { key: second })).status).toBe(200);
  });

  it("is refused with the same answer whether it is missing, malformed, unknown, wrong or revoked", async () => {
    const [good, revoked] = [await createKey("demo"), await createKey("demo")];
    await revokeApiKey(query, keyIdOf(revoked), Date.now());
    const wrong = `${good.slice(0, -1)}${good.endsWith("A") ? "B" : "A"}`;
    await call(pathOf.listApiLogs, { key: wrong });
    const answers = [];
    for (const key of [undefined, "", "demo", newCredential("mo").text, newCredential("mi").text, wrong, revoked]) {
      const { status, headers, body } = await call(pathOf.listApiLogs, { key });
      answers.push({ status, scheme: headers.get("www-authenticate"), body: { ...(body as object), request_id: "" } });
    }
    expect(answers[0]).toMatchObject({ status: 401, scheme: "Bearer", body: { title: "Not authorized" } });
    for (const answer of answers) expect(answer).toEqual(answers[0]);
  });

  it("can be decrypted with the master key, and with no other", async () => {
    const text = await createKey("sealed");
    const [key] = await listApiKeys(query, "sealed");
    expect(await vault.open(key?.sealed ?? "", purposeOf(key?.keyId ?? ""))).toBe(text);
    const other = createVault(Buffer.alloc(32, 1));
    await expect(other.open(key?.sealed ?? "", purposeOf(key?.keyId ?? ""))).rejects.toThrow("decryption");
  });
});

it("a revoked key ends the tokens signed with it: they are no longer accepted", async () => {
  const [first, second] = [await createKey("revoked"), await createKey("revoked")];
  const token = await shared.mint({}, { key: first });
  const ring = await openKeyRing(query, () => {});
  onTestFinished(() => ring.close());
  const textOf = new Map([first, second].map((text) => [keyIdOf(text), text]));
  const check = () => {
    const keys = ring.validOf("revoked").map(({ keyId }) => apiKeyToTokenKey(textOf.get(keyId) ?? ""));
    return verifyToken(token, keys, { now: Date.now() });
  };
  expect((await check()).key.kid).toBe(keyIdOf(first));

  await revokeApiKey(query, keyIdOf(first), Date.now());
  await ring.refresh();
  await expect(check()).rejects.toMatchObject({ code: "unknown-key" });
});

it("the key ring reads any number of keys", async () => {
  await createKey("many");
  const made = [];
  for (let i = 0; i < 600; i++) made.push(await createApiKey(query, vault, "many", i));
  const ring = await openKeyRing(query, () => {});
  onTestFinished(() => ring.close());
  expect(ring.validOf("many")).toHaveLength(601);
  for (const credential of made) expect(ring.identify(credential)?.keyId).toBe(credential.keyId);
});

it("several processes that start at once on a new SQLite file have the same master key", async () => {
  const config = testConfig({ MEDIA_DATABASE_URL: `sqlite:${await temporaryFolder()}/media.db` });
  const open = async (): Promise<string> => {
    const storage = await openStorage(config.databaseUrl);
    const { keyId } = await openVault(config, storage.query);
    await storage.close();
    return keyId;
  };
  expect(new Set(await Promise.all(Array.from({ length: 5 }, open))).size).toBe(1);
});
