// The master key itself is internal on purpose: an open vault does not return its key.
export { createLog, type LogOptions } from "./create-log.js";
export {
  keyFileFault,
  MASTER_KEY_BYTES,
  MasterKeyError,
  type MasterKeySource,
  masterKeyFile,
  parseMasterKey,
  refuseLostDatabase,
} from "./master-key.js";
export { redact, redactBody, redactKeys } from "./redact.js";
export { createVault, openExistingVault, openVault, type Setting, type Vault, type VaultOptions } from "./vault.js";
