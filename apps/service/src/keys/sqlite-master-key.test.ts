import { stat } from "node:fs/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { openVault } from "../secrets/open-vault.js";
import { openStorage } from "../storage/open-storage.js";
import { temporaryFolder, testConfig } from "../test/harness.js";

describe("the master key of an SQLite file", () => {
  it("is created once, next to the file, readable only by its owner", async () => {
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

  it("is the same for several processes that start at once", async () => {
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

  it("is not created again if it was lost", async () => {
    const databaseUrl = `sqlite:${await temporaryFolder()}/media.db`;
    const storage = await openStorage(databaseUrl);
    onTestFinished(() => storage.close());
    await openVault(testConfig({ MEDIA_DATABASE_URL: databaseUrl, MEDIA_MASTER_KEY: "5".repeat(64) }), storage.query);
    await expect(openVault(testConfig({ MEDIA_DATABASE_URL: databaseUrl }), storage.query)).rejects.toMatchObject({
      name: "MasterKeyError",
      message: expect.stringMatching(/could not be read from .*media\.db\.key/),
    });
  });
});
