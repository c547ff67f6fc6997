import { createHash, randomBytes } from "node:crypto";
import { type Stats, statSync } from "node:fs";
import { chmod, link, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { hasCode, messageOf, placeOf } from "@media-ops/database";
import { CompactEncrypt, compactDecrypt } from "jose";

/** Encrypts secrets, so that only a program with the master key can read them. */
export interface Vault {
  /** Identifies the master key without revealing it. */
  readonly keyId: string;
  /** Encrypts a secret for one purpose, such as "api key 4f1d". */
  seal(secret: string, purpose: string): Promise<string>;
  /** Decrypts a secret that was sealed for this purpose; rejects one for another purpose or key. */
  open(sealed: string, purpose: string): Promise<string>;
}

/** A vault with a given master key of 32 bytes. */
export function createVault(masterKey: Uint8Array): Vault {
  const keyId = createHash("sha256").update("media-ops master key ").update(masterKey).digest("base64url").slice(0, 16);
  return {
    keyId,
    seal: (secret, purpose) =>
      new CompactEncrypt(new TextEncoder().encode(secret))
        // The header is authenticated, too: a secret for one purpose cannot be used for another.
        .setProtectedHeader({ alg: "dir", enc: "A256GCM", kid: keyId, purpose })
        .encrypt(masterKey),
    async open(sealed, purpose) {
      const { plaintext, protectedHeader } = await compactDecrypt(sealed, masterKey, {
        keyManagementAlgorithms: ["dir"],
        contentEncryptionAlgorithms: ["A256GCM"],
      });
      if (protectedHeader.purpose !== purpose) throw new Error(`This secret was not sealed as ${purpose}.`);
      return new TextDecoder().decode(plaintext);
    },
  };
}

/** The setting in the database that stores the id of the master key. */
export interface Setting {
  /** Undefined if none is stored yet. */
  read(): Promise<string | undefined>;
  /** Stores the id, unless one exists: of concurrent calls, the first wins. */
  keep(value: string): Promise<void>;
}

/** Options of {@link openVault}. */
export interface VaultOptions extends MasterKeySource {
  readonly setting: Setting;
  readonly names: MasterKeyNames;
  /** The content of the vault, for messages: "API keys". */
  readonly holds: string;
  /** Receives a warning if everyone on the machine could read the key. */
  readonly warn?: ((text: string) => void) | undefined;
}

/**
 * Opens the vault of a database. The first time it creates the master key, beside an SQLite database and readable only
 * by its owner, unless one is given.
 *
 * @throws {MasterKeyError} which explains the problem and the next step.
 */
export async function openVault({ setting, names, holds, warn, ...source }: VaultOptions): Promise<Vault> {
  const exposed = keyFileFault(source);
  const isNew = (await setting.read()) === undefined;
  const vault = createVault(await readMasterKey(source, names, isNew));
  await setting.keep(vault.keyId);
  if (exposed !== undefined) {
    const isMended = keyFileFault(source) === undefined;
    warn?.(
      `${exposed}${isMended ? ", which was done now" : ""}. Whoever has read it can decrypt the ${holds} in every copy of the database.`,
    );
  }
  if ((await setting.read()) === vault.keyId) return vault;
  throw wrongKey({ names, holds });
}

/** Opens the vault of a database that has a master key, and writes nothing; undefined if it has none yet. */
export async function openExistingVault({
  setting,
  names,
  holds,
  ...source
}: VaultOptions): Promise<Vault | undefined> {
  const keyId = await setting.read();
  if (keyId === undefined) return undefined;
  const vault = createVault(await readMasterKey(source, names, false));
  if (vault.keyId === keyId) return vault;
  throw wrongKey({ names, holds });
}

const wrongKey = ({ names, holds }: Pick<VaultOptions, "names" | "holds">): MasterKeyError =>
  new MasterKeyError(
    `This is not the master key that the database was made with: its ${holds} cannot be read. Give back the old one in ${names.key} or ${names.file}.`,
  );

export const MASTER_KEY_BYTES = 32;

/** The error for a master key that is missing, or not the one of this database. */
export class MasterKeyError extends Error {
  override readonly name = "MasterKeyError";
}

/** The possible sources of a master key. */
export interface MasterKeySource {
  /** The key itself. @default the one in the file */
  readonly masterKey?: Uint8Array | undefined;
  /** The file with the key. @default beside an SQLite database */
  readonly masterKeyFile?: string | undefined;
  readonly databaseUrl: string;
}

interface MasterKeyNames {
  readonly key: string;
  readonly file: string;
}

/** Parses a master key in base64 or hex; undefined if it is invalid. */
export function parseMasterKey(text: string): Uint8Array | undefined {
  const written = text.trim();
  const bytes = Buffer.from(written, /^[\da-f]{64}$/i.test(written) ? "hex" : "base64");
  return bytes.length === MASTER_KEY_BYTES ? bytes : undefined;
}

/** The file with the master key; undefined if the key is in the environment, or missing. */
export function masterKeyFile({ masterKeyFile, masterKey, databaseUrl }: MasterKeySource): string | undefined {
  if (masterKey) return undefined;
  if (masterKeyFile) return masterKeyFile;
  const { file } = placeOf(databaseUrl);
  return file && `${file}.key`;
}

/** Finds the master key; creates one for a new database, unless other machines would need the same. */
async function readMasterKey(source: MasterKeySource, names: MasterKeyNames, isNew: boolean): Promise<Uint8Array> {
  if (source.masterKey) return source.masterKey;
  const { file: databaseFile, isShared } = placeOf(source.databaseUrl);
  const file = masterKeyFile(source);
  if (!file && !isShared) return randomBytes(MASTER_KEY_BYTES);
  if (!file) {
    throw new MasterKeyError(
      `With PostgreSQL the master key is given in ${names.key} or ${names.file}: every process needs the same. Make one with: openssl rand -base64 32`,
    );
  }
  try {
    if (isNew && !isShared) await makeKeyFile(file);
    await makePrivate(file);
    const key = parseMasterKey(await readFile(file, "utf8"));
    if (key) return key;
  } catch (error) {
    const where = databaseFile === undefined ? "" : ` of ${databaseFile}`;
    throw new MasterKeyError(
      `The master key${where} could not be read from ${file}: ${messageOf(error)}. Put the file back, or set ${names.key}.`,
      { cause: error },
    );
  }
  throw new MasterKeyError(`${file} holds no master key: that is 32 bytes in base64.`);
}

/** The fault of a key file that other users can read, and the next step; undefined if there is none. */
export function keyFileFault(source: MasterKeySource): string | undefined {
  const file = masterKeyFile(source);
  const mode = file === undefined ? undefined : statIfThere(file)?.mode;
  if (mode === undefined || (mode & 0o004) === 0) return undefined;
  const octal = (mode & 0o777).toString(8).padStart(4, "0");
  return `Everyone on this machine can read the master key in ${file} (mode ${octal}). Run: chmod 600 ${file}`;
}

function statIfThere(file: string): Stats | undefined {
  try {
    return statSync(file);
  } catch {
    return undefined;
  }
}

/** Throws if a database is missing or empty but its master key exists; `ways` are the commands to go on with. */
export async function refuseLostDatabase(
  { databaseUrl }: Pick<MasterKeySource, "databaseUrl">,
  ways: { readonly restore: string; readonly anew: string },
): Promise<void> {
  const { file } = placeOf(databaseUrl);
  if (file === undefined) return;
  const size = statIfThere(file)?.size;
  const key = `${file}.key`;
  if ((size ?? 0) > 0 || !statIfThere(key)) return;
  const names = await readdir(dirname(file)).catch(() => []);
  const rescued = names
    .filter((name) => name.startsWith(`${basename(file)}.rescued`))
    .map((name) => join(dirname(file), name));
  const hint = rescued.length === 0 ? "" : ` What a deleted database held was saved in ${rescued.join(" and ")}.`;
  throw new MasterKeyError(
    `The database ${file} is ${size === undefined ? "missing" : "empty"}, but its master key ${key} is there: a database was here before.${hint} Put the file back, or restore a backup: ${ways.restore}. To begin anew with an empty database: ${ways.anew}`,
  );
}

/** Makes a key file private, unless it is mounted read-only. */
async function makePrivate(file: string): Promise<void> {
  const { mode } = await stat(file);
  if ((mode & 0o077) !== 0) await chmod(file, 0o600).catch(() => {});
}

/** Creates the file completely or not at all; keeps an existing one. */
async function makeKeyFile(file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const unfinished = `${file}.${process.pid}-${randomBytes(4).toString("hex")}`;
  await writeFile(unfinished, `${randomBytes(MASTER_KEY_BYTES).toString("base64")}\n`, { mode: 0o600, flush: true });
  try {
    await link(unfinished, file);
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
  } finally {
    await rm(unfinished, { force: true });
  }
}
