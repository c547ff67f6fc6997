import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  createVault,
  keyFileFault,
  MASTER_KEY_BYTES,
  masterKeyFile,
  openExistingVault,
  openVault,
  parseMasterKey,
  refuseLostDatabase,
  type Setting,
} from "./index.js";

const [key, otherKey] = [Buffer.alloc(MASTER_KEY_BYTES, 5), Buffer.alloc(MASTER_KEY_BYTES, 6)];
const bot = { names: { key: "BOT_MASTER_KEY", file: "BOT_MASTER_KEY_FILE" }, holds: "Slack tokens" };

/** The setting of a new database, as a table would store it. */
function newSetting(): Setting {
  let kept: string | undefined;
  return {
    read: async () => kept,
    async keep(value) {
      kept ??= value;
    },
  };
}

async function newDatabase() {
  const folder = await mkdtemp(join(tmpdir(), "media-secrets-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const keyFile = join(folder, "deep", "bot.db.key");
  return { ...bot, folder, keyFile, databaseUrl: `sqlite:${folder}/deep/bot.db`, setting: newSetting() };
}

describe("the master key", () => {
  it("is created once, beside the database, readable only by its owner", async () => {
    const { folder, keyFile, ...options } = await newDatabase();
    const [first, second] = [await openVault(options), await openVault(options)];
    expect(second.keyId).toBe(first.keyId);
    expect((await stat(keyFile)).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder, "deep"))).mode & 0o777).toBe(0o700);
    expect(await readdir(join(folder, "deep"))).toEqual(["bot.db.key"]);
    expect(parseMasterKey(await readFile(keyFile, "utf8"))).toHaveLength(MASTER_KEY_BYTES);
  });

  it("in a file that others could read is made private", async () => {
    const { folder, keyFile, ...options } = await newDatabase();
    await openVault(options);
    for (const open of [openVault, openExistingVault]) {
      await chmod(keyFile, 0o644);
      await open(options);
      expect((await stat(keyFile)).mode & 0o777).toBe(0o600);
    }
  });

  it("that everyone can read is reported with the next step, and then made private", async () => {
    const { folder, keyFile, ...options } = await newDatabase();
    const warnings: string[] = [];
    const open = () => openVault({ ...options, warn: (text) => warnings.push(text) });
    await open();
    expect(keyFileFault(options)).toBeUndefined();
    await chmod(keyFile, 0o644);
    expect(keyFileFault(options)).toContain(`(mode 0644). Run: chmod 600 ${keyFile}`);
    await open();
    await open();
    expect(warnings).toEqual([expect.stringMatching(/chmod 600 .*, which was done now\. Whoever has read it/)]);
  });

  it.each(["missing", "empty"])("shows that a database was lost if it is %s now", async (state) => {
    const { folder, keyFile, ...options } = await newDatabase();
    const ways = { restore: "media-bot restore <backup>", anew: "media-bot --new" };
    await expect(refuseLostDatabase(options, ways)).resolves.toBeUndefined();
    await openVault(options);
    if (state === "empty") await writeFile(join(folder, "deep/bot.db"), "");
    await writeFile(join(folder, "deep/bot.db.rescued"), "what it held");
    await expect(refuseLostDatabase(options, ways)).rejects.toMatchObject({
      name: "MasterKeyError",
      message: expect.stringMatching(
        new RegExp(`bot\\.db is ${state}, but .*bot\\.db\\.rescued\\..* restore <backup>\\..* media-bot --new$`),
      ),
    });
    await writeFile(join(folder, "deep/bot.db"), "something");
    await expect(refuseLostDatabase(options, ways)).resolves.toBeUndefined();
  });

  it("is neither created nor changed by an inspection", async () => {
    const { folder, keyFile, ...options } = await newDatabase();
    expect(await openExistingVault({ ...options, masterKey: key })).toBeUndefined();
    expect(await options.setting.read()).toBeUndefined();
    const { keyId } = await openVault({ ...options, masterKey: key });
    expect((await openExistingVault({ ...options, masterKey: key }))?.keyId).toBe(keyId);
    await expect(openExistingVault({ ...options, masterKey: otherKey })).rejects.toThrow("This is not the master key");
    await expect(openExistingVault(options)).rejects.toThrow("could not be read");
    expect(await readdir(folder)).toEqual([]);
  });

  it("is the same for many concurrent processes", async () => {
    const { folder, keyFile, ...options } = await newDatabase();
    const vaults = await Promise.all(Array.from({ length: 20 }, () => openVault(options)));
    expect(new Set(vaults.map(({ keyId }) => keyId)).size).toBe(1);
  });

  it("differs for each database in memory, and is not stored", async () => {
    const databaseUrl = "sqlite::memory:";
    const open = () => openVault({ ...bot, databaseUrl, setting: newSetting() });
    expect((await open()).keyId).not.toBe((await open()).keyId);
    expect(masterKeyFile({ databaseUrl })).toBeUndefined();
  });

  it("is the given one, and then none is created", async () => {
    const { folder, keyFile, ...options } = await newDatabase();
    const given = await openVault({ ...options, masterKey: key });
    expect(await readdir(folder)).toEqual([]);
    const file = join(folder, "given.key");
    await writeFile(file, key.toString("base64"));
    expect((await openVault({ ...options, masterKeyFile: file })).keyId).toBe(given.keyId);
    await writeFile(file, `${key.toString("hex")}\n`);
    expect((await openVault({ ...options, masterKeyFile: file })).keyId).toBe(given.keyId);
  });

  it.each([
    ["of another database is refused", { masterKey: otherKey }, /^This is not the master key .* Slack tokens cannot/],
    ["that was lost is not replaced", {}, /^The master key of .*bot\.db could not be read from .*bot\.db\.key: ENOENT/],
    ["that was lost can be supplied in a variable, which is named", {}, /or set BOT_MASTER_KEY\.$/],
    ["that is required for PostgreSQL is requested", { databaseUrl: "postgres://x/y" }, /BOT_MASTER_KEY_FILE: every/],
  ])("%s", async (_, given, message) => {
    const { folder, keyFile, ...options } = await newDatabase();
    await openVault({ ...options, masterKey: key });
    await expect(openVault({ ...options, ...given })).rejects.toMatchObject({
      name: "MasterKeyError",
      message: expect.stringMatching(message),
    });
    expect(await readdir(folder)).toEqual([]);
  });

  it("is not created for PostgreSQL, because other machines would create a different one", async () => {
    const { folder, keyFile, ...options } = await newDatabase();
    const opening = openVault({ ...options, databaseUrl: "postgres://x/y", masterKeyFile: keyFile });
    await expect(opening).rejects.toThrow(/^The master key could not be read from .*ENOENT/);
    expect(await readdir(folder)).toEqual([]);
  });

  it("that is invalid is refused, and not shown", async () => {
    const { folder, keyFile, ...options } = await newDatabase();
    const masterKeyFile = join(folder, "given.key");
    await writeFile(masterKeyFile, "hunter2");
    const message = `${masterKeyFile} holds no master key: that is 32 bytes in base64.`;
    await expect(openVault({ ...options, masterKeyFile })).rejects.toMatchObject({ name: "MasterKeyError", message });
    expect(await options.setting.read()).toBeUndefined();
  });

  it.each([
    ["in base64", key.toString("base64"), key],
    ["in base64url", Buffer.alloc(MASTER_KEY_BYTES, 255).toString("base64url"), Buffer.alloc(32, 255)],
    ["in hex", key.toString("hex").toUpperCase(), key],
    ["with a line break", `${key.toString("hex")}\r\n`, key],
    ["too short", Buffer.alloc(31).toString("base64"), undefined],
    ["too long", Buffer.alloc(33).toString("hex"), undefined],
    ["nothing", "", undefined],
  ])("is read %s", (_, text, read) => {
    expect(parseMasterKey(text)).toEqual(read);
  });

  it.each([
    ["in the environment", { masterKey: key, masterKeyFile: "/k" }, undefined],
    ["in the configured file", { masterKeyFile: "/k" }, "/k"],
    ["beside the database", {}, "./data/bot.db.key"],
    ["nowhere with PostgreSQL", { databaseUrl: "postgres://x/y" }, undefined],
  ])("is stored %s", (_, given, file) => {
    expect(masterKeyFile({ databaseUrl: "sqlite:./data/bot.db", ...given })).toBe(file);
  });
});

describe("a vault", () => {
  const vault = createVault(Buffer.alloc(MASTER_KEY_BYTES, 7));

  it("decrypts any secret that it encrypted", async () => {
    const text = fc.string({ unit: "binary" });
    await fc.assert(
      fc.asyncProperty(text, text, async (secret, purpose) => {
        expect(await vault.open(await vault.seal(secret, purpose), purpose)).toBe(secret);
      }),
    );
  });

  it("refuses another purpose, and a secret that was changed", async () => {
    const sealed = await vault.seal("secret", "test 1");
    await expect(vault.open(sealed, "test 2")).rejects.toThrow("not sealed as test 2");
    const [header, ...rest] = sealed.split(".");
    const forged = JSON.parse(Buffer.from(header ?? "", "base64url").toString());
    const other = Buffer.from(JSON.stringify({ ...forged, purpose: "test 2" })).toString("base64url");
    await expect(vault.open([other, ...rest].join("."), "test 2")).rejects.toThrow("decryption");
  });

  it("refuses another master key, whose id differs", async () => {
    const other = createVault(Buffer.alloc(MASTER_KEY_BYTES, 8));
    await expect(other.open(await vault.seal("secret", "test"), "test")).rejects.toThrow("decryption");
    expect(other.keyId).not.toBe(vault.keyId);
    expect(createVault(Buffer.alloc(MASTER_KEY_BYTES, 7)).keyId).toBe(vault.keyId);
  });

  it("never encrypts a secret twice to the same text", async () => {
    expect(await vault.seal("secret", "test")).not.toBe(await vault.seal("secret", "test"));
  });

  // Otherwise, secrets that an older version encrypted could no longer be read.
  it("decrypts secrets of older versions, and recognizes its master key", async () => {
    const sealed =
      "eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIiwia2lkIjoiOFNtOE5vbTBrR0luVFloeSIsInB1cnBvc2UiOiJ0ZXN0IDEifQ..ewtf3sf5EBs_v50T.4I9bUXszjyMYIw.QC2gJ8MoyeObNnJteOLKfw";
    expect(vault.keyId).toBe("8Sm8Nom0kGInTYhy");
    expect(await vault.open(sealed, "test 1")).toBe("geheim ✓");
  });
});
