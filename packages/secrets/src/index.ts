// The master key itself is internal on purpose: an open vault does not return its key.
export { createLog, type LogOptions } from "./create-log.js";
export { redact, redactBody, redactKeys } from "./redact.js";
export {
  createVault,
  keyFileFault,
  MASTER_KEY_BYTES,
  MasterKeyError,
  type MasterKeySource,
  masterKeyFile,
  openExistingVault,
  openVault,
  parseMasterKey,
  refuseLostDatabase,
  type Setting,
  type Vault,
  type VaultOptions,
} from "./vault.js";
