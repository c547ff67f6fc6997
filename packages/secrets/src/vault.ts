import { createHash } from "node:crypto";
import { CompactEncrypt, compactDecrypt } from "jose";
import {
  keyFileFault,
  MasterKeyError,
  type MasterKeyNames,
  type MasterKeySource,
  readMasterKey,
} from "./master-key.js";

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
  /** The names of the variables, for messages. */
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
