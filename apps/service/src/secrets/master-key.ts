import { randomBytes } from "node:crypto";
import { link, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { parseDatabaseUrl } from "@media-ops/database";
import type { Kysely } from "kysely";
import { type Config, MASTER_KEY_BYTES } from "../config/config.js";
import type { Tables } from "../storage/tables.js";
import { messageOf } from "../text/message-of.js";
import { createVault, type Vault } from "./vault.js";

const SETTING = "master_key_id";

/** The master key is missing, or is not the one that this database was made with. */
export class MasterKeyError extends Error {
  override readonly name = "MasterKeyError";
}

/** Where the master key is kept; undefined where it is in the environment, or nowhere. */
export function masterKeyFile({ masterKeyFile, masterKey, databaseUrl }: Config): string | undefined {
  if (masterKey) return undefined;
  if (masterKeyFile) return masterKeyFile;
  const address = parseDatabaseUrl(databaseUrl);
  return address.kind === "sqlite" && address.file ? `${address.file}.key` : undefined;
}

/**
 * Opens the vault of a database. The first time it makes the master key, beside an SQLite database and for its owner's
 * eyes alone, unless one is given.
 */
export async function openVault(config: Config, query: Kysely<Tables>): Promise<Vault> {
  const read = () => query.selectFrom("setting").select("value").where("name", "=", SETTING).executeTakeFirst();
  const isNew = (await read()) === undefined;
  const vault = createVault(await readMasterKey(config, isNew));
  await query
    .insertInto("setting")
    .values({ name: SETTING, value: vault.keyId })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  if ((await read())?.value === vault.keyId) return vault;
  throw new MasterKeyError(
    "This is not the master key that the database was made with: its API keys cannot be read. Give back the old one in MEDIA_MASTER_KEY or MEDIA_MASTER_KEY_FILE.",
  );
}

async function readMasterKey(config: Config, isNew: boolean): Promise<Uint8Array> {
  if (config.masterKey) return config.masterKey;
  const { kind, ...address } = parseDatabaseUrl(config.databaseUrl);
  const file = masterKeyFile(config);
  if (!file && kind === "sqlite") return randomBytes(MASTER_KEY_BYTES);
  if (!file) {
    throw new MasterKeyError(
      "With PostgreSQL the master key is given in MEDIA_MASTER_KEY or MEDIA_MASTER_KEY_FILE: every process needs the same. Make one with: openssl rand -base64 32",
    );
  }
  try {
    if (isNew && kind === "sqlite") await makeKeyFile(file);
    return parseKey(await readFile(file, "utf8"), file);
  } catch (error) {
    if (error instanceof MasterKeyError) throw error;
    const where = "file" in address ? ` of ${address.file}` : "";
    const reason = messageOf(error);
    throw new MasterKeyError(
      `The master key${where} could not be read from ${file}: ${reason}. Put the file back, or set MEDIA_MASTER_KEY.`,
      { cause: error },
    );
  }
}

function parseKey(text: string, file: string): Uint8Array {
  const bytes = Buffer.from(text.trim(), "base64");
  if (bytes.length === MASTER_KEY_BYTES) return bytes;
  throw new MasterKeyError(`${file} holds no master key: that is 32 bytes in base64.`);
}

/** Makes the file whole or not at all; leaves one that is there as it is. */
async function makeKeyFile(file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const unfinished = `${file}.${process.pid}-${randomBytes(4).toString("hex")}`;
  await writeFile(unfinished, `${randomBytes(MASTER_KEY_BYTES).toString("base64")}\n`, { mode: 0o600, flush: true });
  try {
    await link(unfinished, file);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  } finally {
    await rm(unfinished, { force: true });
  }
}
