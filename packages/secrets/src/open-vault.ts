import {
  keyFileFault,
  MasterKeyError,
  type MasterKeyNames,
  type MasterKeySource,
  readMasterKey,
} from "./master-key.js";
import { createVault, type Vault } from "./vault.js";

/** A place in the database for one text: which master key it was made with. */
export interface Setting {
  /** Undefined where nothing is kept yet. */
  read(): Promise<string | undefined>;
  /** Keeps the text, unless there is one: of many that keep one at once, the first is right. */
  keep(value: string): Promise<void>;
}

/** Options of {@link openVault}. */
export interface VaultOptions extends MasterKeySource {
  readonly setting: Setting;
  /** What the variables are called, for messages. */
  readonly names: MasterKeyNames;
  /** What the vault keeps, for messages: "API keys". */
  readonly holds: string;
  /** Is notified if everyone on the machine could read the key. */
  readonly warn?: ((text: string) => void) | undefined;
}

/**
 * Opens the vault of a database. The first time it makes the master key, beside an SQLite database and for its owner's
 * eyes alone, unless one is given.
 *
 * @throws {MasterKeyError} which says what was wrong and what to do.
 */
export async function openVault({ setting, names, holds, warn, ...source }: VaultOptions): Promise<Vault> {
  const exposed = await keyFileFault(source);
  const isNew = (await setting.read()) === undefined;
  const vault = createVault(await readMasterKey(source, names, isNew));
  await setting.keep(vault.keyId);
  if (exposed !== undefined) {
    const isMended = (await keyFileFault(source)) === undefined;
    warn?.(
      `${exposed}${isMended ? ", which was done now" : ""}. Whoever has read it can decrypt the ${holds} in every copy of the database.`,
    );
  }
  if ((await setting.read()) === vault.keyId) return vault;
  throw wrongKey({ names, holds });
}

/**
 * Opens the vault of a database that has a master key, and writes nothing.
 *
 * @returns undefined if the database has none yet.
 * @throws {MasterKeyError} which says what was wrong and what to do.
 */
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
